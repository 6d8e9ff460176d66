//! The light author: versions that it refuses to sign, and recovery from failures.

use core::sync::atomic::{AtomicBool, Ordering};

use block_directory::{
    AuthorError, BlockDirectory, Changes, EntryProof, FullAuthor, LightAuthor, LightError,
    LightState,
};
use pad_conformance::pad::Unreliable;
use pad_core::{
    ApplyError, HeadSigner, InputError, Suite, Untrusted, Update, VerifyError, Version, codec,
    internals::Domain,
};

use crate::support::{S, directory, id, ids, object, signer};

/// The full author, for comparison.
pub(crate) type Full = FullAuthor<S>;

pub(crate) type Failure = LightError<&'static str>;

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
    let mut changes = Changes::new();
    (0..objects).for_each(|number| changes.append(object::<S>(number)));
    server
        .apply(&publish(&mut light, &changes, None).unwrap())
        .unwrap();
    let mut changes = Changes::new();
    for number in deleted {
        changes.delete(id(*number));
    }
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

/// Checks that the author's state is unchanged.
fn assert_unchanged(light: &LightAuthor<S>, before: &LightState<S>) {
    assert_eq!(light.state(), before);
}

/// Check 23: the witness must lead to the author's own root.
#[test]
fn a_witness_of_another_root_is_refused() {
    let (mut light, server) = light(21, &[5]);
    let before = light.state().clone();
    let (_, other) = directory(21, 2);
    let mut changes = Changes::new();
    changes.update(id(3), object::<S>(300));
    let refused = publish(&mut light, &changes, witness(&other, &changes)).unwrap_err();
    assert!(
        matches!(refused, LightError::Refused(VerifyError::RootMismatch)),
        "{refused}"
    );
    let wrong: Vec<(&[u64], VerifyError)> = vec![
        (&[4], VerifyError::RootMismatch),
        (&[3, 4], VerifyError::CountMismatch),
    ];
    for (asked, expected) in wrong {
        let witness = Untrusted::new(server.prove_latest(&ids(asked)).unwrap());
        let refused = publish(&mut light, &changes, Some(witness)).unwrap_err();
        assert!(
            matches!(refused, LightError::Refused(error) if error == expected),
            "{refused}"
        );
    }
    let refused = publish(&mut light, &changes, None).unwrap_err();
    assert!(matches!(refused, LightError::WitnessMismatch));
    assert_unchanged(&light, &before);
    let good = witness(&server, &changes);
    assert!(publish(&mut light, &changes, good).is_ok());
}

/// Check 24: changed entries are live, also if new ones follow. An invalid append after valid
/// changes leaves the state unchanged.
#[test]
fn rules_are_checked_before_anything_changes() {
    let (mut light, server) = light(21, &[5]);
    let before = light.state().clone();
    let mut revived = Changes::new();
    revived.update(id(5), object::<S>(1));
    let mut deleted_again = Changes::new();
    deleted_again.delete(id(5));
    for changes in [revived, deleted_again] {
        let refused = publish(&mut light, &changes, witness(&server, &changes)).unwrap_err();
        assert!(
            matches!(refused, LightError::Changes(ApplyError::DeletedForGood(5))),
            "{refused}"
        );
    }
    let mut unknown = Changes::new();
    unknown.update(id(21), object::<S>(1));
    let refused = publish(&mut light, &unknown, witness(&server, &unknown)).unwrap_err();
    assert!(
        matches!(refused, LightError::Changes(ApplyError::UnknownId(21))),
        "{refused}"
    );
    let zero = <S as Suite>::Digest::default();
    let mut bad_append = Changes::new();
    bad_append.update(id(3), object::<S>(300));
    bad_append.append(zero);
    let mut bad_update = Changes::new();
    bad_update.update(id(3), zero);
    for changes in [bad_append, bad_update] {
        let refused = publish(&mut light, &changes, witness(&server, &changes)).unwrap_err();
        let reserved = ApplyError::Input(InputError::ReservedDigest);
        assert!(
            matches!(refused, LightError::Changes(error) if error == reserved),
            "{refused}"
        );
    }
    assert_unchanged(&light, &before);
}

/// Changes every byte of a witness in turn. Each change is refused.
#[test]
fn damaged_witnesses_are_refused() {
    let (light, server, latest) = light_and_update(21, &[5]);
    let mut changes = Changes::new();
    changes.delete(id(7));
    changes.update(id(20), object::<S>(2000));
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
    let mut changes = Changes::new();
    changes.delete(id(7));
    let before = light.state().clone();
    let proof = witness(&server, &changes);
    let refused = light
        .publish(&changes, proof, |_, _| Err("disk full"))
        .unwrap_err();
    assert!(matches!(refused, LightError::NotKept("disk full")));
    assert_unchanged(&light, &before);
    let refused = publish(&mut light, &Changes::new(), None).unwrap_err();
    assert!(matches!(refused, LightError::Unfinished), "{refused}");
    let mut kept = Vec::new();
    let update = light.finish(|state, update| {
        kept = codec::encode(state);
        assert_eq!(update.base, Version::new(2));
        Ok::<(), &'static str>(())
    });
    let update = update.unwrap();
    server.apply(&update).unwrap();
    let nothing = light.finish(|_, _| Ok::<(), &'static str>(())).unwrap_err();
    assert!(matches!(nothing, LightError::NothingUnfinished));
    // The stored state is that of this version.
    let state: LightState<S> = codec::decode(&kept, 4096).unwrap();
    assert_unchanged(&light, &state);
    // A resumed author stores and sends that version again before it signs another.
    let resume = |update| LightAuthor::resume(state.clone(), update, HeadSigner::new(signer()));
    assert!(matches!(resume(None), Err(AuthorError::OtherUpdate)));
    let mut early = resume(Some(update.clone())).unwrap();
    let refused = publish(&mut early, &Changes::new(), None).unwrap_err();
    assert!(matches!(refused, LightError::Unfinished), "{refused}");
    let mut resumed = resumed(&state, &update, HeadSigner::new(signer()));
    let mut changes = Changes::new();
    changes.append(object::<S>(21));
    let update = publish(&mut resumed, &changes, None).unwrap();
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
    let mut changes = Changes::new();
    changes.append(object::<S>(21));
    assert!(publish(&mut light, &changes, None).is_err());
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
            assert!(
                codec::decode::<LightState<S>>(&damaged, 4096).is_err(),
                "{place}"
            );
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
        state
            .windows(wanted.len())
            .position(|found| found == wanted)
            .unwrap()
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
        assert!(
            codec::decode::<LightState<S>>(&forged, 4096).is_err(),
            "{place}"
        );
    }
}

/// A signer with another key signs nothing, and leaves the state unchanged.
#[test]
fn an_author_signs_with_its_own_key_only() {
    let (light, server, latest) = light_and_update(21, &[5]);
    let other = || HeadSigner::new(ed25519_dalek::SigningKey::from_bytes(&[99; 32]));
    let mut changes = Changes::new();
    changes.append(object::<S>(21));
    let mut stranger = resumed(light.state(), &latest, other());
    let refused = publish(&mut stranger, &changes, None).unwrap_err();
    assert!(
        matches!(refused, LightError::Author(AuthorError::OtherKey)),
        "{refused}"
    );
    assert_unchanged(&stranger, light.state());
    let mut full = FullAuthor::resume(server, other());
    full.append(object::<S>(21)).unwrap();
    assert!(matches!(full.snapshot(), Err(AuthorError::OtherKey)));
}

/// If storing an update panics, the author must keep this update for `finish`, and must not sign
/// another version before.
#[test]
fn a_panic_while_storing_costs_no_second_version() {
    let (mut light, mut server) = light(21, &[5]);
    let mut changes = Changes::new();
    changes.append(object::<S>(21));
    let mut seen = None;
    let storing = std::panic::AssertUnwindSafe(|| {
        light.publish(&changes, None, |_, update| -> Result<(), &'static str> {
            seen = Some(update.clone());
            panic!("as the test wants")
        })
    });
    assert!(std::panic::catch_unwind(storing).is_err());
    let refused = publish(&mut light, &Changes::new(), None).unwrap_err();
    assert!(matches!(refused, LightError::Unfinished), "{refused}");
    let update = light.finish(|_, _| Ok::<(), &'static str>(())).unwrap();
    assert_eq!(Some(&update), seen.as_ref());
    server.apply(&update).unwrap();
}

/// More changes than a query may have ids must be refused as an error of the caller.
#[test]
fn too_many_changes_are_the_authors_own_fault() {
    let (mut light, _) = light(1200, &[]);
    let mut changes = Changes::new();
    (0..1001).for_each(|number| changes.delete(id(number)));
    let refused = publish(&mut light, &changes, None).unwrap_err();
    let full = ApplyError::Input(InputError::CapacityExceeded);
    assert!(
        matches!(&refused, LightError::Changes(error) if *error == full),
        "{refused}"
    );
}
