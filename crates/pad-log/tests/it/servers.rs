//! Servers that receive updates the author did not publish, and authors with a failing signer.

use pad_accumulators::wire;
use pad_conformance::{
    aad::{roles::public, verify},
    pad::Unreliable,
};
use pad_core::{ApplyError, HeadSigner, Operation, Repository as _, Version, Workers};
use pad_log::{LogAuthor, LogRepository, LookupProof, Schedule};

use crate::{
    support::{at, client_log, distinct, key, log, pair},
    updates::{LogUpdate, Scheme, server},
};

#[test]
fn a_server_refuses_what_the_author_did_not_publish_and_stays_as_it_was() {
    let (mut author, mut server) = server(20);
    let before = server.entries().digest(20);
    let published = server.head(Version::new(1)).unwrap().head.root;
    assert_eq!(published, before);
    let root = at(&client_log(author.log()), 1, published);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();

    let refuse = |server: &mut LogRepository<Scheme>, change: &dyn Fn(&mut LogUpdate)| {
        let mut changed = update.clone();
        change(&mut changed);
        let refused = server.apply(&changed).unwrap_err();
        assert_eq!((server.latest().number(), server.entries().size()), (1, 20));
        assert_eq!(server.entries().digest(20), before);
        refused
    };
    let refused = refuse(&mut server, &|update| {
        update.attachment.entries.push(pair("another", "value"));
    });
    assert_eq!(refused, ApplyError::RootMismatch);
    let refused = refuse(&mut server, &|update| {
        // Enough entries to make nodes, which are then discarded.
        update.attachment.entries = distinct(40);
    });
    assert_eq!(refused, ApplyError::RootMismatch);
    let refused = refuse(&mut server, &|update| {
        update.operations.push(Operation::Remove(key("key 1")));
    });
    assert_eq!(refused, ApplyError::OperationsNotAllowed);
    let refused = refuse(&mut server, &|update| update.head.head.root.0[0] ^= 1);
    assert!(matches!(refused, ApplyError::Head(_)));
    let refused = refuse(&mut server, &|update| update.base = Version::EMPTY);
    assert!(matches!(refused, ApplyError::VersionGap { .. }));

    assert_eq!(server.apply(&update), Ok(Version::new(2)));
    // Older versions are answered as before.
    let asked = key("key");
    let proof = wire::encode(&server.prove(Version::new(1), &asked).unwrap());
    let found = verify::<LookupProof<Scheme>>(&proof, &root, &asked).unwrap();
    assert_eq!(found.values, []);
}

#[test]
fn a_signer_that_fails_loses_nothing() {
    let log = log::<Scheme>(7, 5, Schedule::Eager);
    let signer = HeadSigner::new(Unreliable::new(7, || true));
    let mut author = LogAuthor::new(log, public(), signer, Workers::sequential()).unwrap();
    author.append(pair("key", "value")).unwrap();
    for _ in 0..2 {
        assert!(author.snapshot().is_err());
        assert_eq!(author.version(), Version::EMPTY);
        assert_eq!(author.values(b"key").count(), 1);
    }
}
