//! The light author's request to a server for a witness, and answers that it refuses.

use block_directory::{
    BlockDirectory, Changes, DirectoryClient, LightAuthor, LightError, LightState, RequestError,
    WitnessAnswerError, internals::EntryRequest,
};
use ed25519_dalek::SigningKey;
use pad_core::{HeadSigner, LookupError, SchemeId, VerifyError, Version, codec};

use crate::{
    light::{assert_refused, changes, light, publish},
    support::{S, directory, ids, signer},
};

/// A change of entry 3, which needs a witness.
fn change() -> Changes<S> {
    changes(&[(3, Some(300))], 0..0)
}

/// Asks the server for the witness of `changes`, and returns its answer.
fn answered(
    light: &LightAuthor<S>,
    server: &BlockDirectory<S>,
    changes: &Changes<S>,
) -> Result<Vec<u8>, RequestError> {
    server.answer(&light.request(changes).unwrap().unwrap())
}

/// A served directory gives the author what it needs for its next version.
#[test]
fn a_server_answers_with_the_witness() {
    let (mut light, mut server) = light(21, &[5]);
    for round in 0..3 {
        let changed = [(3, Some(300)), (10 + round, None)];
        let changes = changes(&changed, 400 + round..401 + round);
        let answer = answered(&light, &server, &changes).unwrap();
        let witness = light.witness(&changes, &answer).unwrap();
        let update = publish(&mut light, &changes, Some(witness)).unwrap();
        server.apply(&update).unwrap();
        assert_eq!(server.registered(), light.registered());
    }
    let appended = changes(&[], 500..501);
    assert_eq!(light.request(&appended).unwrap(), None);
    let refused = light.witness(&appended, b"");
    assert_eq!(refused, Err(WitnessAnswerError::NoWitness));
}

/// A server that is ahead proves that the author's state is an old copy.
#[test]
fn an_old_state_signs_nothing() {
    let (old, mut server) = light(21, &[5]);
    let state = old.state().clone();
    let (mut newer, _) = light(21, &[5]);
    let changes = change();
    let answer = answered(&newer, &server, &changes).unwrap();
    let witness = newer.witness(&changes, &answer).unwrap();
    let update = publish(&mut newer, &changes, Some(witness)).unwrap();
    // A server without the author's latest version has no answer.
    let behind = answered(&newer, &server, &changes).unwrap_err();
    assert!(
        matches!(
            behind,
            RequestError::Lookup(LookupError::UnknownVersion { .. })
        ),
        "{behind}"
    );
    server.apply(&update).unwrap();
    let answer = answered(&old, &server, &changes).unwrap();
    let (stored, signed) = (state.version(), update.head.head.version);
    assert_eq!(
        old.witness(&changes, &answer),
        Err(WitnessAnswerError::OldState { stored, signed })
    );
    assert_eq!(old.state(), &state);
}

#[test]
fn answers_of_another_form_are_refused() {
    let (mut light, server) = light(21, &[5]);
    let changes = change();
    let good = answered(&light, &server, &changes).unwrap();
    let no_witness = Err(WitnessAnswerError::NoWitness);
    // An answer to a client without a head contains the head that the author knows.
    let view = DirectoryClient::<S>::new(*light.authority(), 2);
    let (_, request) = view.ask(ids(&[3]));
    let with_known_head = server.answer(&request).unwrap();
    assert_eq!(light.witness(&changes, &with_known_head), no_witness);
    // The head of a later version, of another author.
    let stranger = SigningKey::from_bytes(&[8; 32]);
    let mut other = LightAuthor::<S>::new("directory", stranger).unwrap();
    let mut elsewhere = BlockDirectory::new(*other.authority(), 2).unwrap();
    let appended = self::changes(&[], 0..4);
    for _ in 0..3 {
        let update = publish(&mut other, &appended, None).unwrap();
        elsewhere.apply(&update).unwrap();
    }
    let of_stranger = elsewhere.answer(&request).unwrap();
    assert_eq!(light.witness(&changes, &of_stranger), no_witness);
    for length in [0, 7, good.len() - 1] {
        let cut = light.witness(&changes, &good[..length]);
        assert!(matches!(cut, Err(WitnessAnswerError::Decode(_))), "{cut:?}");
    }
    // A well-formed proof under another root is refused when it is used.
    let (_, wrong) = directory(21, 2);
    let request = EntryRequest::<S>::new(Version::new(1), ids(&[3]), None).unwrap();
    let answer = wrong.answer(&codec::encode(&request)).unwrap();
    let witness = light.witness(&changes, &answer).unwrap();
    let before = light.state().clone();
    let refused = publish(&mut light, &changes, Some(witness));
    assert_refused(refused, &LightError::Refused(VerifyError::RootMismatch));
    assert_eq!(light.state(), &before);
}

/// An author that begins from its public key and a signer makes the versions of one that begins
/// with the key itself.
#[test]
fn a_state_begins_with_the_public_key_alone() {
    let objects = 21;
    let begun = LightAuthor::<S>::new("directory", signer()).unwrap();
    let authority = *begun.authority();
    let state = LightState::<S>::new(authority).unwrap();
    assert_eq!((state.version(), state.head()), (Version::EMPTY, None));
    let message = codec::encode(&state);
    assert_eq!(
        codec::decode::<LightState<S>>(&message, message.len()),
        Ok(state.clone())
    );
    let mut author = LightAuthor::resume(state, None, HeadSigner::new(signer())).unwrap();
    let update = publish(&mut author, &changes(&[], 0..objects), None).unwrap();
    let (_, server) = directory(objects, 2);
    assert_eq!(server.heads().latest_head(), Some(update.head));
    let mut other = authority;
    other.scheme = SchemeId(1);
    assert!(matches!(
        LightState::<S>::new(other),
        Err(VerifyError::WrongScheme { .. })
    ));
}
