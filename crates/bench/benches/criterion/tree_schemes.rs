//! Table 3: the three schemes over path copying. Proofs of the latest and of old versions.

use std::hint::black_box;

use bench::{
    dictionary::Store,
    fixture::{Tree, checked_queries, id, repository, updates},
};
use criterion::Criterion;
use pad_core::{Repository, Sha256Ed25519, Suite};
use pad_tree::{BalancingScheme, RedBlack, SkipList, Treap, TreeRepository};

use crate::{ONE, measure};

const KEYS: u64 = 2_000;
const QUERIES: usize = 256;

/// Proofs of checked keys.
pub(crate) fn prove<S: Suite, St: Store<S>>(
    criterion: &mut Criterion,
    repository: &TreeRepository<S, St>,
    queries: usize,
    name: impl Fn(&str) -> String,
) {
    let latest = repository.latest().number();
    for (age, versions) in [("latest", latest..latest + 1), ("old", 1..latest)] {
        let queries = checked_queries(repository, versions, queries);
        let mut next = queries.iter().cycle();
        measure(criterion, "tree::prove", &name(age), ONE, |bencher| {
            bencher.iter(|| {
                let (version, key) = next.next().expect("bench: a cycle has no end");
                black_box(repository.prove(*version, key))
            });
        });
    }
}

fn scheme<S: Suite, B: BalancingScheme>(criterion: &mut Criterion) {
    let repository: Tree<S, B> = repository(&updates::<S, B>(KEYS));
    prove(criterion, &repository, QUERIES, |age| {
        id(&[("scheme", &B::NAME), ("keys", &KEYS), ("version", &age)])
    });
}

pub(crate) fn schemes(criterion: &mut Criterion) {
    scheme::<Sha256Ed25519, Treap>(criterion);
    scheme::<Sha256Ed25519, RedBlack>(criterion);
    scheme::<Sha256Ed25519, SkipList>(criterion);
}
