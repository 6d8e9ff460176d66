//! A directory of numbered objects.

use block_directory::{BlockDirectory, DirectoryClient, Entry, EntryQuery, FullAuthor};
use ed25519_dalek::SigningKey;
use pad_core::{Sha256Ed25519, Suite};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    type S = Sha256Ed25519;

    // The author registers two objects.
    let mut author = FullAuthor::<S>::new("photographs", SigningKey::from_bytes(&[7; 32]))?;
    let mut server = BlockDirectory::<S>::new(*author.authority(), 7)?;
    let (cat, dog) = (S::value(b"cat.jpg"), S::value(b"dog.jpg"));
    let id = author.append(cat)?;
    author.append(dog)?;
    server.apply(&author.snapshot()?)?;

    // A client looks an object up, and stores the hint with the object.
    let mut client = DirectoryClient::<S>::new(*author.authority(), 7);
    let (pending, request) = client.ask(EntryQuery::one(id));
    let found = client.accept(&pending, &server.answer(&request)?)?;
    assert_eq!(found.entries.get().of(id), Some(Entry::Live(cat)));
    let hint = pad_core::codec::encode(&found.refreshed.ok_or("one entry")?);

    // With the hint, the answer to the next lookup is shorter, and is verified in the same way.
    let (pending, request) = client.ask_with_hint(id, &cat, &hint);
    let found = client.accept(&pending, &server.answer(&request)?)?;
    assert_eq!(found.entries.get().of(id), Some(Entry::Live(cat)));
    println!("found twice");
    Ok(())
}
