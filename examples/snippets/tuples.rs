use ed25519_dalek::SigningKey;
use pad_core::{Author, Client, Key, Server};
use pad_tuple::{Tuple, designs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut author = Author::<Prices>::new("prices", SigningKey::from_bytes(&[7; 32]))?;
    author.put("apple", "1.20")?;
    let mut server = Server::<Prices>::new(author.public());
    let version = server.apply(&author.snapshot()?)?;
    let mut client = Client::<Prices>::new(author.public().clone()); // only the author's public key
    client.advance(&server.head(version)?, None)?;
    let key = Key::from(b"apple");
    let lookup = client.check(&server.answer(version, &key)?, &key)?;
    assert_eq!(lookup.get().answer.value(), Some(&b"1.20".into()));
    Ok(())
}
