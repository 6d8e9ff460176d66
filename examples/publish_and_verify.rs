//! An author publishes prices, an untrusted server answers, a client verifies.
//!
//! Run with `cargo run -p examples --example publish_and_verify`.

use std::error::Error;

use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, Dictionary, DictionaryId, Key, Repository, Sha256Ed25519, TrustedView, Untrusted,
    Value, Version, codec,
};
use pad_tree::{Answer, RedBlackAuthor, RedBlackPathCopying, TreeProof};

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The author has a signing key. (A real one comes from a key file; see `pad keygen`.)
    let signer = SigningKey::from_bytes(&[42; 32]);
    let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
    let id = DictionaryId::from_name("fruit prices");
    let mut author = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);

    // 2. It changes its dictionary and takes a snapshot. The update is what it sends to the server.
    author.put(Key::try_from("apple")?, Value::try_from("1.20")?);
    author.put(Key::try_from("pear")?, Value::try_from("2.10")?);
    let update = author.snapshot()?;
    println!("author: version {} signed", update.head.head.version);

    // 3. The server checks the update and keeps every version. It could lie from here on.
    let mut server = RedBlackPathCopying::<Sha256Ed25519>::new(author.authority());
    server.apply(&update)?;

    // 4. A client knows the authority (public key, dictionary, scheme) and nothing else. It asks,
    //    and gets bytes: a signed head, and a proof.
    let key = Key::try_from("apple")?;
    let head_bytes = codec::encode(&server.head(Version::new(1))?);
    let proof_bytes = codec::encode(&server.prove(Version::new(1), &key)?);
    println!(
        "server: {} bytes of head, {} of proof",
        head_bytes.len(),
        proof_bytes.len()
    );

    // 5. Bytes become an untrusted message, and a verified statement or an error.
    let mut view = TrustedView::<Sha256Ed25519>::new(author.authority());
    let head = view.advance(Untrusted::decode(&head_bytes, 4096)?, None)?;
    let proof = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&proof_bytes, 4096)?;
    let lookup = proof.verify(&head, &key)?.into_inner();
    assert_eq!(lookup.answer, Answer::Present(Value::try_from("1.20")?));
    println!(
        "client: in version {}, {} costs 1.20",
        lookup.version, lookup.key
    );

    // 6. Absence is proved just as well: nothing lies between the two neighbours that are shown.
    let missing = Key::try_from("banana")?;
    let proof = Untrusted::new(server.prove(Version::new(1), &missing)?);
    assert_eq!(proof.verify(&head, &missing)?.get().answer, Answer::Absent);
    println!("client: in version 1, there is no {missing}");

    // 7. A server that changes a single bit is caught.
    let mut forged = proof_bytes;
    let price = forged
        .windows(4)
        .position(|bytes| bytes == b"1.20")
        .ok_or("no price")?;
    forged[price] = b'9';
    let proof = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&forged, 4096)?;
    let refusal = proof
        .verify(&head, &key)
        .err()
        .ok_or("a forged price was believed")?;
    println!("client: a price of 9.20 was refused: {refusal}");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
