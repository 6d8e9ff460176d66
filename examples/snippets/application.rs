use authdict::{Answer, Author, Client, Key, SecretKey, Server, Version};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name| folder.path().join(name);
    let (store, copy, view) = (path("prices.pad"), path("copy.pad"), path("prices.view"));

    // The author creates a key. Give its public key to your users, in your program or on paper.
    let secret = SecretKey::create::<Prices>(path("prices.key"), "fruit prices")?;
    let public = secret.public();
    let mut author = Author::<Prices>::create(&store, &secret)?;
    author.put("apple", "1.20")?;
    let first = author.commit()?;
    author.put("apple", "1.30")?;
    let second = author.commit()?;

    // A server elsewhere accepts updates from any sender if the author signed them.
    let mut server = Server::<Prices>::create(&copy, public)?;
    for version in [first, second] {
        let update = author.server().update_message(version)?.ok_or("no such version")?;
        server.apply_message(&update)?;
    }

    // A client follows the author's history, and stores the newest version in a file. After a
    // restart, it refuses an older version as the newest.
    let mut client = Client::<Prices>::open(&view, public)?;
    client.advance(&server)?;
    drop(client);
    let mut client = Client::<Prices>::open(&view, public)?;
    assert_eq!(client.version(), Version::new(2));

    // Look up a key in the newest version and in an older one. A wrong answer is an error.
    let key = Key::try_from("apple")?;
    let lookup = client.ask(&server, key.clone())?;
    assert_eq!(lookup.answer, Answer::Present("1.30".try_into()?));
    let past = client.ask_at(&server, first, key.clone())?;
    assert_eq!(past.answer, Answer::Present("1.20".try_into()?));
    assert!(client.ask_at(&server, Version::new(3), key).is_err());
    Ok(())
}
