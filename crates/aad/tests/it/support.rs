//! Parameters with a secret that everybody knows, heads for any digest, and proofs as bytes.

use std::sync::{Arc, OnceLock};

use aad::{Entries, Entry, Log, LogRoot, Scheme, Setup, Shape};
use accumulators::{
    bilinear::Parameters,
    wire::{self, Wire},
};
use ark_bls12_381::{Fr, G1Projective, G2Affine, G2Projective, g1, g2};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, ScalarMul as _};
use ark_ff::Field;
use bls12::point::{self, G1_BYTES, G2_BYTES};
use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, DictionaryId, Digest, Key, Proof, Sha256Ed25519, SnapshotHead, Suite as _,
    Untrusted, Value, Verified, VerifyError, Version, Workers, codec, head::Authority,
};

/// The secret of the vectors' parameters.
pub(crate) const SECRET: &str = "1929bd011785da780c6d74fa5c4bd94452d80892bb50f8f64a11855eb18401d3";
/// The powers beyond the generator: for trees of 8192 elements with one root each, or 16 with 512.
pub(crate) const CAPACITY: usize = 1 << 13;

pub(crate) fn secret() -> Fr {
    let bytes: [u8; 32] = hex::decode(SECRET).unwrap().try_into().unwrap();
    bls12::scalar::decode(&bytes).unwrap()
}

/// The parameters of the secret, with powers for the largest trees. Read as anybody's parameters are.
pub(crate) fn parameters() -> Arc<Parameters> {
    static PARAMETERS: OnceLock<Arc<Parameters>> = OnceLock::new();
    let made = PARAMETERS.get_or_init(|| {
        let powers = core::iter::successors(Some(Fr::ONE), |power| Some(*power * secret()));
        let powers: Vec<Fr> = powers.take(CAPACITY + 1).collect();
        let powers = G1Projective::generator().batch_mul(&powers);
        let mut bytes = codec::envelope(Parameters::KIND, Parameters::SCHEME);
        bytes.push(11);
        bytes.extend_from_slice(b"accumulator");
        bytes.extend_from_slice(&u32::try_from(powers.len()).unwrap().to_be_bytes());
        for power in powers {
            bytes.extend_from_slice(&point::encode::<g1::Config, G1_BYTES>(&power));
        }
        bytes.extend_from_slice(&2_u32.to_be_bytes());
        let s_g2 = (G2Projective::generator() * secret()).into_affine();
        for power in [G2Affine::generator(), s_g2] {
            bytes.extend_from_slice(&point::encode::<g2::Config, G2_BYTES>(&power));
        }
        let read = wire::decode::<Parameters>(&Workers::sequential(), &bytes, bytes.len());
        Arc::new(read.unwrap().into_unverified())
    });
    Arc::clone(made)
}

pub(crate) fn log<S: Scheme>(dictionary: [u8; 16], shape: Shape) -> Log<S> {
    Log::new(
        DictionaryId::from_bytes(dictionary),
        Setup::new(parameters(), shape),
    )
}

/// The same log as a client knows it, from the bytes of a key file.
pub(crate) fn client_log<S: Scheme>(log: &Log<S>) -> Log<S> {
    let setup = Setup::from_bytes(&log.setup().to_bytes()).unwrap();
    let client = Log::new(log.dictionary(), setup);
    assert_eq!(client.id(), log.id());
    client
}

/// The log at a digest, under a head that was signed and verified.
pub(crate) fn at<S: Scheme>(log: &Log<S>, version: u64, root: Digest<32>) -> LogRoot<S> {
    log.at(&head(log, version, root)).unwrap()
}

fn head<S: Scheme>(
    log: &Log<S>,
    version: u64,
    root: Digest<32>,
) -> Verified<SnapshotHead<Sha256Ed25519>> {
    let signer = SigningKey::from_bytes(&[9; 32]);
    let authority = Authority {
        author: AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap(),
        dictionary: log.dictionary(),
        scheme: S::ID,
    };
    let version = Version::new(version);
    let head = SnapshotHead::<Sha256Ed25519> {
        scheme: S::ID,
        dictionary: log.dictionary(),
        version,
        root,
        history: Sha256Ed25519::empty_history(),
    };
    let signed = head.sign(&signer).unwrap();
    Untrusted::new(signed).verify(&authority, &version).unwrap()
}

/// Decodes and verifies a proof, given as a message.
pub(crate) fn verify<P>(
    bytes: &[u8],
    commitment: &P::Commitment,
    query: &P::Query,
) -> Result<P::Statement, VerifyError>
where
    P: Proof<Error = VerifyError> + Wire<Context = ()>,
{
    let proof = wire::decode::<P>(&(), bytes, aad::proof::LONGEST_LOOKUP);
    let proof = proof.map_err(VerifyError::Undecodable)?;
    Ok(proof.verify(commitment, query)?.into_inner())
}

/// A log of these entries, built at once.
pub(crate) fn entries<S: Scheme>(log: &Log<S>, all: &[Entry]) -> Entries<S> {
    let size = u64::try_from(all.len()).unwrap();
    let mut entries = Entries::bounded(log.clone(), Workers::sequential(), size + 1).unwrap();
    for entry in all {
        entries.push(entry.clone()).unwrap();
    }
    entries.build().unwrap();
    entries
}

/// A log at one of its own sizes; the version is that of a log whose version 1 is empty, and which then grows by ones.
pub(crate) fn at_size<S: Scheme>(entries: &Entries<S>, size: u64) -> LogRoot<S> {
    at(&client_log(entries.log()), size + 1, entries.digest(size))
}

pub(crate) fn key(key: &str) -> Key {
    Key::try_from(key).unwrap()
}

pub(crate) fn pair(key: &str, value: &str) -> Entry {
    let (key, value) = (Key::try_from(key).unwrap(), Value::try_from(value).unwrap());
    Entry { key, value }
}

/// Entries `key 0`, `key 1`, ..., each with the value `value`.
pub(crate) fn distinct(count: usize) -> Vec<Entry> {
    (0..count)
        .map(|i| pair(&format!("key {i}"), "value"))
        .collect()
}
