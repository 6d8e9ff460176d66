//! Demonstrates an accumulator: 48 bytes represent a set of keys of the last version.

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Accumulator as _, Authority, Dynamic as _, ElementSet, SecretKey as _, SignedSnapshot,
    Snapshot, Universal as _, Witnessed,
    bilinear::{Bilinear, BilinearKeyParameters, BilinearSecretKey},
    wire,
};
use pad_core::{AuthorKey, Key, Untrusted, Verified, Version, Workers};

use crate::{
    prices::{Prices, keys},
    report::{Act, Outcome, lies},
};

/// The number of keys taken from the last version. `LIMIT` is an upper bound on the length of each
/// message, in bytes.
const MOST: usize = 500;
const LIMIT: usize = 4096;

/// Accumulates the keys, proves that one is present and one absent, and tries false proofs.
pub(crate) fn show() -> Outcome<Act> {
    let workers = Workers::all_cores();
    let [member, other, _, never] = &keys();
    let prices = Prices::load()?;
    let names = prices.last().keys().take(MOST).chain([member, other]);
    let mut names: Vec<&Key> = names.collect();
    names.sort_unstable();
    names.dedup();

    // The author accumulates the keys and signs the value. Then it replaces one key by another.
    let parameters = BilinearKeyParameters {
        capacity: MOST + 2,
        subset_limit: 1,
    };
    let secret = BilinearSecretKey::create(&parameters, b"demonstration", &workers)?;
    let signer = SigningKey::from_bytes(&[42; 32]);
    let author = AuthorKey::of(&signer)?;
    let key = secret.public_key().clone();
    let sign = |version, value| {
        let (key, version) = (key.clone(), Version::new(version));
        let snapshot = Snapshot::<Bilinear> {
            key,
            version,
            value,
        };
        Outcome::Ok(wire::encode(&snapshot.sign(&signer)?))
    };
    let mut set = ElementSet::<Bilinear>::from_elements(&key, &names, &workers)?;
    let value = Bilinear::accumulate(&secret, &set, &workers)?;
    let signed = sign(1, value)?;
    let witness = |key: &Key| Bilinear::witness(&secret, &set, key.as_bytes(), &workers);
    let of_member = wire::encode(&witness(member)?);
    let of_other = wire::encode(&witness(other)?);
    let absence = Bilinear::non_membership_witness(&secret, &set, never.as_bytes(), &workers)?;
    let absence = wire::encode(&absence);
    let change = Bilinear::change(&secret, &mut set, &value, &[member], &[never], &workers)?;
    let second = sign(2, change.after)?;

    // A client has the author's key and the accumulator's public key.
    let authority = Authority {
        author,
        key: key.clone(),
    };
    let learn = |version, signed: &[u8]| -> Outcome<Verified<Snapshot<Bilinear>>> {
        let received: Untrusted<SignedSnapshot<Bilinear>> = wire::decode(&key, signed, LIMIT)?;
        Ok(received.verify(&authority, &Version::new(version))?)
    };
    let admit = |value: &_, witness: &[u8]| -> Outcome {
        let received = wire::decode::<<Bilinear as Witnessed>::Witness>(&key, witness, LIMIT)?;
        Ok(received.verify(value, member.as_bytes()).map(drop)?)
    };
    let first = learn(1, &signed)?;
    admit(&first, &of_member)?;
    let received: Untrusted<<Bilinear as Witnessed>::NonMembershipWitness> =
        wire::decode(&key, &absence, LIMIT)?;
    received.verify(&first, never.as_bytes())?;

    let mut forged = signed.clone();
    *forged.last_mut().ok_or("nothing is signed")? ^= 1;
    let (of_other, forged) = (admit(&first, &of_other), learn(1, &forged));
    let of_before = admit(&learn(2, &second)?, &of_member);
    let lies = lies! {
        "witness of another": "proved a key with the witness of another key", of_other;
        "witness of before": "proved a removed key with its old witness", of_before;
        "forged value": "changed a bit of the signed value", forged;
    };
    let (elements, value, n) = (names.len(), signed.len(), lies.len());
    let (witness, absence) = (of_member.len(), absence.len());
    let text = format!(
        "{elements} keys in one accumulator value, whose length does not depend on their number.\n\
         The signed value has {value} bytes, a proof that a key is in the set {witness}, a proof \
         that\n\
         a key is not in the set {absence}. {n} of {n} lies about a set refused."
    );
    Ok(Act("Accumulated set", text, Vec::new(), lies))
}
