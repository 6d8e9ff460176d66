//! A set in 48 bytes: the keys of the last version, whatever their number.

use core::fmt;

use accumulators::{
    Accumulator as _, Authority, Dynamic as _, ElementSet, SecretKey as _, SignedSnapshot,
    Snapshot, Universal as _, Witnessed,
    bilinear::{Bilinear, BilinearKeyParameters, BilinearPublicKey, BilinearSecretKey},
    wire,
};
use pad::{AuthorKey, Key, SigningKey, Untrusted, Verified, Version, Workers};
use serde_json::json;

use super::{
    prices::Prices,
    report::{Section, Table},
    scene::{Attack, broken},
};
use crate::cli::{Failure, Output};

/// How many keys are accumulated.
const MOST: usize = 500;
/// More than any message here has, in bytes.
const LIMIT: usize = 4096;

/// The author, and a client that knows it.
struct Scene {
    key: BilinearPublicKey,
    signer: SigningKey,
    authority: Authority<Bilinear>,
}

type Value = Verified<Snapshot<Bilinear>>;

/// Accumulates the keys, proves one to be there and one not to be, and lets the server lie.
pub(super) fn show(prices: &Prices, output: &mut Output) -> Result<Section, Failure> {
    let latest = prices.contents.last().ok_or_else(broken)?;
    let mut names: Vec<&Key> = latest.keys().take(MOST).collect();
    names.extend([prices.attacked(), prices.other()]);
    names.sort_unstable();
    names.dedup();
    output.text(&format!(
        "\n8. Set. {} keys of the last version in one value of an accumulator; the server proves who is in it, and who is not:",
        names.len()
    ))?;
    let (attacks, [value, witness, absence]) = lie(prices, &names)?;
    let lies = Table::of_lies("lie", &attacks)?;
    lies.print(output)?;
    let refused = attacks.len();
    let text = format!(
        "The signed value has {value} bytes, a witness {witness}, one of absence {absence}, each in its envelope; {refused} of {refused} \
         lies about a set refused."
    );
    output.say(
        &format!("   {text}"),
        &json!({ "set_elements": names.len(), "witness_bytes": witness, "refused_set_lies": refused }),
    )?;
    Ok(Section {
        title: "Accumulated set",
        text: format!(
            "{} keys of the last version in one value, which is as long for any number of them. The server proves which keys are in \
             it, and which are not. {text}",
            names.len()
        ),
        tables: vec![lies],
    })
}

/// Honest proofs, which verify, and false ones; the bytes of the signed value and of both kinds of witnesses.
fn lie(prices: &Prices, names: &[&Key]) -> Result<([Attack; 3], [usize; 3]), Failure> {
    let workers = Workers::all_cores();
    let (member, other) = (prices.attacked(), prices.other());
    // A key that never was.
    let (_, nobody) = prices.interesting_keys().last().ok_or_else(broken)?;
    let parameters = BilinearKeyParameters {
        capacity: MOST + 2,
        subset_limit: 1,
    };
    let secret = BilinearSecretKey::create(&parameters, b"demonstration", &workers);
    let secret = secret.map_err(failed)?;
    let scene = Scene::new(secret.public_key())?;
    let elements = ElementSet::<Bilinear>::from_elements(&scene.key, names, &workers);
    let mut set = elements.map_err(failed)?;
    let value = Bilinear::accumulate(&secret, &set, &workers).map_err(failed)?;
    let signed = scene.sign(1, value)?;
    let first = scene.learn(1, &signed).map_err(failed)?;

    let witness = |key: &Key| {
        let witness = Bilinear::witness(&secret, &set, key.as_bytes(), &workers);
        Ok::<_, Failure>(wire::encode(&witness.map_err(failed)?))
    };
    let (of_member, of_other) = (witness(member)?, witness(other)?);
    scene.admit(&first, member, &of_member).map_err(failed)?;
    let absence = Bilinear::non_membership_witness(&secret, &set, nobody.as_bytes(), &workers);
    let absence = wire::encode(&absence.map_err(failed)?);
    scene.miss(&first, nobody, &absence).map_err(failed)?;

    let change = Bilinear::change(&secret, &mut set, &value, &[member], &[nobody], &workers);
    let second = scene.sign(2, change.map_err(failed)?.after)?;
    let second = scene.learn(2, &second).map_err(failed)?;
    let mut forged = signed.clone();
    *forged.last_mut().ok_or_else(broken)? ^= 1;
    let attacks = [
        Attack {
            name: "witness of another",
            story: format!("proved {member} with the witness of {other}"),
            refused: scene.admit(&first, member, &of_other).err(),
        },
        Attack {
            name: "witness of before",
            story: format!("proved {member} for the version that it was taken out of"),
            refused: scene.admit(&second, member, &of_member).err(),
        },
        Attack {
            name: "forged value",
            story: "changed a bit of the signed value".into(),
            refused: scene.learn(1, &forged).err(),
        },
    ];
    Ok((attacks, [signed.len(), of_member.len(), absence.len()]))
}

impl Scene {
    fn new(key: &BilinearPublicKey) -> Result<Self, Failure> {
        let signer = SigningKey::from_bytes(&[42; 32]);
        let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes()).map_err(failed)?;
        let key = key.clone();
        Ok(Self {
            authority: Authority {
                author,
                key: key.clone(),
            },
            key,
            signer,
        })
    }

    /// The value of a version as the author publishes it.
    fn sign(
        &self,
        version: u64,
        value: <Bilinear as accumulators::Scheme>::Value,
    ) -> Result<Vec<u8>, Failure> {
        let snapshot = Snapshot::<Bilinear> {
            key: self.key.clone(),
            version: Version::new(version),
            value,
        };
        Ok(wire::encode(&snapshot.sign(&self.signer).map_err(failed)?))
    }

    /// The verified value of a version, or why there is none.
    fn learn(&self, version: u64, signed: &[u8]) -> Result<Value, String> {
        let received: Untrusted<SignedSnapshot<Bilinear>> =
            wire::decode(&self.key, signed, LIMIT).map_err(|error| error.to_string())?;
        let verified = received.verify(&self.authority, &Version::new(version));
        verified.map_err(|error| error.to_string())
    }

    /// Whether a key is in the set, as a witness shows it, or why it does not.
    fn admit(&self, value: &Value, key: &Key, witness: &[u8]) -> Result<(), String> {
        let received: Untrusted<<Bilinear as Witnessed>::Witness> =
            wire::decode(&self.key, witness, LIMIT).map_err(|error| error.to_string())?;
        let verified = received.verify(value, key.as_bytes());
        verified.map(drop).map_err(|error| error.to_string())
    }

    /// The same of a key that is not in the set.
    fn miss(&self, value: &Value, key: &Key, witness: &[u8]) -> Result<(), String> {
        let received: Untrusted<<Bilinear as Witnessed>::NonMembershipWitness> =
            wire::decode(&self.key, witness, LIMIT).map_err(|error| error.to_string())?;
        let verified = received.verify(value, key.as_bytes());
        verified.map(drop).map_err(|error| error.to_string())
    }
}

fn failed(error: impl fmt::Display) -> Failure {
    Failure::Store(error.to_string())
}
