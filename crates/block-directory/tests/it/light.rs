//! The light author: versions that it refuses to sign, and recovery from failures.

use core::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use block_directory::{
    AuthorError, BlockDirectory, Changes, EntryProof, FullAuthor, LightAuthor, LightError,
    LightState,
};
use ed25519_dalek::SigningKey;
use pad_conformance::pad::Unreliable;
use pad_core::{
    ApplyError, HeadSigner, InputError, Suite, Untrusted, Update, VerifyError, Version, codec,
    internals::Domain,
};

use crate::support::{S, directory, id, ids, object, signer};

pub(crate) type Failure = LightError<&'static str>;

/// Changes of registered entries to the objects of these numbers (`None` deletes an entry), and new
/// entries.
pub(crate) fn changes(changed: &[(u64, Option<u64>)], appended: Range<u64>) -> Changes<S> {
    let mut changes = Changes::new();
    for (number, shown) in changed {
        match shown {
            Some(shown) => changes.update(id(*number), object::<S>(*shown)),
            None => changes.delete(id(*number)),
        }
    }
    appended.for_each(|number| changes.append(object::<S>(number)));
    changes
}

/// A light author and a server of a directory with `objects` objects, some of them deleted.
pub(crate) fn light(objects: u64, deleted: &[u64]) -> (LightAuthor<S>, BlockDirectory<S>) {
    let (light, server, _) = light_and_update(objects, deleted);
    (light, server)
}

/// A light author and a server as in [`light`], with the latest update.
fn light_and_update(
    objects: u64,
    deleted: &[u64],
) -> (LightAuthor<S>, BlockDirectory<S>, Update<S>) {
    let mut light = LightAuthor::new("directory", signer()).unwrap();
    let mut server = BlockDirectory::new(*light.authority(), 2).unwrap();
    let update = publish(&mut light, &changes(&[], 0..objects), None).unwrap();
    server.apply(&update).unwrap();
    let deleted: Vec<_> = deleted.iter().map(|number| (*number, None)).collect();
    let changes = changes(&deleted, 0..0);
    let witness = witness(&server, &changes);
    let update = publish(&mut light, &changes, witness).unwrap();
    server.apply(&update).unwrap();
    (light, server, update)
}

/// An author that resumes from a stored state and has stored it again.
fn resumed(state: &LightState<S>, update: &Update<S>, signer: HeadSigner) -> LightAuthor<S> {
    let mut light = LightAuthor::resume(state.clone(), Some(update.clone()), signer).unwrap();
    let again = light.finish(|kept, sent| {
        assert_eq!((kept, sent), (state, update));
        Ok::<(), &'static str>(())
    });
    assert_eq!(again.unwrap(), *update);
    light
}

fn witness(server: &BlockDirectory<S>, changes: &Changes<S>) -> Option<Untrusted<EntryProof<S>>> {
    let question = changes.question().unwrap()?;
    Some(Untrusted::new(server.prove_latest(&question).unwrap()))
}

pub(crate) fn publish(
    light: &mut LightAuthor<S>,
    changes: &Changes<S>,
    witness: Option<Untrusted<EntryProof<S>>>,
) -> Result<Update<S>, Failure> {
    light.publish(changes, witness, |_, _| Ok(()))
}

/// Checks the error of an author that made no version.
pub(crate) fn assert_refused(refused: Result<Update<S>, Failure>, expected: &Failure) {
    let refused = refused.unwrap_err();
    assert_eq!(format!("{refused:?}"), format!("{expected:?}"));
}

/// Check 23: the witness must lead to the author's own root.
#[test]
fn a_witness_of_another_root_is_refused() {
    let (mut light, server) = light(21, &[5]);
    let before = light.state().clone();
    let (_, other) = directory(21, 2);
    let changes = changes(&[(3, Some(300))], 0..0);
    for (server, asked, expected) in [
        (&other, &[3][..], VerifyError::RootMismatch),
        (&server, &[4], VerifyError::RootMismatch),
        (&server, &[3, 4], VerifyError::CountMismatch),
    ] {
        let witness = Untrusted::new(server.prove_latest(&ids(asked)).unwrap());
        let refused = publish(&mut light, &changes, Some(witness));
        assert_refused(refused, &LightError::Refused(expected));
    }
    let refused = publish(&mut light, &changes, None);
    assert_refused(refused, &LightError::WitnessMismatch);
    assert_eq!(*light.state(), before);
    let good = witness(&server, &changes);
    assert!(publish(&mut light, &changes, good).is_ok());
}

/// Check 24: changed entries are live, also if new ones follow. An invalid append after valid
/// changes leaves the state unchanged.
#[test]
fn rules_are_checked_before_anything_changes() {
    let (mut light, server) = light(21, &[5]);
    let before = light.state().clone();
    let zero = <S as Suite>::Digest::default();
    let mut bad_append = changes(&[(3, Some(300))], 0..0);
    bad_append.append(zero);
    let mut bad_update = Changes::new();
    bad_update.update(id(3), zero);
    let reserved = ApplyError::Input(InputError::ReservedDigest);
    let deleted = ApplyError::DeletedForGood(5);
    for (changes, expected) in [
        (changes(&[(5, Some(1))], 0..0), deleted),
        (changes(&[(5, None)], 0..0), deleted),
        (changes(&[(21, Some(1))], 0..0), ApplyError::UnknownId(21)),
        (bad_append, reserved),
        (bad_update, reserved),
    ] {
        let refused = publish(&mut light, &changes, witness(&server, &changes));
        assert_refused(refused, &LightError::Changes(expected));
    }
    assert_eq!(*light.state(), before);
}

/// Changes every byte of a witness in turn. Each change is refused.
#[test]
fn damaged_witnesses_are_refused() {
    let (light, server, latest) = light_and_update(21, &[5]);
    let changes = changes(&[(7, None), (20, Some(2000))], 0..0);
    let message = codec::encode(witness(&server, &changes).unwrap().as_unverified());
    let honest = light.state().clone();
    for place in 0..message.len() {
        let mut damaged = message.clone();
        damaged[place] ^= 0x10;
        let Ok(damaged) = Untrusted::decode(&damaged, 10_000) else {
            continue;
        };
        let mut light = resumed(&honest, &latest, HeadSigner::new(signer()));
        let refused = publish(&mut light, &changes, Some(damaged)).unwrap_err();
        assert!(
            matches!(refused, LightError::Refused(_)),
            "byte {place}: {refused}"
        );
    }
}

/// State and update are stored before the update is returned. No second version is signed before
/// that.
#[test]
fn nothing_leaves_before_it_is_stored() {
    let (mut light, mut server) = light(21, &[5]);
    let deletion = changes(&[(7, None)], 0..0);
    let before = light.state().clone();
    let proof = witness(&server, &deletion);
    let refused = light.publish(&deletion, proof, |_, _| Err("disk full"));
    assert_refused(refused, &LightError::NotKept("disk full"));
    assert_eq!(*light.state(), before);
    let refused = publish(&mut light, &Changes::new(), None);
    assert_refused(refused, &LightError::Unfinished);
    let mut kept = Vec::new();
    let update = light.finish(|state, update| {
        kept = codec::encode(state);
        assert_eq!(update.base, Version::new(2));
        Ok::<(), &'static str>(())
    });
    let update = update.unwrap();
    server.apply(&update).unwrap();
    assert_refused(light.finish(|_, _| Ok(())), &LightError::NothingUnfinished);
    // The stored state is that of this version.
    let state: LightState<S> = codec::decode(&kept, 4096).unwrap();
    assert_eq!(*light.state(), state);
    // A resumed author stores and sends that version again before it signs another.
    let resume = |update| LightAuthor::resume(state.clone(), update, HeadSigner::new(signer()));
    assert!(matches!(resume(None), Err(AuthorError::OtherUpdate)));
    let mut early = resume(Some(update.clone())).unwrap();
    let refused = publish(&mut early, &Changes::new(), None);
    assert_refused(refused, &LightError::Unfinished);
    let mut resumed = resumed(&state, &update, HeadSigner::new(signer()));
    let update = publish(&mut resumed, &changes(&[], 21..22), None).unwrap();
    assert_eq!(server.apply(&update), Ok(Version::new(4)));
}

/// After a failure of the signer, both authors sign that version and no other with its number.
#[test]
fn a_failed_signature_is_made_up_for() {
    let (_, own) = light(21, &[5]);
    let (light, mut server, latest) = light_and_update(21, &[5]);
    let flaky = || {
        let fails = AtomicBool::new(true);
        HeadSigner::new(Unreliable::new(7, move || {
            fails.swap(false, Ordering::Relaxed)
        }))
    };
    let mut full = FullAuthor::resume(own, flaky());
    let mut light = resumed(light.state(), &latest, flaky());
    full.append(object::<S>(21)).unwrap();
    assert!(full.snapshot().is_err());
    full.append(object::<S>(22)).unwrap();
    assert!(publish(&mut light, &changes(&[], 21..22), None).is_err());
    let update = full.snapshot().unwrap();
    let finished = light.finish(|_, _| Ok::<(), &'static str>(()));
    assert_eq!(finished.unwrap(), update);
    server.apply(&update).unwrap();
    assert_eq!(server.registered(), 22);
    server.apply(&full.snapshot().unwrap()).unwrap();
    assert_eq!(server.registered(), 23);
}

/// An author resumes from no state with a changed byte. It could sign a version twice, or one that
/// no server accepts.
#[test]
fn damaged_states_are_refused() {
    let new = LightAuthor::<S>::new("directory", signer()).unwrap();
    for light in [new, light(21, &[5]).0] {
        let state = codec::encode(light.state());
        let read = codec::decode::<LightState<S>>(&state, 4096).unwrap();
        assert_eq!(read, *light.state());
        for place in 0..state.len() {
            let mut damaged = state.clone();
            damaged[place] ^= 1;
            let decoded = codec::decode::<LightState<S>>(&damaged, 4096);
            assert!(decoded.is_err(), "{place}");
        }
    }
}

/// A state with a recomputed digest is refused if it has another root, or a head that the author
/// has not signed.
#[test]
fn states_end_in_a_signed_root() {
    let (light, server) = light(21, &[5]);
    let state = codec::encode(light.state());
    let body = state.len() - 32;
    let at = |wanted: &[u8]| {
        let mut parts = state.windows(wanted.len());
        parts.position(|found| found == wanted).unwrap()
    };
    let places = [
        at(&server.heads().latest_head().unwrap().head.root.0),
        at(&light.peaks()[0].0),
        body - 33,
    ];
    for place in places {
        let mut forged = state.clone();
        forged[place] ^= 1;
        let digest = S::hash(Domain::Checkpoint, &[b"light author", &forged[8..body]]);
        forged[body..].copy_from_slice(&digest.0);
        let decoded = codec::decode::<LightState<S>>(&forged, 4096);
        assert!(decoded.is_err(), "{place}");
    }
}

/// A signer with another key signs nothing, and leaves the state unchanged.
#[test]
fn an_author_signs_with_its_own_key_only() {
    let (light, server, latest) = light_and_update(21, &[5]);
    let other = || HeadSigner::new(SigningKey::from_bytes(&[99; 32]));
    let mut stranger = resumed(light.state(), &latest, other());
    let refused = publish(&mut stranger, &changes(&[], 21..22), None);
    assert_refused(refused, &LightError::Author(AuthorError::OtherKey));
    assert_eq!(stranger.state(), light.state());
    let mut full = FullAuthor::resume(server, other());
    full.append(object::<S>(21)).unwrap();
    assert!(matches!(full.snapshot(), Err(AuthorError::OtherKey)));
}

/// If storing an update panics, the author must keep this update for `finish`, and must not sign
/// another version before.
#[test]
fn a_panic_while_storing_costs_no_second_version() {
    let (mut light, mut server) = light(21, &[5]);
    let changes = changes(&[], 21..22);
    let mut seen = None;
    let storing = std::panic::AssertUnwindSafe(|| {
        light.publish(&changes, None, |_, update| -> Result<(), &'static str> {
            seen = Some(update.clone());
            panic!("as the test wants")
        })
    });
    assert!(std::panic::catch_unwind(storing).is_err());
    let refused = publish(&mut light, &Changes::new(), None);
    assert_refused(refused, &LightError::Unfinished);
    let update = light.finish(|_, _| Ok::<(), &'static str>(())).unwrap();
    assert_eq!(Some(&update), seen.as_ref());
    server.apply(&update).unwrap();
}

/// More changes than a query may have ids must be refused as an error of the caller.
#[test]
fn too_many_changes_are_the_authors_own_fault() {
    let (mut light, _) = light(1200, &[]);
    let deleted: Vec<_> = (0..1001).map(|number| (number, None)).collect();
    let refused = publish(&mut light, &changes(&deleted, 0..0), None);
    let full = ApplyError::Input(InputError::CapacityExceeded);
    assert_refused(refused, &LightError::Changes(full));
}
