//! Tests of authors whose signer is outside of the program.

use std::{
    error::Error,
    fmt,
    path::Path,
    sync::{Arc, Mutex},
};

use authdict::{
    Author, AuthorError, Base, Key, KeyFileError, NamedScheme, Operation, PublicKey, RedBlack,
    Scheme, Server, SigningKeys, SigningRecord, Tree, Tuple, Value, VerifyError, Version,
    pad_core::{AuthorKey, HeadSignature},
};
use ed25519_dalek::SigningKey;
use signature::Signer;

/// Behaviour of the signer in a test.
#[derive(Clone, Copy)]
enum Behaviour {
    Signs,
    Refuses,
    SignsWithAnotherKey,
}

/// A signer whose behaviour the test changes.
struct Remote(Arc<Mutex<Behaviour>>);

#[derive(Debug)]
struct Locked;

impl fmt::Display for Locked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the module is locked")
    }
}

impl Error for Locked {}

impl Signer<HeadSignature> for Remote {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, signature::Error> {
        match *self.0.lock().unwrap() {
            Behaviour::Signs => Ok(key(7).sign(message)),
            Behaviour::Refuses => Err(signature::Error::from_source(Locked)),
            Behaviour::SignsWithAnotherKey => Ok(key(8).sign(message)),
        }
    }
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn public<F: NamedScheme>() -> Result<PublicKey, KeyFileError> {
    let author = AuthorKey::from_bytes(&key(7).verifying_key().to_bytes()).unwrap();
    PublicKey::of_author::<F>(author, "prices")
}

/// Creates a store with one version, whose author then meets each failure of the signer.
fn keeps_changes_and_reasons<F: NamedScheme + Scheme>(folder: &Path) {
    let behaviour = Arc::new(Mutex::new(Behaviour::Signs));
    let become_ = |next| *behaviour.lock().unwrap() = next;
    let keys = SigningKeys::external(public::<F>().unwrap(), Remote(Arc::clone(&behaviour)));
    let keys = keys.unwrap().with_path(folder.join("key"));
    SigningRecord::create(&folder.join("key.signed")).unwrap();
    let store = folder.join("s.pad");
    let mut author = Author::<F>::create(&store, &keys).unwrap();
    author.put("apple", "3").unwrap();
    author.commit().unwrap();

    become_(Behaviour::Refuses);
    author.put("apple", "4").unwrap();
    let refused = author.commit().unwrap_err();
    let expected = "the signer refused: the module is locked";
    assert_eq!(refused.to_string(), expected);
    assert!(source::<Locked>(&refused).is_some());
    assert_eq!(author.changes().len(), 1);
    become_(Behaviour::SignsWithAnotherKey);
    let wrong = author.commit().unwrap_err();
    assert!(matches!(wrong, AuthorError::Signing(_)), "{wrong}");
    let wrong = source::<VerifyError>(&wrong).copied();
    assert_eq!(wrong, Some(VerifyError::SignatureInvalid));
    assert_eq!(author.server().latest(), Version::new(1));
    let server = Server::<F>::open(&store, keys.public()).unwrap();
    assert_eq!(server.latest(), Version::new(1));
    drop(server);

    become_(Behaviour::Signs);
    assert_eq!(author.commit().unwrap(), Version::new(2));
    // A few gathered changes are kept like others.
    become_(Behaviour::Refuses);
    let mut gathered = author.gather(&store, 1 << 20);
    let pear = Operation::Put(Key::from(b"pear"), Value::from(b"1"));
    gathered.push(pear.clone()).unwrap();
    author.stage_gathered(gathered).unwrap_err();
    assert_eq!(author.changes(), [pear]);
    become_(Behaviour::Signs);
    assert_eq!(author.commit().unwrap(), Version::new(3));
    assert!(author.changes().is_empty());
    assert_eq!(author.server().entries(), 2);
    drop(author);
    drop(Author::<F>::open(&store, &keys).unwrap());
    let mut server = Server::<F>::open(&store, keys.public()).unwrap();
    assert_eq!(server.check().unwrap().heads, 3);
}

/// Finds an error of type `E` among the sources of `error`.
fn source<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(found) = source.downcast_ref() {
            return Some(found);
        }
        next = source.source();
    }
    None
}

#[test]
fn a_refusal_keeps_the_changes_and_its_reason() {
    keeps_changes_and_reasons::<Tree<RedBlack>>(tempfile::tempdir().unwrap().path());
    keeps_changes_and_reasons::<Tuple<Base>>(tempfile::tempdir().unwrap().path());
}

#[cfg(feature = "bls")]
#[test]
fn schemes_with_a_secret_need_a_secret_key() {
    type Aggregated = Tuple<authdict::BaseSupersedingBls>;
    let error = public::<Aggregated>().unwrap_err();
    assert!(matches!(error, KeyFileError::OwnSecretNeeded(_)), "{error}");
}

/// In a dictionary that is kept whole, a refused batch becomes a version of its own. Later changes
/// are kept, also if the log does not accept one of them. A repeated commit signs no further
/// version.
#[cfg(feature = "log")]
#[test]
fn a_refused_version_of_a_log_is_signed_first() {
    use authdict::{Log, SchemeName, pad_log::AadCounted};

    use crate::log;

    let folder = tempfile::tempdir().unwrap();
    let parameters = log::small(SchemeName::AadCounted);
    let public = log::key_of_log(SchemeName::AadCounted, &parameters);
    let public = public.public().clone();
    let behaviour = Arc::new(Mutex::new(Behaviour::Refuses));
    let become_ = |next| *behaviour.lock().unwrap() = next;
    let keys = SigningKeys::external(public, Remote(Arc::clone(&behaviour)));
    let keys = keys.unwrap().with_path(folder.path().join("key"));
    SigningRecord::create(&folder.path().join("key.signed")).unwrap();
    let store = folder.path().join("s.pad");
    let mut author = Author::<Log<AadCounted>>::create_with(&store, &keys, &parameters).unwrap();

    for value in ["1", "2", "3"] {
        author.put("apple", value).unwrap();
        let refused = author.commit().unwrap_err();
        assert!(matches!(refused, AuthorError::Signing(_)), "{refused}");
    }
    become_(Behaviour::Signs);
    author.remove("apple").unwrap();
    let refused = author.commit().unwrap_err();
    assert!(matches!(refused, AuthorError::NotOffered(_)), "{refused}");
    let mut changes = author.take_changes();
    assert_eq!(changes.len(), 3);
    changes.pop();
    // Version 1 contains the first value, version 2 the two others, and version 3 changes nothing.
    assert_eq!(author.stage(changes).unwrap(), Version::new(2));
    assert_eq!(author.commit().unwrap(), Version::new(3));
    assert_eq!(author.server().entries(), 3);
    author.put("apple", "4").unwrap();
    assert_eq!(author.commit().unwrap(), Version::new(4));
    drop(author);

    become_(Behaviour::Refuses);
    let mut author = Author::<Log<AadCounted>>::open(&store, &keys).unwrap();
    author.put("apple", "5").unwrap();
    author.commit().unwrap_err();
    become_(Behaviour::Signs);
    assert_eq!(author.commit().unwrap(), Version::new(5));
    assert_eq!(author.commit().unwrap(), Version::new(6));
    assert_eq!(author.server().entries(), 5);
}
