use ed25519_dalek::SigningKey;
use pad_core::{Answer, Author, Client, Key, Server, TrustedView, Untrusted, Version, codec};
use pad_tree::{RedBlack, Tree};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The author. Give its public key to your users, in your program or on paper.
    let mut author = Author::<Prices>::new("fruit prices", SigningKey::from_bytes(&[7; 32]))?;
    let public = author.public().clone();
    author.put("apple", "1.20")?;
    let first = author.snapshot()?;
    author.put("apple", "1.30")?;
    let second = author.snapshot()?;

    // The server, elsewhere, gets these bytes from anybody, and refuses what the author did not sign.
    let mut server = Server::<Prices>::new(&public);
    let first = server.apply(&first)?;
    let second = server.apply(&second)?;

    // A client hears of the newest version. Only a proof leads from one it has seen to a newer one.
    let mut client = Client::<Prices>::new(public.clone());
    client.advance(&server.head(first)?, None)?;
    client.advance(&server.head(second)?, Some(&server.consistency(first, second)?))?;

    // It remembers what it has seen, so that no server can show it less after a restart.
    let remembered = codec::encode(client.view());
    let view = Untrusted::<TrustedView<_>>::decode(&remembered, remembered.len())?;
    let client = Client::<Prices>::resume(public, view.into_unverified())?;

    // The newest version, and an older one. A wrong answer is an error that says why.
    let key = Key::try_from("apple")?;
    let lookup = client.check(&server.answer(second, &key)?, &key)?.into_inner();
    assert_eq!(lookup.answer, Answer::Present("1.30".try_into()?));
    let past = client.check_at(first, &server.answer(first, &key)?, &key)?;
    assert_eq!(past.get().answer, Answer::Present("1.20".try_into()?));
    assert!(client.check(&server.answer(first, &key)?, &key).is_err());
    assert_eq!(client.version(), Version::new(2));
    Ok(())
}
