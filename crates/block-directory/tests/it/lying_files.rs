//! An attacker replaces the files of a directory by those of other versions, of another history and
//! of another author, in every combination. The author must sign the true continuation of a signed
//! version or nothing. A client must accept no false answer.

use std::{collections::BTreeMap, fs, path::Path};

use block_directory::{
    BlockDirectory, CacheBudget, DirectoryClient, Entries, EntryQuery, FullAuthor, StoreError,
};
use ed25519_dalek::SigningKey;
use pad_conformance::soak;
use pad_core::{Authority, HeadSigner, Update, Version};

use crate::support::{S, append, id, ids, object, signer};

type Files = BTreeMap<String, Vec<u8>>;

/// The files of a directory at some version, and the updates that lead to this version.
struct Source {
    files: Files,
    updates: Vec<Update<S>>,
}

/// The state of the files when they are copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The directory was closed.
    Closed,
    /// The process was killed. The blocks are of version 1, and later updates are in the log.
    Killed,
}

/// Returns the author of three versions, and the updates to them. `other` is another history after
/// version 1.
fn history(signer: SigningKey, other: bool) -> (Authority, Vec<Update<S>>) {
    let mut author = FullAuthor::<S>::new("directory", signer).unwrap();
    append(&mut author, 0..21);
    let mut updates = vec![author.snapshot().unwrap()];
    let (changed, deleted) = if other { (31, 6) } else { (30, 5) };
    author.update(id(3), object::<S>(changed)).unwrap();
    author.delete(id(deleted)).unwrap();
    updates.push(author.snapshot().unwrap());
    append(&mut author, 21..25);
    author.update(id(20), object::<S>(changed + 10)).unwrap();
    updates.push(author.snapshot().unwrap());
    (*author.authority(), updates)
}

fn files(folder: &Path) -> Files {
    let files = fs::read_dir(folder).unwrap().map(|file| {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        (name, fs::read(file.path()).unwrap())
    });
    files.collect()
}

/// Writes a file that only its owner can read, as directories require.
fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

impl Source {
    /// Applies `updates` to a directory in the new folder `folder`, and copies its files.
    fn new(folder: &Path, authority: Authority, updates: &[Update<S>], state: State) -> Self {
        let budget = CacheBudget::default();
        let mut directory = BlockDirectory::<S>::create(folder, authority, 2, budget).unwrap();
        for update in updates {
            directory.apply(update).unwrap();
            if update.base == Version::EMPTY {
                directory.checkpoint().unwrap();
            }
        }
        match state {
            State::Closed => directory.close().unwrap(),
            State::Killed => drop(directory),
        }
        let files = files(folder);
        let updates = updates.to_vec();
        Self { files, updates }
    }

    /// An honest directory in memory, with the same updates.
    fn honest(&self, authority: Authority) -> BlockDirectory<S> {
        let mut honest = BlockDirectory::new(authority, 2).unwrap();
        for update in &self.updates {
            honest.apply(update).unwrap();
        }
        honest
    }
}

/// Returns all sources. The last two are tested with all cases only.
fn sources(folder: &Path) -> (Authority, Vec<Source>) {
    let (authority, updates) = history(signer(), false);
    let (_, forked) = history(signer(), true);
    let (stranger, theirs) = history(SigningKey::from_bytes(&[8; 32]), false);
    assert_eq!(updates[0], forked[0]);
    let cases = [
        (authority, &updates[..2], State::Closed),
        (authority, &updates[..], State::Closed),
        (authority, &updates[..], State::Killed),
        (authority, &forked[..], State::Closed),
        (stranger, &theirs[..], State::Closed),
        (authority, &updates[..1], State::Closed),
    ];
    let sources = cases.iter().enumerate();
    let sources = sources.map(|(number, (authority, updates, state))| {
        Source::new(
            &folder.join(number.to_string()),
            *authority,
            updates,
            *state,
        )
    });
    (authority, sources.take(soak::size(4, 6)).collect())
}

/// Asks a directory for some entries, as a client that has seen no version. Returns the verified
/// entries; `None` if the directory has no answer, or the client refuses it.
fn asked(
    directory: &BlockDirectory<S>,
    authority: Authority,
    some: &[u64],
) -> Option<Entries<S, EntryQuery>> {
    let mut client = DirectoryClient::<S>::new(authority, 2);
    let (pending, request) = client.ask(ids(some));
    let answer = directory.answer(&request).ok()?;
    let found = client.accept(&pending, &answer).ok()?;
    Some(found.entries.into_inner())
}

/// The outcomes of all combinations.
#[derive(Debug, Default)]
struct Outcomes {
    refused: u32,
    answered: u32,
    signed: u32,
}

/// Opens, queries and continues a directory with replaced files.
fn check(
    folder: &Path,
    authority: Authority,
    sources: &[Source],
    outcomes: &mut Outcomes,
) -> Result<(), StoreError> {
    let directory = BlockDirectory::<S>::open(folder, CacheBudget::default())?;
    let is_own = *directory.heads().authority() == authority;
    let head = directory.heads().latest_head();
    let source = sources
        .iter()
        .find(|source| source.updates.last().map(|update| update.head) == head)
        .unwrap();
    let honest = is_own.then(|| source.honest(authority));
    for some in [&[0, 3, 5, 6, 20][..], &[3], &[5], &[6], &[20], &[24, 99]] {
        if let Some(entries) = asked(&directory, authority, some) {
            let honest = honest.as_ref().unwrap();
            assert_eq!(Some(entries), asked(honest, authority, some));
            outcomes.answered += 1;
        }
    }
    let mut author = FullAuthor::resume(directory, HeadSigner::new(signer()));
    let changed =
        author.update(id(7), object::<S>(70)).is_ok() && author.append(object::<S>(99)).is_ok();
    if changed && let Ok(update) = author.snapshot() {
        // An honest server accepts it: its root is that of the true contents.
        honest.unwrap().apply(&update).unwrap();
        outcomes.signed += 1;
    }
    Ok(())
}

#[test]
fn replaced_files_lead_to_the_truth_or_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, sources) = sources(folder.path());
    let mixed = folder.path().join("mixed");
    let mut outcomes = Outcomes::default();
    for log in &sources {
        for lowest in &sources {
            for upper in &sources {
                let of = |source: &Source, is_part: fn(&str) -> bool| {
                    let files = source.files.iter().filter(|(name, _)| is_part(name));
                    files
                        .map(|(name, bytes)| (name.clone(), bytes.clone()))
                        .collect::<Vec<_>>()
                };
                let parts = [
                    of(log, |name| !name.starts_with("level-")),
                    of(lowest, |name| name == "level-0"),
                    of(upper, |name| {
                        name.starts_with("level-") && name != "level-0"
                    }),
                ];
                let _ = fs::remove_dir_all(&mixed);
                fs::create_dir(&mixed).unwrap();
                for (name, bytes) in parts.into_iter().flatten() {
                    write(&mixed.join(name), &bytes);
                }
                if check(&mixed, authority, &sources, &mut outcomes).is_err() {
                    outcomes.refused += 1;
                }
            }
        }
    }
    // Files that belong together are accepted, and most others are not.
    assert!(outcomes.refused > 0, "{outcomes:?}");
    assert!(outcomes.answered >= 4 * 6, "{outcomes:?}");
    assert!(outcomes.signed >= 4, "{outcomes:?}");
}
