//! Any bytes as messages about a fixed set, over both accumulators. Checks that decoding does not
//! panic, that each message has one encoding, and that no false statement verifies.
//!
//! Input: message and scheme (1 byte), queried element (1 byte), body.

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Authority, Batch, Change, ElementSet, SignedSnapshot, Snapshot, Universal,
    bilinear::{self, Bilinear, BilinearPublicKey},
    rsa::{self, Rsa, RsaPublicKey},
    wire::{self, Wire},
};
use pad_core::{AuthorKey, Proof, Untrusted, Verified, Version, Workers};
use std::sync::{Arc, LazyLock};

const RSA: &str = include_str!("../../docs/vectors/accumulators/rsa.json");
const BILINEAR: &str = include_str!("../../docs/vectors/accumulators/bilinear.json");
const LIMIT: usize = 1 << 14;
/// Names of the members, then of other elements.
const NAMES: [&str; 6] = ["apple", "banana", "cherry", "damson", "elder", "fig"];
const MEMBERS: usize = 3;

/// Reads the message `name` from a file of test vectors, with its envelope.
pub fn vector(file: &str, name: &str) -> Vec<u8> {
    let start = format!("\"{name}\": \"");
    let text = file.split_once(&start).expect("a name in the file").1;
    let digits = text.split_once('"').expect("a text").0;
    let byte = |pair: &[u8]| {
        let pair = core::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(pair, 16).expect("hexadecimal")
    };
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// A set of one scheme, and the state to verify messages against.
struct Scene<A: Universal + Batch> {
    key: A::PublicKey,
    snapshot: Verified<Snapshot<A>>,
    member: (A::Element, A::Witness),
    stranger: (A::Element, A::NonMembershipWitness),
}

static RSA_SCENE: LazyLock<Scene<Rsa>> = LazyLock::new(|| {
    let parameters: Untrusted<rsa::Parameters> =
        wire::decode(&(), &vector(RSA, "parameters"), LIMIT).expect("parameters");
    let parameters = Arc::new(parameters.into_unverified());
    Scene::new(RsaPublicKey::new(parameters, b"vectors"), RSA)
});

static BILINEAR_SCENE: LazyLock<Scene<Bilinear>> = LazyLock::new(|| {
    let bytes = vector(BILINEAR, "parameters");
    let parameters: Untrusted<bilinear::Parameters> =
        wire::decode(&Workers::sequential(), &bytes, LIMIT).expect("parameters");
    let parameters = Arc::new(parameters.into_unverified());
    Scene::new(BilinearPublicKey::new(parameters, b"vectors"), BILINEAR)
});

impl<A: Universal + Batch> Scene<A> {
    fn new(key: A::PublicKey, file: &str) -> Self {
        let signed: Untrusted<SignedSnapshot<A>> =
            wire::decode(&key, &vector(file, "signed value"), LIMIT).expect("a signed value");
        let author = SigningKey::from_bytes(&[42; 32]).verifying_key();
        let authority = Authority {
            author: AuthorKey::from_bytes(author.as_bytes()).expect("a key"),
            key: key.clone(),
        };
        let snapshot = signed.verify(&authority, &Version::new(7)).expect("signed");
        let members = &NAMES[..MEMBERS];
        let set = ElementSet::<A>::from_elements(&key, members, &Workers::sequential());
        let set = set.expect("distinct");
        let element = |name: &str| {
            let digest = set.digests_of(&[name])[0];
            A::element(&key, &digest).expect("a representative")
        };
        let read = |name| wire::decode(&key, &vector(file, name), LIMIT).expect("a witness");
        Self {
            member: (element(NAMES[0]), read("witness apple").into_unverified()),
            stranger: (
                element(NAMES[3]),
                wire::decode(&key, &vector(file, "witness of absence damson"), LIMIT)
                    .expect("a witness")
                    .into_unverified(),
            ),
            snapshot,
            key,
        }
    }

    fn run(&self, message: u8, asked: usize, body: &[u8]) {
        let name = NAMES[asked].as_bytes();
        match message {
            0 => {
                if let Some(witness) = self.read::<A::Witness>(body) {
                    let accepted = witness.check(&self.snapshot, name).is_ok();
                    assert!(!accepted || asked < MEMBERS, "a stranger is a member");
                }
            }
            1 => {
                if let Some(witness) = self.read::<A::NonMembershipWitness>(body) {
                    let accepted = witness.check(&self.snapshot, name).is_ok();
                    assert!(!accepted || asked >= MEMBERS, "a member is absent");
                }
            }
            2 => {
                if let Some(witness) = self.read::<A::SubsetWitness>(body) {
                    let query = [NAMES[0].into(), name.to_vec()];
                    let accepted = witness.check(&self.snapshot, &query).is_ok();
                    assert!(!accepted || asked < MEMBERS, "a stranger is in the subset");
                }
            }
            3 => self.follow(body),
            4 => drop(self.read::<A::Value>(body)),
            5 => drop(self.read::<A::Element>(body)),
            _ => drop(wire::decode_body::<SignedSnapshot<A>>(&self.key, body)),
        }
    }

    /// Updates witnesses of membership and non-membership by a change that may be forged.
    fn follow(&self, body: &[u8]) {
        let Some(change) = self.read::<Change<A>>(body) else {
            return;
        };
        let log = [change];
        let (element, witness) = &self.member;
        let updated = A::update_witness(&self.key, element, witness, &log);
        let _any = updated.map(|it| it.check(&self.snapshot, NAMES[0].as_bytes()).is_ok());
        let (element, witness) = &self.stranger;
        let updated = A::update_non_membership_witness(&self.key, element, witness, &log);
        let _any = updated.map(|it| it.check(&self.snapshot, NAMES[3].as_bytes()).is_ok());
    }

    fn read<W: Wire<Context = A::PublicKey>>(&self, body: &[u8]) -> Option<W> {
        let object = wire::decode_body::<W>(&self.key, body).ok()?;
        assert_eq!(wire::encode_body(&object), body, "decoding is canonical");
        Some(object)
    }
}

/// Decodes and verifies one message.
pub fn run(data: &[u8]) {
    let [selected, asked, body @ ..] = data else {
        return;
    };
    let (message, asked) = (selected / 2 % 7, usize::from(*asked) % NAMES.len());
    if selected % 2 == 0 {
        RSA_SCENE.run(message, asked, body);
    } else {
        BILINEAR_SCENE.run(message, asked, body);
    }
}

/// Returns the honest messages as inputs, for the committed corpus.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let messages = [
        "witness apple",
        "witness of absence damson",
        "witness of apple and cherry",
        "change banana to elder and fig",
        "value",
        "element apple",
        "signed value",
    ];
    let asked = [0, 3, 2, 0, 0, 0, 0];
    let mut seeds = Vec::new();
    for (scheme, file) in [(0_u8, RSA), (1, BILINEAR)] {
        for ((number, name), asked) in (0_u8..).zip(messages).zip(asked) {
            let body = &vector(file, name)[pad_core::codec::ENVELOPE_LENGTH..];
            let input = [&[2 * number + scheme, asked], body].concat();
            seeds.push((format!("{scheme}-{number}"), input));
        }
    }
    seeds
}
