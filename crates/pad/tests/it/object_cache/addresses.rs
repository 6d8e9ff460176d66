//! The same at the address in `PAD_OBJECTS`, or in a folder.

use std::{fs, path::Path};

use futures_util::TryStreamExt as _;
use object_store::{ObjectStore, ObjectStoreExt as _};
use pad::{
    SecretKey,
    dynamic::{Caches, create_store, open_repository, open_repository_with},
    selection::SchemeName,
};

use super::{MIB, statements};
use crate::{
    memory::assert_same,
    objects::{address, bring, signed},
    stored::key,
};

/// What `PAD_OBJECTS` leads to, with so many versions in it.
pub(super) fn at_an_address(folder: &Path, name: &str, versions: u64) -> (String, SecretKey) {
    let (address, key) = (address(folder, name), key(SchemeName::RedBlack));
    let path = Path::new(&address);
    create_store(path, key.public()).unwrap();
    let own = tempfile::tempdir().unwrap();
    let mut objects = open_repository(path).unwrap();
    bring(&signed(&key, own.path(), versions), &mut objects, versions).unwrap();
    (address, key)
}

#[test]
fn three_readers_at_an_address_share_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _) = at_an_address(folder.path(), "shared", 6);
    let path = Path::new(&address);
    let plain = open_repository(path).unwrap();
    for _ in 0..2 {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let caches = Caches::default().with_disk(&folder.path().join("cache"), MIB);
                    let reader = open_repository_with(path, caches.unwrap()).unwrap();
                    assert_same(&plain, &reader);
                });
            }
        });
    }
}

/// Every object at an address in turn is changed, cut off, emptied, removed, and put in the place of another one, under a reader without a
/// cache, one whose cache has what was there before, and one whose cache is empty.
#[test]
fn damaged_objects_at_an_address_make_no_wrong_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (address, key) = at_an_address(folder.path(), "damaged", 6);
    let path = Path::new(&address);
    let expected = statements(&open_repository(path).unwrap(), &key, 4..=6);
    let [warm, cold] = ["warm", "cold"].map(|name| folder.path().join(name));
    let with = |cache: &Path| Caches::default().with_disk(cache, MIB).unwrap();
    statements(
        &open_repository_with(path, with(&warm)).unwrap(),
        &key,
        4..=6,
    );
    let warmed = fs::read(warm.join("pad-cache.pieces")).unwrap();
    let objects = Objects::at(&address);
    let whole = objects.contents();
    let (mut answered, mut unanswered) = (0, 0);
    for (index, (name, bytes)) in whole.iter().enumerate() {
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        let damages = [
            Some(flipped),
            Some(bytes[..bytes.len() / 2].to_vec()),
            Some(Vec::new()),
            Some(whole[(index + 1) % whole.len()].1.clone()),
            None,
        ];
        for damage in damages {
            objects.put(name, damage);
            fs::write(warm.join("pad-cache.pieces"), &warmed).unwrap();
            drop(fs::remove_dir_all(&cold));
            for caches in [Caches::default(), with(&warm), with(&cold)] {
                let Ok(reader) = open_repository_with(path, caches) else {
                    unanswered += 1;
                    continue;
                };
                for (found, expected) in statements(&reader, &key, 4..=6).iter().zip(&expected) {
                    assert!(found.is_none() || found == expected, "{name}");
                    answered += usize::from(found.is_some());
                    unanswered += usize::from(found.is_none());
                }
            }
        }
        objects.put(name, Some(bytes.clone()));
    }
    assert!(answered > 0 && unanswered > 0);
    drop(fs::remove_dir_all(&cold));
    let mended = open_repository_with(path, with(&cold)).unwrap();
    assert_eq!(statements(&mended, &key, 4..=6), expected);
}

/// Objects at an address, for whoever may do anything with them.
struct Objects {
    store: Box<dyn ObjectStore>,
    prefix: object_store::path::Path,
    runtime: tokio::runtime::Runtime,
}

impl Objects {
    fn at(address: &str) -> Self {
        let variables = std::env::vars().filter(|(name, _)| name.starts_with("AWS_"));
        let variables = variables.map(|(name, value)| (name.to_ascii_lowercase(), value));
        let url = url::Url::parse(address).unwrap();
        let (store, prefix) = object_store::parse_url_opts(&url, variables).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            store,
            prefix,
            runtime: runtime.unwrap(),
        }
    }

    fn contents(&self) -> Vec<(object_store::path::Path, Vec<u8>)> {
        let read = async {
            let listed = self.store.list(Some(&self.prefix));
            let listed: Vec<_> = listed.try_collect().await.unwrap();
            let mut found = Vec::new();
            for object in listed {
                let got = self.store.get(&object.location).await.unwrap();
                found.push((object.location, got.bytes().await.unwrap().to_vec()));
            }
            found
        };
        let mut found = self.runtime.block_on(read);
        found.sort();
        found
    }

    fn put(&self, name: &object_store::path::Path, bytes: Option<Vec<u8>>) {
        self.runtime.block_on(async {
            match bytes {
                Some(bytes) => drop(self.store.put(name, bytes.into()).await.unwrap()),
                None => self.store.delete(name).await.unwrap(),
            }
        });
    }
}
