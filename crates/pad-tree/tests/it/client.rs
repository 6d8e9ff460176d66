//! Refusals of the generic client, and its stored state.

use ed25519_dalek::SigningKey;
use pad_core::{
    Author, Client, DecodeError, ForkEvidence, Key, Keys, Predecessor, Question, Refusal, Server,
    Sha256Ed25519, TrustedView, VerifyError, Version, codec,
};
use pad_tree::{RedBlack, Treap, Tree};

type Prices = Tree<RedBlack>;

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

/// Creates an author and its server, after `versions` versions in which an apple costs `price`.
fn published(price: &str, versions: u64) -> (Author<Prices>, Server<Prices>) {
    let signer = SigningKey::from_bytes(&[7; 32]);
    let mut author = Author::<Prices>::new("fruit prices", signer).unwrap();
    let mut server = Server::<Prices>::new(author.public());
    for _ in 0..versions {
        author.put("apple", price).unwrap();
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    (author, server)
}

fn client_of(server: &Server<Prices>, author: &Author<Prices>) -> Client<Prices> {
    let mut client = Client::new(author.public().clone());
    let latest = server.latest();
    let seen = client.advance(&server.head(latest).unwrap(), None);
    assert_eq!(seen, Ok(latest));
    client
}

#[test]
fn another_head_of_the_newest_version_is_evidence_of_a_fork() {
    let (author, server) = published("1.20", 2);
    let (_, restored) = published("9.90", 2);
    let mut client = client_of(&server, &author);
    let (newest, apple) = (server.latest(), key("apple"));

    let (answer, head) = (restored.answer(newest, &apple), restored.head(newest));
    let answered = client.check(&answer.unwrap(), &apple).unwrap_err();
    let advanced = client.advance(&head.unwrap(), None).unwrap_err();
    for refusal in [answered, advanced] {
        let Refusal::Fork { version, evidence } = refusal else {
            panic!("{refusal}");
        };
        assert_eq!(version, newest);
        let bytes = evidence.encode();
        let evidence = ForkEvidence::<Sha256Ed25519>::decode(&bytes, bytes.len()).unwrap();
        let verified = evidence.verify(author.public().authority(), &());
        assert_eq!(verified.unwrap().get().version, newest);
    }
    let answer = server.answer(newest, &apple).unwrap();
    assert!(client.check(&answer, &apple).is_ok());
}

#[test]
fn a_newer_head_that_does_not_continue_the_history_is_evidence_of_a_fork() {
    let (author, server) = published("1.20", 4);
    let (_, restored) = published("9.90", 5);
    let mut client = client_of(&server, &author);
    let newest = restored.latest();
    let head = restored.head(newest).unwrap();
    let consistency = restored.consistency(client.version(), newest).unwrap();
    let refused = client.advance(&head, Some(&consistency)).unwrap_err();
    assert!(matches!(refused, Refusal::Fork { .. }), "{refused}");
    let refused = client.advance(&head, None).unwrap_err();
    assert_eq!(refused, Refusal::Head(VerifyError::MalformedHistoryProof));
    assert_eq!(client.version(), Version::new(4));
}

#[test]
fn a_stored_view_goes_on_and_remembers() {
    let (author, server) = published("1.20", 3);
    let stored = codec::encode(client_of(&server, &author).view());
    let view: TrustedView<_> = codec::decode(&stored, stored.len()).unwrap();
    let mut client = Client::<Prices>::resume(author.public().clone(), view).unwrap();
    let (seen, offered) = (Version::new(3), Version::new(1));
    let refused = client.advance(&server.head(offered).unwrap(), None);
    let rollback = VerifyError::Rollback { seen, offered };
    assert_eq!(refused, Err(Refusal::Head(rollback)));
    let apple = key("apple");
    let answer = server.answer(seen, &apple).unwrap();
    assert!(client.check(&answer, &apple).is_ok());

    let signer = SigningKey::from_bytes(&[7; 32]);
    let other = Author::<Tree<Treap>>::new("fruit prices", signer).unwrap();
    let refused = Client::resume(other.public().clone(), view);
    assert_eq!(refused.map(drop), Err(VerifyError::WrongDictionary));
}

#[test]
fn one_who_has_seen_no_head_believes_only_about_a_version_that_is_named() {
    let (author, server) = published("1.20", 1);
    let client = Client::<Prices>::new(author.public().clone());
    let apple = key("apple");
    for version in [Version::EMPTY, Version::new(1)] {
        let answer = server.answer(version, &apple).unwrap();
        let refused = client.check(&answer, &apple);
        assert_eq!(refused, Err(Refusal::NoHeadSeen));
        let lookup = client.check_at(version, &answer, &apple).unwrap();
        let present = lookup.get().answer.value().is_some();
        assert_eq!(present, version != Version::EMPTY);
    }
    let answer = server.answer(Version::EMPTY, &apple).unwrap();
    let refused = client.check_at(Version::new(1), &answer, &apple);
    let (expected, actual) = (Version::new(1), Version::EMPTY);
    let error = VerifyError::WrongVersion { expected, actual };
    assert_eq!(refused, Err(Refusal::Head(error)));
}

#[test]
fn an_answer_is_no_longer_than_the_question_implies() {
    let (author, server) = published("1.20", 1);
    let client = client_of(&server, &author);
    let apple = key("apple");
    let limit = apple.longest_answer();
    assert_eq!(limit, (16 << 20) + (1 << 20));
    let refused = client.check(&vec![0; limit + 1], &apple);
    let too_large = Refusal::Decode(DecodeError::TooLarge { limit });
    assert_eq!(refused, Err(too_large));
    let two = Keys::new(vec![apple, key("pear")]).unwrap();
    assert_eq!(two.longest_answer(), 2 * limit);
}

#[test]
fn a_neighbour_names_what_it_is_a_neighbour_of() {
    let (author, server) = published("1.20", 1);
    let client = client_of(&server, &author);
    let below = Predecessor(key("banana"));
    let answer = server.answer(Version::new(1), &below).unwrap();
    let neighbour = client.check(&answer, &below).unwrap().into_inner();
    assert_eq!(neighbour.question, below);
    assert_eq!(neighbour.entry.map(|(key, _)| key), Some(key("apple")));
}

#[test]
fn an_author_goes_on_from_its_server() {
    let (author, mut server) = published("1.20", 2);
    let signer = SigningKey::from_bytes(&[7; 32]);
    let mut resumed = Author::<Prices>::resume(server.repository(), signer, ()).unwrap();
    assert_eq!(resumed.version(), author.version());
    assert_eq!(resumed.get("apple"), Some(&b"1.20"[..]));
    assert_eq!(resumed.remove("apple"), Ok(true));
    let update = resumed.snapshot().unwrap();
    assert_eq!(server.apply(&update), Ok(Version::new(3)));
    assert!(resumed.is_empty());

    let stranger = SigningKey::from_bytes(&[8; 32]);
    assert!(Author::<Prices>::resume(server.repository(), stranger, ()).is_err());
}
