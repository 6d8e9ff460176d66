//! Union, intersection and difference against `BTreeMap`.

use std::collections::BTreeMap;

use ed25519_dalek::SigningKey;
use pad_conformance::tree::tree_author;
use pad_core::{Dictionary, DictionaryId, Key, Operation, Repository, Sha256Ed25519, Value};
use pad_tree::{
    Conflict, SkipList, SkipListPathCopying, Treap, TreapCacheEverywhere, TreapCacheNowhere,
    TreapPathCopying, TreeAuthor, internals::BalancingScheme,
};
use proptest::prelude::*;

type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

fn author<B: BalancingScheme>(name: &str) -> TreeAuthor<Sha256Ed25519, B, SigningKey> {
    tree_author(DictionaryId::from_name(name), 5)
}

fn puts(contents: &Contents) -> Vec<Operation> {
    let put = |(key, value): (&Vec<u8>, &Vec<u8>)| {
        let value = Value::new(value.clone()).unwrap();
        Operation::Put(Key::new(key.clone()).unwrap(), value)
    };
    contents.iter().map(put).collect()
}

fn replay(mut contents: Contents, operations: &[Operation]) -> Contents {
    for operation in operations {
        match operation {
            Operation::Put(key, value) => {
                contents.insert(key.as_bytes().to_vec(), value.as_bytes().to_vec());
            }
            Operation::Remove(key) => assert!(contents.remove(key.as_bytes()).is_some()),
        }
    }
    contents
}

fn contents() -> impl Strategy<Value = Contents> {
    let key = proptest::collection::vec(0_u8..4, 0..4);
    let value = proptest::collection::vec(0_u8..2, 0..2);
    proptest::collection::btree_map(key, value, 0..60)
}

macro_rules! check {
    ($name:ident, $scheme:ty, $ours:ident, $theirs:ident) => {
        proptest! {
            #[test]
            fn $name(ours in contents(), theirs in contents()) {
                let mut one = author::<$scheme>("one");
                let mut two = author::<$scheme>("two");
                let mut first = $ours::<Sha256Ed25519>::new(one.authority());
                let mut second = $theirs::<Sha256Ed25519>::new(two.authority());
                first.apply(&one.snapshot_of(puts(&ours)).unwrap()).unwrap();
                second.apply(&two.snapshot_of(puts(&theirs)).unwrap()).unwrap();
                let a = first.snapshot(first.latest()).unwrap();
                let b = second.snapshot(second.latest()).unwrap();

                let mut union = theirs.clone();
                union.extend(ours.clone());
                prop_assert_eq!(replay(ours.clone(), &a.union(&b, Conflict::KeepOurs)), union);
                let mut union = ours.clone();
                union.extend(theirs.clone());
                prop_assert_eq!(replay(ours.clone(), &a.union(&b, Conflict::TakeTheirs)), union);
                let (common, own): (Contents, Contents) =
                    ours.clone().into_iter().partition(|(key, _)| theirs.contains_key(key));
                prop_assert_eq!(replay(ours.clone(), &a.intersection(&b)), common);
                let difference = a.difference(&b);
                prop_assert!(difference.is_sorted_by(|a, b| a.key() < b.key()));
                prop_assert_eq!(replay(ours.clone(), &difference), own);

                // In set-unique trees the union has the same root, regardless of the side on
                // which it was made.
                let on_one = one.snapshot_of(a.union(&b, Conflict::TakeTheirs)).unwrap();
                let on_two = two.snapshot_of(b.union(&a, Conflict::KeepOurs)).unwrap();
                prop_assert_eq!(on_one.head.head.root, on_two.head.head.root);
            }
        }
    };
}

check!(treaps, Treap, TreapPathCopying, TreapCacheEverywhere);
check!(
    treaps_without_cache,
    Treap,
    TreapCacheNowhere,
    TreapPathCopying
);
check!(
    skip_lists,
    SkipList,
    SkipListPathCopying,
    SkipListPathCopying
);
