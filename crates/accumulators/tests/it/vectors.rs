//! Known answers: `docs/vectors/accumulators/*.json`, one file per scheme. A difference is a change
//! of the format: it needs a decision file and a line in the change log.

use std::collections::BTreeMap;

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Accumulator as _, Batch, Dynamic, ElementSet, PublicKey as _, SecretKey, SignedSnapshot,
    Snapshot, Universal,
    bilinear::{Bilinear, BilinearPublicKey, BilinearSecretKey, Parameters},
    rsa::{RepresentativeRule, Rsa, RsaSecretKey},
    wire::{self, Wire},
};
use pad_conformance::published;
use pad_core::{Untrusted, Version, Workers};
use rug::Integer;
use serde::{Deserialize, Serialize};

const LABEL: &[u8] = b"vectors";
/// The secret of the bilinear parameters. The RSA key is `tests/keys/rsa-2048.txt`.
const SECRET: [u8; 32] = [0x5a; 32];

/// The messages by their names.
#[derive(Serialize, Deserialize)]
struct VectorFile<M = BTreeMap<String, String>> {
    comment: String,
    messages: M,
}

type Messages = BTreeMap<&'static str, String>;

fn hex_of(object: &impl Wire) -> String {
    hex::encode(wire::encode(object))
}

fn recorded(scheme: &str) -> VectorFile {
    published::read(&format!("accumulators/{scheme}"))
}

/// All messages about the set of `apple`, `banana` and `cherry`.
fn messages<A: Universal + Batch>(secret: &A::SecretKey) -> Messages {
    let (key, alone) = (secret.public_key(), &Workers::sequential());
    let names = ["apple", "banana", "cherry"];
    let mut set = ElementSet::<A>::from_elements(key, &names, alone).unwrap();
    let value = A::accumulate(key, &set, alone).unwrap();
    let snapshot = Snapshot::<A> {
        key: key.clone(),
        version: Version::new(7),
        value: value.clone(),
    };
    let subset = [b"apple".to_vec(), b"cherry".to_vec()];
    let element = &set.elements()[0];
    let digest = key.id().digest_of(b"apple");
    let mut messages = Messages::from([
        ("id", key.id().to_string()),
        ("element digest apple", digest.to_string()),
        ("element apple", hex_of(element)),
        ("value", hex_of(&value)),
        ("signed bytes", hex::encode(snapshot.signed_bytes())),
    ]);
    let signer = SigningKey::from_bytes(&[42; 32]);
    let signed = snapshot.sign(&signer).unwrap();
    messages.insert("signed value", hex_of(&signed));
    let witness = A::witness(key, &set, b"apple", alone).unwrap();
    messages.insert("witness apple", hex_of(&witness));
    let absent = A::non_membership_witness(key, &set, b"damson", alone).unwrap();
    messages.insert("witness of absence damson", hex_of(&absent));
    let both = A::subset_witness(key, &set, &subset, alone).unwrap();
    messages.insert("witness of apple and cherry", hex_of(&both));
    let change = A::change(key, &mut set, &value, &["banana"], &["elder", "fig"], alone).unwrap();
    messages.insert("change banana to elder and fig", hex_of(&change));
    messages
}

fn compare(scheme: &str, messages: Messages) {
    let comment = recorded(scheme).comment;
    let computed = VectorFile { comment, messages };
    published::check(&format!("accumulators/{scheme}"), &computed);
}

/// The key with the primes of `tests/keys/rsa-2048.txt`. Its factors are public.
pub(crate) fn rsa_secret(rule: RepresentativeRule, label: &[u8]) -> RsaSecretKey {
    let lines = include_str!("../keys/rsa-2048.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let primes = lines.map(|line| Integer::from_str_radix(line.trim(), 16).unwrap());
    let primes: Vec<Integer> = primes.collect();
    let (p, q) = (primes[0].clone(), primes[1].clone());
    RsaSecretKey::from_primes(p, q, rule, label).unwrap()
}

/// A number's bytes, big-endian.
fn digits(number: &Integer) -> String {
    hex::encode(number.to_digits::<u8>(rug::integer::Order::Msf))
}

/// Messages that depend on the rule of representatives: parameters, and the first element with its
/// witness.
fn compact_messages(messages: &mut Messages) {
    let secret = rsa_secret(RepresentativeRule::Compact, LABEL);
    let (key, alone) = (secret.public_key(), &Workers::sequential());
    let set = ElementSet::<Rsa>::from_elements(key, &["apple", "banana"], alone).unwrap();
    let value = Rsa::accumulate(key, &set, alone).unwrap();
    let witness = Rsa::witness(key, &set, b"apple", alone).unwrap();
    let apple = ElementSet::<Rsa>::from_elements(key, &["apple"], alone).unwrap();
    let element = &apple.elements()[0];
    let digest = key.id().digest_of(b"apple");
    messages.extend([
        ("rule 2: id", key.id().to_string()),
        ("rule 2: parameters", hex_of(key.parameters())),
        ("rule 2: element digest apple", digest.to_string()),
        ("rule 2: element apple", hex_of(element)),
        ("rule 2: representative apple", digits(element.prime())),
        ("rule 2: value of apple and banana", hex_of(&value)),
        ("rule 2: witness apple", hex_of(&witness)),
    ]);
}

#[test]
fn rsa_messages_are_the_recorded_ones() {
    let secret = rsa_secret(RepresentativeRule::Wide, LABEL);
    let mut messages = messages::<Rsa>(&secret);
    let key = secret.public_key();
    messages.insert("parameters", hex_of(key.parameters()));
    let base = key.parameters().base().as_integer();
    messages.insert("base", digits(base));
    let alone = &Workers::sequential();
    let set = ElementSet::<Rsa>::from_elements(key, &["apple"], alone).unwrap();
    messages.insert("representative apple", digits(set.elements()[0].prime()));
    compact_messages(&mut messages);
    compare("rsa", messages);
}

/// The key of [`SECRET`], whose powers are read from the recorded parameters.
fn bilinear_secret() -> BilinearSecretKey {
    let message = hex::decode(&recorded("bilinear").messages["parameters"]).unwrap();
    let limit = message.len();
    let parameters = wire::decode::<Parameters>(&Workers::sequential(), &message, limit).unwrap();
    let key = BilinearPublicKey::new(parameters.into_unverified().into(), LABEL);
    wire::decode_body(&key, &SECRET).unwrap()
}

#[test]
fn bilinear_messages_are_the_recorded_ones() {
    let secret = bilinear_secret();
    let mut messages = messages::<Bilinear>(&secret);
    let key = secret.public_key();
    let alone = &Workers::sequential();
    let set = ElementSet::<Bilinear>::from_elements(key, &["apple"], alone).unwrap();
    let scalar = bls12::scalar::encode(&set.elements()[0].scalar());
    messages.insert("scalar apple", hex::encode(scalar));
    messages.insert("parameters", hex_of(key.parameters()));
    compare("bilinear", messages);
}

fn read<W: Wire>(context: &W::Context, bytes: &[u8]) -> Untrusted<W> {
    wire::decode(context, bytes, 1 << 16).unwrap()
}

/// A recorded message is read, and verifies under the key it was made for.
#[test]
fn recorded_witnesses_verify() {
    fn check<A: Universal + Batch + Dynamic>(scheme: &str, key: &A::PublicKey) {
        let messages = recorded(scheme).messages;
        let bytes = |name: &str| hex::decode(&messages[name]).unwrap();
        let author = SigningKey::from_bytes(&[42; 32]).verifying_key();
        let authority = pad_accumulators::Authority::<A> {
            author: pad_core::AuthorKey::from_bytes(author.as_bytes()).unwrap(),
            key: key.clone(),
        };
        let signed: Untrusted<SignedSnapshot<A>> = read(key, &bytes("signed value"));
        let snapshot = signed.verify(&authority, &Version::new(7)).unwrap();
        let witness: Untrusted<A::Witness> = read(key, &bytes("witness apple"));
        witness.verify(&snapshot, b"apple").unwrap();
        let absent = bytes("witness of absence damson");
        let absent: Untrusted<A::NonMembershipWitness> = read(key, &absent);
        absent.verify(&snapshot, b"damson").unwrap();
        let both = bytes("witness of apple and cherry");
        let both: Untrusted<A::SubsetWitness> = read(key, &both);
        both.verify(&snapshot, &[b"apple".to_vec(), b"cherry".to_vec()])
            .unwrap();
    }
    let rsa = rsa_secret(RepresentativeRule::Wide, LABEL);
    check::<Rsa>("rsa", rsa.public_key());
    check::<Bilinear>("bilinear", bilinear_secret().public_key());
}
