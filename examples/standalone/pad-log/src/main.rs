//! An append-only log of certificates, and a client that looks up all values of a key.

use ed25519_dalek::SigningKey;
use pad_accumulators::{SecretKey as _, bilinear::BilinearSecretKey, wire};
use pad_core::{
    AuthorKey, HeadSigner, Heads as _, Key, Repository as _, Value, Version, Workers, codec,
};
use pad_log::LONGEST_LOOKUP;
use pad_log::{
    AadCounted, Continuation, Entry, Log, LogAuthor, LogClient, LogRepository, LookupProof,
    Schedule, Setup, Shape,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Parameters for trees of up to 16 elements. The party that makes them can forge proofs, so
    // real parameters come from a ceremony.
    let workers = Workers::sequential();
    let secret = BilinearSecretKey::generate(16, 1, b"", &workers)?;
    let shape = Shape::new(4, Schedule::Eager).ok_or("4 to 32")?;
    let setup = Setup::new(secret.public_key().shared_parameters(), shape);

    // The log's author appends entries and signs two versions. A server stores the versions.
    let signer = SigningKey::from_bytes(&[7; 32]);
    let public = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
    let log = Log::<AadCounted>::new("certificates".into(), setup);
    let mut author = LogAuthor::new(
        log.clone(),
        public,
        HeadSigner::new(signer),
        workers.clone(),
    )?;
    let mut server = LogRepository::new(log.clone(), public, workers)?;
    for certificate in ["first", "second"] {
        let (key, value) = (Key::try_from("example.org")?, Value::try_from(certificate)?);
        author.append(Entry { key, value })?;
        server.apply(&author.snapshot()?)?;
    }

    // A client has the author's key and the encoded setup. It accepts a newer version only if no
    // entry was removed.
    let setup = Setup::from_bytes(&log.setup().to_bytes())?;
    let mut client = LogClient::new(Log::<AadCounted>::new("certificates".into(), setup), public);
    let (one, two) = (Version::new(1), Version::new(2));
    client.advance(&codec::encode(&server.head(one)?), None)?;
    let consistency = codec::encode(&server.heads().prove_consistency(one, two)?);
    let append_only = wire::encode(&server.prove_append_only(one, two)?);
    let continuation = Continuation {
        consistency: &consistency,
        append_only: &append_only,
    };
    client.advance(&codec::encode(&server.head(two)?), Some(continuation))?;

    // The client verifies that the answer contains exactly the values of the key.
    let key = Key::try_from("example.org")?;
    let proof = wire::encode(&server.prove(two, &key)?);
    let values =
        client.check::<LookupProof<AadCounted>>(&proof, LONGEST_LOOKUP, &client.newest()?, &key)?;
    assert_eq!(values.get().values.len(), 2);
    println!("these are all certificates");
    Ok(())
}
