use authdict::{Author, Client, Key, Server, SigningKey};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The author publishes. (A real key is read from its file: `authdict::SecretKey::load`.)
    let mut author = Author::<Prices>::new("fruit prices", SigningKey::from_bytes(&[7; 32]))?;
    author.put("apple", "1.20")?;
    let update = author.snapshot()?;

    // The server keeps every version; nobody trusts it.
    let mut server = Server::<Prices>::new(author.public());
    let version = server.apply(&update)?;

    // The client verifies; there is no way to a `Verified` answer without the check.
    let mut client = Client::<Prices>::new(author.public().clone());
    client.advance(&server.head(version)?, None)?;
    let key = Key::from(b"apple");
    let lookup = client.check(&server.answer(version, &key)?, &key)?;
    assert_eq!(lookup.get().answer.value(), Some(&b"1.20".into()));
    Ok(())
}
