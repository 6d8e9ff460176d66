//! Adapter of Dock's universal accumulator over BLS12-381, with the manager's secret key.

use std::collections::{HashMap, HashSet, hash_set};

use ark_bls12_381::{Bls12_381, Fr, G1Affine};
use ark_ff::PrimeField;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use ark_std::test_rng;
use sha2::{Digest, Sha256};
use vb_accumulator::{
    persistence::{InitialElementsStore, State, UniversalAccumulatorState},
    positive::Accumulator,
    setup::{Keypair, SetupParams},
    universal::UniversalAccumulator,
    witness::{MembershipWitness, NonMembershipWitness},
};

use comparison::timing::stopwatch;

use super::accumulator::{AnyWitness, NONE, replace};
use crate::{
    Outcome,
    peer::{
        About, Claim, Entry, Key, Peer, Published, Value, ensure, limits, of_version,
        require_latest,
    },
};

/// The accumulator, its keys, its elements, and its value in each version.
pub struct Bilinear {
    parameters: SetupParams<Bls12_381>,
    keys: Keypair<Bls12_381>,
    accumulator: UniversalAccumulator<G1Affine>,
    initial: Elements,
    elements: Elements,
    entries: HashMap<Key, Value>,
    values: Vec<G1Affine>,
}

#[derive(Default)]
struct Elements(HashSet<Fr>);

impl State<Fr> for Elements {
    fn add(&mut self, element: Fr) {
        self.0.insert(element);
    }

    fn remove(&mut self, element: &Fr) {
        self.0.remove(element);
    }

    fn has(&self, element: &Fr) -> bool {
        self.0.contains(element)
    }

    fn size(&self) -> u64 {
        self.0.len() as u64
    }
}

impl<'a> UniversalAccumulatorState<'a, Fr> for Elements {
    type ElementIterator = hash_set::Iter<'a, Fr>;

    fn elements(&'a self) -> Self::ElementIterator {
        self.0.iter()
    }
}

impl InitialElementsStore<Fr> for Elements {
    fn add(&mut self, element: Fr) {
        self.0.insert(element);
    }

    fn has(&self, element: &Fr) -> bool {
        self.0.contains(element)
    }
}

type Witness = AnyWitness<MembershipWitness<G1Affine>, NonMembershipWitness<G1Affine>>;

/// Hashes a key and its value to an element of the accumulated set.
fn element(key: &Key, value: &Value) -> Fr {
    let digest = Sha256::new()
        .chain_update(key)
        .chain_update(value)
        .finalize();
    Fr::from_be_bytes_mod_order(&digest)
}

impl Peer for Bilinear {
    type Proof = Witness;

    fn about() -> About {
        About {
            name: "vb_accumulator",
            package: "vb_accumulator",
            licence: "Apache-2.0",
            hash: "none: BLS12-381, elements by SHA-256",
            can_not: &[
                limits::OLD_VERSIONS,
                limits::RANGES,
                limits::SIGNATURES,
                limits::UPDATES,
                "prove without the secret key",
                "say which value a key has: it is a set of entries",
            ],
            snapshot_includes: "new value with the secret key; the set of entries",
            differs: "absence is that of an entry",
            most_keys: 100_000,
            ..About::THEIRS
        }
    }

    fn new(keys: u64) -> Outcome<Self> {
        let mut random = test_rng();
        let parameters = SetupParams::generate_using_rng(&mut random);
        let pair = Keypair::generate_using_rng(&mut random, &parameters);
        let mut initial = Elements::default();
        let accumulator = UniversalAccumulator::initialize(
            &mut random,
            &parameters,
            keys + 1,
            &pair.secret_key,
            Vec::new(),
            &mut initial,
        );
        Ok(Self {
            parameters,
            keys: pair,
            accumulator,
            initial,
            elements: Elements::default(),
            entries: HashMap::new(),
            values: Vec::new(),
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let (us, accumulator) = stopwatch(|| {
            let (added, removed) = replace(&mut self.entries, changes, element);
            let (secret, initial) = (&self.keys.secret_key, &self.initial);
            let accumulator = &self.accumulator;
            accumulator.batch_updates(added, &removed, secret, initial, &mut self.elements)
        });
        self.accumulator = accumulator.map_err(|error| format!("{error:?}"))?;
        self.values.push(*self.accumulator.value());
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Witness> {
        require_latest(&self.values, version)?;
        let (accumulator, secret) = (&self.accumulator, &self.keys.secret_key);
        let (elements, parameters) = (&self.elements, &self.parameters);
        let witness = if let Some(value) = self.entries.get(key) {
            let element = element(key, value);
            let witness = accumulator.get_membership_witness(&element, secret, elements);
            witness.map(Witness::Member)
        } else {
            let element = element(key, &NONE);
            let witness =
                accumulator.get_non_membership_witness(&element, secret, elements, parameters);
            witness.map(Witness::Absent)
        };
        Ok(witness.map_err(|error| format!("{error:?}"))?)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Witness) -> Outcome<()> {
        let accumulated = of_version(&self.values, version)?;
        let accumulated = UniversalAccumulator::from_accumulated(*accumulated);
        let (public, parameters) = (&self.keys.public_key, &self.parameters);
        let is_shown = match (value, &proof) {
            (Some(value), Witness::Member(witness)) => {
                accumulated.verify_membership(&element(key, value), witness, public, parameters)
            }
            (None, Witness::Absent(witness)) => {
                accumulated.verify_non_membership(&element(key, &NONE), witness, public, parameters)
            }
            _ => false,
        };
        ensure(is_shown, "the witness does not fit")
    }

    fn encode(proof: &Witness) -> Outcome<Vec<u8>> {
        let mut bytes = Vec::new();
        // The query determines the kind of witness, so the kind is not encoded.
        match proof {
            Witness::Member(witness) => witness.serialize_compressed(&mut bytes)?,
            Witness::Absent(witness) => witness.serialize_compressed(&mut bytes)?,
        }
        Ok(bytes)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Witness> {
        // A witness of membership is a point; a witness of absence is a point and a scalar.
        Ok(if bytes.len() <= G1Affine::identity().compressed_size() {
            Witness::Member(MembershipWitness::deserialize_compressed(bytes)?)
        } else {
            Witness::Absent(NonMembershipWitness::deserialize_compressed(bytes)?)
        })
    }
}
