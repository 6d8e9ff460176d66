//! Queries old versions. A server can prove all of them, but cannot replay an old version as the
//! latest to a client that has seen a newer one.
//!
//! Run with `cargo run -p examples --example historical_query`.

use std::error::Error;

use ed25519_dalek::SigningKey;
use pad_core::{
    Author, Client, Key, KeyRange, Refusal, Server, Sha256Ed25519, Value, VerifyError, Version,
};
use pad_tree::{RedBlack, RedBlackCacheEverywhere, Tree};

type Rates = Tree<RedBlack>;

fn main() -> Result<(), Box<dyn Error>> {
    // An author publishes one version a day, and the server keeps all versions. The server uses a
    // repository type other than the default. Author and client do not depend on this choice.
    let signer = SigningKey::from_bytes(&[42; 32]);
    let mut author = Author::<Rates>::new("exchange rates", signer)?;
    let mut server = Server::<Rates, RedBlackCacheEverywhere<Sha256Ed25519>>::new(author.public());
    for day in 1..=30 {
        author.put("EUR/USD", format!("1.{day:02}").as_str())?;
        if day == 12 {
            author.put("EUR/HRK", "7.53")?;
        }
        if day == 20 {
            author.remove("EUR/HRK")?;
        }
        server.apply(&author.snapshot()?)?;
    }

    // A client accepts a newer head only with a proof that it continues the version seen before.
    let mut client = Client::<Rates>::new(author.public().clone());
    let (middle, newest) = (Version::new(15), Version::new(30));
    client.advance(&server.head(middle)?, None)?;
    let consistency = server.consistency(middle, newest)?;
    client.advance(&server.head(newest)?, Some(&consistency))?;
    println!("client: the newest version seen is {}", client.version());

    // The rate on day 12. The author signed the head of that day, so the client can query that
    // version directly.
    let day = Version::new(12);
    let key = Key::try_from("EUR/USD")?;
    let answer = server.answer(day, &key)?;
    let lookup = client.check_at(day, &answer, &key)?.into_inner();
    println!(
        "client: on day 12, {key} was {}",
        shown(lookup.answer.value())
    );

    // The same answer, verified under the newest head, whose history log commits to all older
    // roots.
    let inclusion = server.inclusion(day, client.version())?;
    let lookup = client.check_past(day, &inclusion, &answer, &key)?;
    println!(
        "client: the newest head says the same: {}",
        shown(lookup.get().answer.value())
    );

    // All entries of version 12, proved complete.
    let all = server.answer(day, &KeyRange::ALL)?;
    let range = client.check_at(day, &all, &KeyRange::ALL)?;
    println!(
        "client: version 12 has exactly {} entries",
        range.get().entries.len()
    );

    // The versions in which EUR/HRK changed. The list is not proved, but each change can be proved
    // as above.
    let changes = server
        .repository()
        .history(&Key::try_from("EUR/HRK")?)
        .changes;
    println!("server: EUR/HRK changed in the versions {changes:?}");

    // The client refuses yesterday's head as the latest.
    let stale = server.head(Version::new(29))?;
    let refusal = client
        .advance(&stale, None)
        .err()
        .ok_or("a rollback was accepted")?;
    assert!(matches!(
        refusal,
        Refusal::Head(VerifyError::Rollback { .. })
    ));
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
