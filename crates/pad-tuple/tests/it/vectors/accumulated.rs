//! The designs with accumulators: few versions, as every value of theirs is long.

use accumulators::{
    PublicKey, Scheme as _,
    bilinear::{Bilinear, BilinearPublicKey, BilinearSecretKey, Parameters},
    rsa::RsaSecretKey,
    wire,
};
use ark_bls12_381::{Fr, G1Projective, G2Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{BigInteger, Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use pad_core::Workers;

use super::*;

/// The secret of the bilinear parameters.
const SCALAR: [u8; 32] = [0x5a; 32];
/// The most elements, and so the highest power.
const CAPACITY: u64 = 16;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AccumulatedVector {
    comment: String,
    suite_id: u16,
    design: String,
    scheme_id: u16,
    author_seed: String,
    author_key: String,
    /// Where the accumulator's key comes from.
    accumulator: String,
    /// The ids of the generations' accumulators, youngest first.
    accumulator_ids: Vec<String>,
    dictionary_name: String,
    dictionary_id: String,
    /// The digest of the attachment of each version.
    attachments: Vec<String>,
    versions: Vec<VersionVector>,
    proofs: Vec<ProofVector>,
    refused: Vec<refused::RefusedLookUp>,
    refused_updates: Vec<refused::RefusedUpdate>,
}

type S = Sha256Ed25519;

/// One merge at the start, one later; an update of one generation and one that changes nothing.
const VERSIONS: [&[(&str, Option<&str>)]; 4] = [
    &[("apple", Some("3")), ("date", Some("13"))],
    &[("banana", Some("7"))],
    &[],
    &[("cherry", Some("1")), ("date", None), ("elder", Some("5"))],
];

/// Decided by the youngest generation, by the older one, absent.
const ASKED: [(u64, &str); 6] = [
    (0, "apple"),
    (1, "apple"),
    (2, "banana"),
    (3, "date"),
    (4, "apple"),
    (4, "date"),
];

/// Keys that the test can make up, and where they come from.
trait Recorded {
    const SOURCE: &'static str;
    fn recorded() -> Self;
}

impl Recorded for RsaSecretKey {
    const SOURCE: &'static str =
        "RSA, rule 1, the primes of crates/accumulators/tests/keys/rsa-2048.txt";

    fn recorded() -> Self {
        Self::numbered(SECRET)
    }
}

impl Recorded for BilinearSecretKey {
    const SOURCE: &'static str = "bilinear, secret 32 times 5a, big-endian, reduced; purpose \
        \"vectors\", powers up to 16 in G1 and 1 in G2";

    fn recorded() -> Self {
        let secret = Fr::from_be_bytes_mod_order(&SCALAR);
        let mut bytes = codec::envelope(wire::KIND_PARAMETERS, Bilinear::SCHEME.0);
        bytes.push(7);
        bytes.extend_from_slice(b"vectors");
        wire::write_count(usize::try_from(CAPACITY).unwrap() + 1, &mut bytes);
        for power in 0..=CAPACITY {
            let point = (G1Projective::generator() * secret.pow([power])).into_affine();
            point.serialize_compressed(&mut bytes).unwrap();
        }
        wire::write_count(2, &mut bytes);
        for power in 0..2_u64 {
            let point = (G2Projective::generator() * secret.pow([power])).into_affine();
            point.serialize_compressed(&mut bytes).unwrap();
        }
        let parameters = wire::decode::<Parameters>(&Workers::sequential(), &bytes, bytes.len());
        let parameters = parameters.unwrap().into_unverified();
        let key = BilinearPublicKey::new(parameters.into(), b"vectors");
        wire::decode_body(&key, &secret.into_bigint().to_bytes_be()).unwrap()
    }
}

/// Proof files: the shortest proof first, of one part; none; of two parts; absent.
const IN_FILES: [(u64, &str); 6] = [
    (2, "banana"),
    (0, "apple"),
    (1, "apple"),
    (3, "date"),
    (4, "date"),
    (4, "zzz"),
];

fn vector<D>(Made { updates, server }: &Made<S, D>) -> AccumulatedVector
where
    D: Design<S, Secret: Recorded, Key: PublicKey>,
{
    let context = Context::of(server.authority());
    let label = |generation| pad_tuple::accumulated::label::<S>(context, generation);
    let ids =
        (0..=1).map(|generation| server.key().with_label(&label(generation)).id().to_string());
    let attachments = updates.iter().map(|update| &update.attachment);
    AccumulatedVector {
        comment: COMMENT.to_owned(),
        suite_id: S::ID.0,
        design: D::NAME.to_owned(),
        scheme_id: D::SCHEME.0,
        author_seed: hex::encode([SECRET; 32]),
        author_key: public_key(SECRET).to_string(),
        accumulator: <D::Secret as Recorded>::SOURCE.to_owned(),
        accumulator_ids: ids.collect(),
        dictionary_name: DICTIONARY.to_owned(),
        dictionary_id: server.authority().dictionary.to_string(),
        attachments: attachments
            .map(|attachment| D::attachment_digest(attachment).to_string())
            .collect(),
        versions: updates.iter().map(version_vector::<S, D>).collect(),
        proofs: ASKED
            .iter()
            .map(|(version, name)| prove(server, *version, name))
            .collect(),
        refused: refused::look_ups::<S, D>(server, (4, "apple")),
        refused_updates: refused::updates::<S, D>(updates, server),
    }
}

macro_rules! accumulated {
    ($name:ident, $design:ty) => {
        #[test]
        fn $name() {
            let secret = <$design as Design<S>>::Secret::recorded();
            let made = make_with::<S, $design>(secret, &VERSIONS);
            check(stringify!($name), &vector(&made));
            let files = proof_files::accumulated(&made.server, &IN_FILES);
            check_files(stringify!($name), &files);
        }
    };
}

pad_tuple::for_each_accumulated_tuple!(accumulated);
