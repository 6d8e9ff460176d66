//! Commits to an allow-list of badges in 48 bytes: issues, checks and revokes badges, and proves
//! absence.
//!
//! The **author** (the operator of the building) keeps the list and a secret key. An untrusted
//! **server** also keeps the list, and makes proofs. A **door** keeps the public key and one signed
//! value, regardless of the length of the list.
//!
//! Run with `cargo run --release -p examples --example allow_list`.

use std::error::Error;

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Accumulator, Authority, Dynamic, ElementSet, Scheme, SecretKey, SignedSnapshot, Snapshot,
    Universal, Witnessed,
    bilinear::{Bilinear, BilinearPublicKey, BilinearSecretKey, BilinearValue, BilinearWitness},
    wire,
};
use pad_core::{AuthorKey, Untrusted, Verified, VerifyError, Version, Workers};

/// Upper bound on the length of each message of this example, in bytes.
const LIMIT: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let workers = Workers::all_cores();

    // 1. The author creates an accumulator key for up to 1000 badges, and a signing key. The label
    //    separates this list from every other list.
    let secret = BilinearSecretKey::generate(1000, 1, b"badges of building 7", &workers)?;
    let key = secret.public_key();
    let signer = SigningKey::from_bytes(&[42; 32]);

    // 2. The author issues badges. With the secret key, the value of the whole list costs one
    //    scalar multiplication in the group.
    let badges: Vec<String> = (1..=500)
        .map(|number| format!("badge {number:03}"))
        .collect();
    let mut list = ElementSet::<Bilinear>::from_elements(key, &badges, &workers)?;
    let value = Bilinear::accumulate(&secret, &list, &workers)?;
    let signed = sign(key, 1, &value, &signer)?;
    println!(
        "author: {} badges in {} signed bytes",
        list.len(),
        signed.len()
    );

    // 3. Every holder gets a witness: the proof that the badge is on the list. The server can also
    //    make witnesses, from the list and the public key.
    let badge = b"badge 123";
    let witness = Bilinear::witness(key, &list, badge, &workers)?;
    let witness_bytes = wire::encode(&witness);
    println!("holder: a witness of {} bytes", witness_bytes.len());

    // 4. The door knows the author's key, and checks the signed value of version 1 once.
    let door = Door {
        authority: Authority {
            author: AuthorKey::from_bytes(signer.verifying_key().as_bytes())?,
            key: key.clone(),
        },
    };
    let monday = door.learn(1, &signed)?;

    // 5. Then the door checks badges. The result is a verified statement or the reason for a
    //    refusal.
    println!("door: {}", door.admit(&monday, badge, &witness_bytes)?);
    let refusal = door.admit(&monday, b"badge 999", &witness_bytes);
    println!(
        "door: badge 999 with the witness of 123: {}",
        reason(refusal)?
    );

    // 6. The author revokes badge 007 and issues badge 501. The change is public. Holders update
    //    their witnesses with it, without the secret key.
    let change = Bilinear::change(
        &secret,
        &mut list,
        &value,
        &["badge 007"],
        &["badge 501"],
        &workers,
    )?;
    let revoked = Bilinear::witness(key, &set_before(key, &badges)?, b"badge 007", &workers)?;
    let tuesday = door.learn(2, &sign(key, 2, &change.after, &signer)?)?;
    let element = Bilinear::element(key, &list.digests_of(&[badge])[0])?;
    let updated = Bilinear::update_witness(key, &element, &witness, &[change])?;
    println!(
        "door: {}",
        door.admit(&tuesday, badge, &wire::encode(&updated))?
    );

    // 7. A witness belongs to one version. Yesterday's witnesses are refused today, including the
    //    witness of the revoked badge.
    for (name, old) in [("badge 123", &witness), ("badge 007", &revoked)] {
        let refusal = door.admit(&tuesday, name.as_bytes(), &wire::encode(old));
        println!(
            "door: {name} with yesterday's witness: {}",
            reason(refusal)?
        );
    }

    // 8. The server can also prove that a badge is not on the list, to justify a refusal.
    let absence = Bilinear::non_membership_witness(key, &list, b"badge 007", &workers)?;
    let bytes = wire::encode(&absence);
    let received: Untrusted<<Bilinear as Witnessed>::NonMembershipWitness> =
        wire::decode(key, &bytes, LIMIT)?;
    let statement = received.verify(&tuesday, b"badge 007")?.into_inner();
    println!(
        "auditor: in version {}, {} is not on the list",
        statement.version,
        String::from_utf8_lossy(&statement.element)
    );
    Ok(())
}

/// Returns the list of badges before the change. Holders or servers may still make witnesses from
/// it.
fn set_before(
    key: &BilinearPublicKey,
    badges: &[String],
) -> Result<ElementSet<Bilinear>, Box<dyn Error>> {
    Ok(ElementSet::from_elements(
        key,
        badges,
        &Workers::sequential(),
    )?)
}

/// Signs and encodes a version's value.
fn sign(
    key: &BilinearPublicKey,
    version: u64,
    value: &BilinearValue,
    signer: &SigningKey,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let snapshot = Snapshot::<Bilinear> {
        key: key.clone(),
        version: Version::new(version),
        value: *value,
    };
    Ok(wire::encode(&snapshot.sign(signer)?))
}

/// A verifier of badges. It stores the author's key and the accumulator's public key.
struct Door {
    authority: Authority<Bilinear>,
}

impl Door {
    /// Verifies the signed value of a version, from untrusted bytes.
    fn learn(
        &self,
        version: u64,
        signed: &[u8],
    ) -> Result<Verified<Snapshot<Bilinear>>, Box<dyn Error>> {
        let received: Untrusted<SignedSnapshot<Bilinear>> =
            wire::decode(&self.authority.key, signed, LIMIT)?;
        Ok(received.verify(&self.authority, &Version::new(version))?)
    }

    /// Verifies the witness of a badge, given as untrusted bytes, and admits the badge.
    fn admit(
        &self,
        value: &Verified<Snapshot<Bilinear>>,
        badge: &[u8],
        witness: &[u8],
    ) -> Result<String, Box<dyn Error>> {
        let witness: Untrusted<BilinearWitness> =
            wire::decode(&self.authority.key, witness, LIMIT)?;
        let statement = witness.verify(value, badge)?.into_inner();
        let badge = String::from_utf8_lossy(&statement.element);
        Ok(format!(
            "{badge} is on the list of version {}",
            statement.version
        ))
    }
}

/// Returns the reason for a refusal, or an error if the badge was admitted.
fn reason(answer: Result<String, Box<dyn Error>>) -> Result<VerifyError, Box<dyn Error>> {
    match answer {
        Ok(opened) => Err(format!("the door opened: {opened}").into()),
        Err(error) => Ok(*error.downcast::<VerifyError>()?),
    }
}

#[test]
fn runs() {
    main().unwrap();
}
