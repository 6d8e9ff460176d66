//! An author publishes prices, an untrusted server answers queries, and a client verifies the
//! answers.
//!
//! Run with `cargo run -p examples --example publish_and_verify`.

use std::error::Error;

use ed25519_dalek::SigningKey;
use pad_core::{Answer, Author, Client, Key, Server, Value};
use pad_tree::{RedBlack, Tree};

/// The family of dictionaries. Only this line depends on the family (see `any_family`).
type Prices = Tree<RedBlack>;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The author has a signing key. (A real one comes from a key file; see `pad keygen`.)
    let signer = SigningKey::from_bytes(&[42; 32]);
    let mut author = Author::<Prices>::new("fruit prices", signer)?;

    // 2. The author changes its dictionary and signs a snapshot. The result is the update for the
    //    server.
    author.put("apple", "1.20")?;
    author.put("pear", "2.10")?;
    let update = author.snapshot()?;
    println!("author: version {} signed", author.version());

    // 3. The server checks the update and keeps every version. The client does not trust its
    //    answers.
    let mut server = Server::<Prices>::new(author.public());
    let version = server.apply(&update)?;

    // 4. A client knows only the public key. It sends a query and receives bytes: a signed head,
    //    and an answer with its proof.
    let key = Key::try_from("apple")?;
    let head = server.head(version)?;
    let answer = server.answer(version, &key)?;
    println!(
        "server: {} bytes of head, {} of answer",
        head.len(),
        answer.len()
    );

    // 5. Verification turns the bytes into a verified statement, or returns a refusal.
    let mut client = Client::<Prices>::new(author.public().clone());
    client.advance(&head, None)?;
    let lookup = client.check(&answer, &key)?.into_inner();
    assert_eq!(lookup.answer, Answer::Present(Value::try_from("1.20")?));
    println!(
        "client: in version {}, {} costs 1.20",
        lookup.version, lookup.key
    );

    // 6. Absence is proved as well: the proof contains two neighbouring keys, with no key between
    //    them.
    let missing = Key::try_from("banana")?;
    let absence = client.check(&server.answer(version, &missing)?, &missing)?;
    assert_eq!(absence.get().answer, Answer::Absent);
    println!("client: in version {version}, there is no {missing}");

    // 7. The client refuses an answer in which the server changed a single bit.
    let mut forged = answer;
    let price = forged
        .windows(4)
        .position(|bytes| bytes == b"1.20")
        .ok_or("no price")?;
    forged[price] = b'9';
    let refusal = client
        .check(&forged, &key)
        .err()
        .ok_or("a forged price was believed")?;
    println!("client: a price of 9.20 was refused: {refusal}");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
