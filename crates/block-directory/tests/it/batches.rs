//! Versions of many changes, compared with the same changes made one by one.

use std::{collections::BTreeMap, fs, path::Path};

use block_directory::{BlockDirectory, Entry, EntryId, FullAuthor};
use pad_core::{ApplyError, Blake3Ed25519, HeadSigner, Paper2010, Sha256Ed25519, Suite, Update};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::{
    stored::{TINY, flip},
    support::{S, append, id, object, signer},
};

/// A call of an author. `None` deletes the entry.
#[derive(Clone, Copy, Debug)]
enum Call<D> {
    Append(D),
    Set(EntryId, Option<D>),
}

impl<D: Copy> Call<D> {
    fn make<S: Suite<Digest = D>>(self, author: &mut FullAuthor<S>) -> Result<(), ApplyError> {
        match self {
            Self::Append(object) => author.append(object).map(drop).map_err(ApplyError::from),
            Self::Set(id, Some(object)) => author.update(id, object),
            Self::Set(id, None) => author.delete(id),
        }
    }
}

/// One author that makes versions of many changes, and one that makes a version of each change.
struct Pair<S: Suite> {
    batches: FullAuthor<S>,
    single: FullAuthor<S>,
    server: BlockDirectory<S>,
    random: ChaCha8Rng,
    objects: u64,
}

impl<S: Suite> Pair<S> {
    fn new(step: u32, seed: u64) -> Self {
        let author = || {
            let new = FullAuthor::<S>::new("batches", signer()).unwrap();
            let directory = BlockDirectory::new(*new.authority(), step).unwrap();
            FullAuthor::resume(directory, HeadSigner::new(signer()))
        };
        let batches = author();
        Self {
            server: BlockDirectory::new(*batches.authority(), 3).unwrap(),
            batches,
            single: author(),
            random: ChaCha8Rng::seed_from_u64(seed),
            objects: 0,
        }
    }

    fn object(&mut self) -> S::Digest {
        self.objects += 1;
        object::<S>(self.objects)
    }

    /// Chooses random calls. Ids repeat, are absent or were deleted. Some batches are in ascending
    /// or in descending order of ids.
    fn calls(&mut self) -> Vec<Call<S::Digest>> {
        let registered = self.server.registered();
        let count = self.random.random_range(0..60);
        let appends = self.random.random_range(0..=10);
        let mut calls = Vec::new();
        for _ in 0..count {
            let number = self.random.random_range(0..registered + 4);
            let object = self.object();
            calls.push(match self.random.random_range(0..10) {
                kind if kind < appends => Call::Append(object),
                // Entries that are only pending cannot be deleted.
                9 if number < registered => Call::Set(id(number), None),
                8 => Call::Set(id(number), Some(S::Digest::default())),
                _ => Call::Set(id(number), Some(object)),
            });
        }
        let number = |call: &Call<S::Digest>| match call {
            Call::Append(_) => u64::MAX,
            Call::Set(id, _) => id.number(),
        };
        match self.random.random_range(0..3) {
            0 => calls.sort_by_key(number),
            1 => calls.sort_by_key(|call| u64::MAX - number(call)),
            _ => {}
        }
        calls
    }

    fn check(&mut self) {
        for call in self.calls() {
            let made = call.make(&mut self.batches);
            assert_eq!(made, call.make(&mut self.single), "{call:?}");
            if made.is_ok() {
                self.single.snapshot().unwrap();
            }
        }
        // Pending changes are part of the answers of the author.
        let next = self.single.directory().registered();
        let shown = |author: &FullAuthor<S>| -> Vec<Entry<S::Digest>> {
            let shown = (0..next + 2).map(|number| author.entry(id(number)).unwrap());
            shown.collect()
        };
        let expected = shown(&self.single);
        assert_eq!(shown(&self.batches), expected);
        let update = self.batches.snapshot().unwrap();
        assert_eq!(shown(&self.batches), expected);
        assert_eq!(self.batches.directory().registered(), next);
        if let Some(head) = self.single.directory().heads().latest_head() {
            assert_eq!(update.head.head.root, head.head.root);
        }
        // Fails unless the update's operations lead to its root.
        self.server.apply(&update).unwrap();
    }
}

fn check<S: Suite>(batches: usize) {
    for (seed, step) in [1, 2, 3, 7].into_iter().enumerate() {
        let mut pair = Pair::<S>::new(step, u64::try_from(seed).unwrap());
        for _ in 0..batches {
            pair.check();
        }
    }
}

#[test]
fn versions_of_many_changes_match_single_changes() {
    check::<Sha256Ed25519>(16);
    check::<Blake3Ed25519>(6);
    check::<Paper2010>(6);
}

/// The last change of an entry counts, in whatever order the changes came.
#[test]
fn updates_contain_the_last_change_of_each_entry_in_order() {
    let mut author = FullAuthor::<S>::new("batches", signer()).unwrap();
    author.load((0..1_000).map(object::<S>)).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut expected = BTreeMap::new();
    for number in 0..500 {
        let chosen = random.random_range(0..600);
        let is_live = expected.get(&chosen) != Some(&None);
        let changed = if number % 7 == 0 && is_live {
            expected.insert(chosen, None);
            author.delete(id(chosen))
        } else {
            if is_live {
                expected.insert(chosen, Some(object::<S>(number + 5_000)));
            }
            author.update(id(chosen), object::<S>(number + 5_000))
        };
        let deleted = Err(ApplyError::DeletedForGood(chosen));
        assert_eq!(changed, if is_live { Ok(()) } else { deleted });
    }
    let update = author.snapshot().unwrap();
    assert_eq!(
        operations(&update),
        expected.into_iter().collect::<Vec<_>>()
    );
}

/// Returns the ids of an update's operations, and the new objects.
fn operations(update: &Update<S>) -> Vec<(u64, Option<<S as Suite>::Digest>)> {
    let operations = update.operations.iter().map(|operation| {
        let number = EntryId::from_key(operation.key()).unwrap().number();
        let object = match operation {
            pad_core::Operation::Put(_, object) => object.as_bytes().try_into().ok(),
            pad_core::Operation::Remove(_) => None,
        };
        (number, object.map(pad_core::Digest))
    });
    operations.collect()
}

/// Changes stay pending if a block cannot be read while a version is sealed.
#[test]
fn changes_survive_a_block_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let authority = *FullAuthor::<S>::new("batches", signer())
        .unwrap()
        .authority();
    let stored = BlockDirectory::<S>::create(folder.path(), authority, 2, TINY).unwrap();
    let mut author = FullAuthor::resume(stored, HeadSigner::new(signer()));
    append(&mut author, 0..400);
    author.snapshot().unwrap();
    author.delete(id(9)).unwrap();
    for number in [5, 1] {
        author
            .update(id(number), object::<S>(number + 1_000))
            .unwrap();
    }
    append(&mut author, 400..403);
    evict(&author);
    let level: &Path = &folder.path().join("level-0");
    let bytes = fs::read(level).unwrap();
    flip(level, 32 * 4);
    author.snapshot().unwrap_err();
    fs::write(level, bytes).unwrap();

    let of = |number| Entry::Live(object::<S>(number));
    let shown = [1, 2, 5, 9, 402].map(|number| author.entry(id(number)).unwrap());
    assert_eq!(
        shown,
        [of(1_001), of(2), of(1_005), Entry::Deleted, of(402)]
    );
    author.append(object::<S>(403)).unwrap();
    let update = author.snapshot().unwrap();
    let changed = operations(&update);
    let numbers: Vec<u64> = changed.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 5, 9, 400, 401, 402, 403]);
    assert_eq!(changed[2].1, None);

    // Blocks that are read from files know their deleted entries.
    drop(author);
    let stored = BlockDirectory::<S>::open(folder.path(), TINY).unwrap();
    let mut author = FullAuthor::resume(stored, HeadSigner::new(signer()));
    let refused = author.update(id(9), object::<S>(1));
    assert_eq!(refused, Err(ApplyError::DeletedForGood(9)));
    assert_eq!(author.update(id(8), object::<S>(1)), Ok(()));
}

/// A single append to a block stays pending if this block cannot be read. It is made once.
#[test]
fn an_append_survives_a_block_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let authority = *FullAuthor::<S>::new("batches", signer())
        .unwrap()
        .authority();
    let stored = BlockDirectory::<S>::create(folder.path(), authority, 2, TINY).unwrap();
    let mut author = FullAuthor::resume(stored, HeadSigner::new(signer()));
    append(&mut author, 0..402);
    author.snapshot().unwrap();
    // A checkpoint writes the blocks to the files.
    drop(author);
    let stored = BlockDirectory::<S>::open(folder.path(), TINY).unwrap();
    let mut author = FullAuthor::resume(stored, HeadSigner::new(signer()));
    append(&mut author, 402..403);
    evict(&author);
    let level: &Path = &folder.path().join("level-0");
    let bytes = fs::read(level).unwrap();
    flip(level, 32 * 400);
    author.snapshot().unwrap_err();
    author.snapshot().unwrap_err();
    fs::write(level, bytes).unwrap();
    let appended = author.entry(id(402)).unwrap();
    assert_eq!(appended, Entry::Live(object::<S>(402)));
    append(&mut author, 403..404);
    let changed = operations(&author.snapshot().unwrap());
    let expected = [402, 403].map(|number| (number, Some(object::<S>(number))));
    assert_eq!(changed, expected);
}

/// Reads many entries, which replace the first and the last blocks in the cache.
fn evict(author: &FullAuthor<S>) {
    for number in (100..400).chain(100..400) {
        author.entry(id(number)).unwrap();
    }
}
