//! Stored trees with a log written by an attacker. Checks that no wrong tree is signed, and that no
//! input causes a panic or an endless loop.

use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, Authority, DictionaryId, Key, KeyRange, LookupError, Operation, Repository as _,
    Sha256Ed25519, SignedHead, StoreFault, Untrusted, Value, Version,
};
use pad_tree::{
    MemoryLog, NodeLog, RedBlack, SkipList, StoredRepository, Treap, TreeScheme,
    internals::BalancingScheme,
};
use std::{collections::BTreeMap, sync::OnceLock};

type S = Sha256Ed25519;

/// A log with some bytes replaced: each change is a position and the new byte.
#[derive(Clone, Debug)]
struct ChangedLog {
    log: MemoryLog,
    changes: Vec<(u64, u8)>,
}

impl NodeLog for ChangedLog {
    fn latest(&self) -> Version {
        self.log.latest()
    }

    fn end(&self) -> u64 {
        self.log.end()
    }

    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        self.log.read(position, bytes)?;
        for (place, byte) in &self.changes {
            let place = place
                .checked_sub(position)
                .and_then(|place| usize::try_from(place).ok());
            if let Some(changed) = place.and_then(|place| bytes.get_mut(place)) {
                *changed = *byte;
            }
        }
        Ok(())
    }

    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        self.log.record(version)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        self.log.append(bytes)
    }

    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        self.log.publish(version, record)
    }

    fn synchronise(&mut self) -> Result<(), StoreFault> {
        self.log.synchronise()
    }

    fn discard(&mut self) {
        self.log.discard();
    }
}

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn key(number: u8) -> Key {
    Key::try_from(format!("{number:03}").as_str()).expect("three digits are a key")
}

fn put(number: u8, value: u8) -> Operation {
    Operation::Put(
        key(number),
        Value::new([value; 9].as_slice()).expect("short"),
    )
}

/// Applies operations to the contents.
fn apply(contents: &mut BTreeMap<Key, Value>, operations: &[Operation]) {
    for operation in operations {
        match operation {
            Operation::Put(key, value) => {
                contents.insert(key.clone(), value.clone());
            }
            Operation::Remove(key) => {
                contents.remove(key);
            }
        }
    }
}

/// An honest log, its contents and the head of its latest version.
struct Honest {
    log: MemoryLog,
    contents: BTreeMap<Key, Value>,
    head: SignedHead<S>,
}

impl Honest {
    fn of<B: BalancingScheme>() -> Self {
        let opened = StoredRepository::<S, B>::open(authority::<B>(), MemoryLog::default(), 0);
        let mut whole = opened.expect("an empty log is whole");
        let mut contents = BTreeMap::new();
        for version in 0..3_u8 {
            let step = usize::from(version) * 3 + 1;
            let mut batch: Vec<_> = (0..90)
                .step_by(step)
                .map(|number| put(number * 2, version))
                .collect();
            apply(&mut contents, &batch);
            let published = whole.publish(&mut batch, &signer());
            published.expect("an honest log takes everything");
        }
        Self {
            log: whole.log().clone(),
            contents,
            head: whole.head(whole.latest()).expect("it was published"),
        }
    }
}

fn authority<B: TreeScheme>() -> Authority {
    Authority {
        author: AuthorKey::from_bytes(signer().verifying_key().as_bytes()).expect("a key"),
        dictionary: DictionaryId::from_name("fuzz"),
        scheme: B::ID,
    }
}

/// Runs one input. The first byte chooses the scheme, the next 4 the batch and queries; the rest
/// are changes of the log.
pub fn run(data: &[u8]) {
    static HONEST: [OnceLock<Honest>; 3] = [const { OnceLock::new() }; 3];
    let Some((scheme, data)) = data.split_first() else {
        return;
    };
    match scheme % 3 {
        0 => with::<Treap>(data, HONEST[0].get_or_init(Honest::of::<Treap>)),
        1 => with::<RedBlack>(data, HONEST[1].get_or_init(Honest::of::<RedBlack>)),
        _ => with::<SkipList>(data, HONEST[2].get_or_init(Honest::of::<SkipList>)),
    }
}

fn with<B: BalancingScheme>(data: &[u8], honest: &Honest) {
    let Some((asked, changes)) = data.split_first_chunk::<4>() else {
        return;
    };
    let (authority, mut contents) = (authority::<B>(), honest.contents.clone());
    let changes = changes.chunks_exact(3).map(|change| {
        let place = u64::from(u16::from_be_bytes([change[0], change[1]]));
        (place % honest.log.end(), change[2])
    });
    let log = ChangedLog {
        log: honest.log.clone(),
        changes: changes.take(64).collect(),
    };
    let Ok(mut changed) = StoredRepository::<S, B, _>::open(authority, log, 0) else {
        return;
    };
    let latest = changed.latest();
    let head = Untrusted::new(honest.head)
        .verify(&authority, &latest)
        .expect("it was signed");
    for number in asked {
        let key = key(*number);
        if let Ok(proof) = changed.prove_query(latest, &key)
            && let Ok(found) = Untrusted::new(proof).verify(&head, &key)
        {
            assert_eq!(found.get().answer.value(), contents.get(&key));
        }
    }
    let checked = changed.check_contents(latest);
    if let Ok(entries) = checked {
        assert_eq!(usize::try_from(entries), Ok(contents.len()));
    }
    let _ = changed.differences(Version::new(1), latest, |_| Ok::<(), LookupError>(()));
    drop(changed.history(&key(asked[0])));
    let mut batch = vec![
        put(asked[0], 9),
        put(asked[1], 9),
        Operation::Remove(key(asked[2])),
        Operation::Remove(key(asked[3])),
    ];
    let operations = batch.clone();
    let Ok(update) = changed.publish(&mut batch, &signer()) else {
        return;
    };
    // The signed tree proves the expected contents, whatever its shape.
    let last: BTreeMap<_, _> = operations
        .iter()
        .map(|one| (one.key().clone(), one.clone()))
        .collect();
    let last: Vec<_> = last.into_values().collect();
    apply(&mut contents, &last);
    let signed = Untrusted::new(update.head).verify(&authority, &update.head.head.version);
    let signed = signed.expect("it was signed just now");
    if let Ok(proof) = changed.prove_query(update.head.head.version, &KeyRange::ALL)
        && let Ok(found) = Untrusted::new(proof).verify(&signed, &KeyRange::ALL)
    {
        let found: BTreeMap<_, _> = found.into_inner().entries.into_iter().collect();
        assert_eq!(found, contents);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_change_of_one_byte() {
        for scheme in 0..3 {
            super::run(&[scheme, 1, 2, 3, 4]);
            for place in (0..9000_u16).step_by(23) {
                let [high, low] = place.to_be_bytes();
                super::run(&[scheme, 7, 180, 12, 13, high, low, (place % 251) as u8]);
            }
        }
    }
}
