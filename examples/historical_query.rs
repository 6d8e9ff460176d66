//! Old versions stay provable, and a client that has seen a version cannot be shown an older one as
//! news.
//!
//! Run with `cargo run -p examples --example historical_query`.

use std::error::Error;

use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, Dictionary, DictionaryId, Key, Repository, Sha256Ed25519, TrustedView, Untrusted,
    Value, VerifyError, Version,
};
use pad_tree::{KeyRange, RedBlackAuthor, RedBlackCacheEverywhere};

type Server = RedBlackCacheEverywhere<Sha256Ed25519>;

fn main() -> Result<(), Box<dyn Error>> {
    // An author publishes one version a day; the server keeps them all.
    let signer = SigningKey::from_bytes(&[42; 32]);
    let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
    let id = DictionaryId::from_name("exchange rates");
    let mut author = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);
    let mut server = Server::new(author.authority());
    for day in 1..=30 {
        author.put(
            Key::try_from("EUR/USD")?,
            Value::try_from(format!("1.{day:02}").as_str())?,
        );
        if day == 12 {
            author.put(Key::try_from("EUR/HRK")?, Value::try_from("7.53")?);
        }
        if day == 20 {
            author.remove(&Key::try_from("EUR/HRK")?);
        }
        server.apply(&author.snapshot()?)?;
    }

    // A client that follows the dictionary accepts a newer head only with proof that it continues
    // what was seen before.
    let mut view = TrustedView::<Sha256Ed25519>::new(author.authority());
    view.advance(Untrusted::new(server.head(Version::new(15))?), None)?;
    let consistency = server.prove_consistency(Version::new(15), Version::new(30))?;
    let newest = Untrusted::new(server.head(Version::new(30))?);
    view.advance(newest, Some(Untrusted::new(consistency)))?;
    println!("client: the newest version seen is {}", view.version());

    // What was the rate on day 12? The head of that day is signed, so it can be asked for directly.
    let day = Version::new(12);
    let head = view.snapshot(day, Untrusted::new(server.head(day)?))?;
    let key = Key::try_from("EUR/USD")?;
    let lookup = Untrusted::new(server.prove(day, &key)?)
        .verify(&head, &key)?
        .into_inner();
    println!(
        "client: on day 12, {key} was {}",
        shown(lookup.answer.value())
    );

    // The same through the newest head alone: its history log vouches for every older root.
    let inclusion = server.prove_inclusion(day, view.version())?;
    let past = view.past_root(day, Untrusted::new(inclusion))?;
    let lookup = Untrusted::new(server.prove(day, &key)?)
        .verify(&past, &key)?
        .into_inner();
    println!(
        "client: the newest head says the same: {}",
        shown(lookup.answer.value())
    );

    // All of version 12, complete.
    let all = KeyRange::ALL;
    let range = Untrusted::new(server.prove_query(day, &all)?)
        .verify(&head, &all)?
        .into_inner();
    println!(
        "client: version 12 has exactly {} entries",
        range.entries.len()
    );

    // When did EUR/HRK change? The server says so, and each step is provable as above.
    let changes = server.history(&Key::try_from("EUR/HRK")?).changes;
    println!("server: EUR/HRK changed in the versions {changes:?}");

    // A server that offers yesterday's head as today's news is caught.
    let stale = Untrusted::new(server.head(Version::new(29))?);
    let refusal = view
        .advance(stale, None)
        .err()
        .ok_or("a rollback was accepted")?;
    assert!(matches!(refusal.error, VerifyError::Rollback { .. }));
    println!("client: refused: {refusal}");
    Ok(())
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), ToString::to_string)
}

#[test]
fn runs() {
    main().unwrap();
}
