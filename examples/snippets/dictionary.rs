use authdict::{Author, Client, Key, SecretKey, Server};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let [key, store, view] = ["prices.key", "prices.pad", "view"].map(|it| folder.path().join(it));

    // The author signs each version once. A commit is durable when it returns.
    let secret = SecretKey::create::<Prices>(&key, "fruit prices")?;
    let mut author = Author::<Prices>::create(&store, &secret)?;
    author.put("apple", "1.20")?;
    author.commit()?;

    // A server is untrusted. Many processes can serve one store next to its author.
    let server = Server::<Prices>::open(&store, secret.public())?;

    // A client trusts the public key and its own view. An answer is verified, or an error.
    let mut client = Client::<Prices>::open(&view, secret.public())?;
    let answer = client.ask(&server, Key::from(b"apple"))?;
    assert_eq!(answer.value(), Some(&"1.20".try_into()?));
    Ok(())
}
