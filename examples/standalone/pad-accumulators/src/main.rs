//! A set, represented by an accumulator value of 48 bytes.

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Accumulator, Authority, ElementSet, SecretKey, SignedSnapshot, Snapshot, Witnessed,
    bilinear::{Bilinear, BilinearKeyParameters},
    wire,
};
use pad_core::{AuthorKey, Untrusted, Version, Workers};

type Guests = Bilinear;
type Secret = <Guests as Accumulator>::SecretKey;
type Witness = <Guests as Witnessed>::Witness;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The author creates a key for sets of up to ten elements, a set, its value and a signature.
    let workers = Workers::all_cores();
    let parameters = BilinearKeyParameters {
        capacity: 10,
        subset_limit: 1,
    };
    let secret = Secret::create(&parameters, b"guests", &workers)?;
    let (key, signer) = (secret.public_key(), SigningKey::from_bytes(&[42; 32]));
    let guests = ElementSet::<Guests>::from_elements(key, &["ada", "grace"], &workers)?;
    let value = Guests::accumulate(&secret, &guests, &workers)?;
    let (key, version) = (key.clone(), Version::new(1));
    let signed = wire::encode(
        &Snapshot::<Guests> {
            key: key.clone(),
            version,
            value,
        }
        .sign(&signer)?,
    );

    // A server creates a witness from the set and the public key.
    let witness = wire::encode(&Guests::witness(&key, &guests, b"ada", &workers)?);

    // A client verifies with only the two public keys.
    let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
    let received: Untrusted<SignedSnapshot<Guests>> = wire::decode(&key, &signed, 4096)?;
    let snapshot = received.verify(
        &Authority {
            author,
            key: key.clone(),
        },
        &version,
    )?;
    let received: Untrusted<Witness> = wire::decode(&key, &witness, 4096)?;
    assert_eq!(received.verify(&snapshot, b"ada")?.get().element, b"ada");
    println!("ada is a guest");
    Ok(())
}
