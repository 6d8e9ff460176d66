//! Adapter of our bilinear accumulator over BLS12-381. The author has the secret key. Witnesses are
//! computed by the author, or by a server without the secret key.

use std::collections::HashMap;

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Accumulator, AuthorSet, Authority, ElementSet, SecretKey, Snapshot, Universal, Witnessed,
    bilinear::{Bilinear, BilinearPublicKey, BilinearSecretKey},
    wire,
};
use pad_core::{Proof, Untrusted, Verified, Version, Workers};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, Value, limits, of_version, require_latest},
    signing::Signing,
};

/// Value of a bilinear accumulator, which represents the whole set.
type AccumulatorValue = <Bilinear as pad_accumulators::Scheme>::Value;

/// Dictionary whose entries are in our bilinear accumulator. If `SECRET`, the author computes
/// witnesses with the secret key, otherwise a server computes them without it.
pub struct Accumulated<const SECRET: bool> {
    secret: BilinearSecretKey,
    public: BilinearPublicKey,
    signer: SigningKey,
    set: AuthorSet<Bilinear>,
    entries: HashMap<Key, Value>,
    snapshots: Vec<Verified<Snapshot<Bilinear>>>,
    alone: Workers,
}

/// Witness that an entry is present or absent, of an accumulator with these types of witnesses.
#[derive(Clone)]
pub enum AnyWitness<M, A> {
    /// Witness that the entry is in the accumulator.
    Member(M),
    /// Witness that the entry is not in the accumulator.
    Absent(A),
}

type Witness =
    AnyWitness<<Bilinear as Witnessed>::Witness, <Bilinear as Witnessed>::NonMembershipWitness>;

/// Encodes a key and its value as an element of the accumulated set.
fn element(key: &Key, value: &Value) -> Vec<u8> {
    [*key, *value].concat()
}

/// Value that no key has. An absent key is proved by the absence of its entry with this value.
pub(super) const NONE: Value = [0; 32];

/// Stores new values. Returns the elements that an accumulator must add, and those that it must
/// remove.
pub(super) fn replace<E>(
    entries: &mut HashMap<Key, Value>,
    changes: &[Entry],
    element: fn(&Key, &Value) -> E,
) -> (Vec<E>, Vec<E>) {
    let mut removed = Vec::new();
    let mut add = |(key, value): &Entry| {
        if let Some(old) = entries.insert(*key, *value) {
            removed.push(element(key, &old));
        }
        element(key, value)
    };
    let added = changes.iter().map(&mut add).collect();
    (added, removed)
}

impl<const SECRET: bool> Accumulated<SECRET> {
    /// Applies the changes to the set, and returns the accumulator's value after them.
    fn change(&mut self, changes: &[Entry]) -> Outcome<AccumulatorValue> {
        let (added, removed) = replace(&mut self.entries, changes, element);
        let (secret, alone) = (&self.secret, &self.alone);
        if self.snapshots.is_empty() {
            let set = ElementSet::from_elements(&self.public, &added, alone)?;
            self.set = AuthorSet::new(secret, set, alone)?;
        } else {
            self.set.change(secret, &removed, &added, alone)?;
        }
        Ok(*self.set.value())
    }
}

impl<const SECRET: bool> Peer for Accumulated<SECRET> {
    type Proof = Witness;

    fn about() -> About {
        About {
            name: if SECRET {
                "bilinear accumulator"
            } else {
                "bilinear accumulator, untrusted server"
            },
            package: "accumulators",
            hash: "none: BLS12-381, elements by SHA-256",
            can_not: if SECRET {
                &AUTHOR_CAN_NOT
            } else {
                &SERVER_CAN_NOT
            },
            snapshot_includes: "new value with the secret key; the set of entries; public data for \
                                updating witnesses",
            differs: if SECRET {
                "witnesses by the author, with the secret key; absence is that of an entry"
            } else {
                "witnesses without the secret key; absence is that of an entry"
            },
            most_keys: if SECRET { 100_000 } else { 10_000 },
            ..About::OURS
        }
    }

    fn new(keys: u64) -> Outcome<Self> {
        let (alone, capacity) = (Workers::sequential(), usize::try_from(keys)? + 1);
        let secret = BilinearSecretKey::generate(capacity, 1, b"peers", &alone)?;
        let public = secret.public_key().clone();
        Ok(Self {
            set: AuthorSet::empty(&secret),
            signer: Signing::key(),
            entries: HashMap::new(),
            snapshots: Vec::new(),
            secret,
            public,
            alone,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, value) = stopwatch(|| self.change(changes));
        let version = Version::new(u64::try_from(self.snapshots.len())? + 1);
        let (key, value) = (self.public.clone(), value?);
        let snapshot = Snapshot::<Bilinear> {
            key: key.clone(),
            version,
            value,
        };
        let (signature_us, signed) = stopwatch(|| snapshot.sign(&self.signer));
        let authority = Authority {
            author: Signing::author_key()?,
            key,
        };
        let verified = Untrusted::new(signed?).verify(&authority, &version)?;
        self.snapshots.push(verified);
        Ok(Published {
            us,
            signature_us: Some(signature_us),
            ..Published::default()
        })
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Witness> {
        require_latest(&self.snapshots, version)?;
        let alone = &self.alone;
        let value = self.entries.get(key);
        let element = element(key, value.unwrap_or(&NONE));
        let (author, set) = (&self.set, self.set.set());
        Ok(match (value, SECRET) {
            (Some(_), true) => Witness::Member(author.witness(&self.secret, &element)?),
            (Some(_), false) => {
                Witness::Member(Bilinear::witness(&self.public, set, &element, alone)?)
            }
            (None, true) => Witness::Absent(Bilinear::non_membership_witness(
                &self.secret,
                set,
                &element,
                alone,
            )?),
            (None, false) => Witness::Absent(Bilinear::non_membership_witness(
                &self.public,
                set,
                &element,
                alone,
            )?),
        })
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Witness) -> Outcome<()> {
        let snapshot = of_version(&self.snapshots, version)?;
        match (value, proof) {
            (Some(value), Witness::Member(witness)) => {
                witness.check(snapshot, &element(key, value))?;
            }
            (None, Witness::Absent(witness)) => {
                witness.check(snapshot, &element(key, &NONE))?;
            }
            _ => return Err("a witness of the other kind".into()),
        }
        Ok(())
    }

    fn encode(proof: &Witness) -> Outcome<Vec<u8>> {
        // The query determines the kind of witness, so the kind is not encoded.
        Ok(match proof {
            Witness::Member(witness) => wire::encode_body(witness),
            Witness::Absent(witness) => wire::encode_body(witness),
        })
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Witness> {
        let member = wire::decode_body(&self.public, bytes).map(Witness::Member);
        Ok(member.or_else(|_| wire::decode_body(&self.public, bytes).map(Witness::Absent))?)
    }
}

const SERVER_CAN_NOT: [&str; 3] = [
    limits::OLD_VERSIONS,
    limits::RANGES,
    "say which value a key has: it is a set of entries",
];

const AUTHOR_CAN_NOT: [&str; 4] = [
    limits::OLD_VERSIONS,
    limits::RANGES,
    "say which value a key has: it is a set of entries",
    "leave witnesses to an untrusted server, in this row",
];
