//! Designs with accumulators: few versions, because their values are long.

use pad_accumulators::{PublicKey, bilinear::BilinearSecretKey, rsa::RsaSecretKey};
use pad_tuple::internals::KeyBytes as _;

use super::*;

#[derive(Serialize, Deserialize)]
struct AccumulatedVector {
    comment: String,
    suite_id: u16,
    design: String,
    scheme_id: u16,
    author_seed: String,
    author_key: String,
    /// The source of the accumulator's key.
    accumulator: String,
    /// The ids of the generations' accumulators, youngest first.
    accumulator_ids: Vec<String>,
    dictionary_name: String,
    dictionary_id: String,
    /// The digest of the attachment of each version.
    attachments: Vec<String>,
    versions: Vec<VersionVector>,
    proofs: Vec<ProofVector>,
    refused: Vec<RefusedLookUp>,
    refused_updates: Vec<RefusedUpdate>,
}

/// A lookup proof (kind 65) that is refused.
#[derive(Serialize, Deserialize)]
struct RefusedLookUp {
    why: String,
    version: u64,
    key: String,
    proof: String,
}

type S = Sha256Ed25519;

/// Published secret keys.
trait RecordedKey {
    fn recorded(public: &str) -> Self;
}

impl RecordedKey for RsaSecretKey {
    fn recorded(_: &str) -> Self {
        Self::numbered(SECRET)
    }
}

impl RecordedKey for BilinearSecretKey {
    /// Decodes a message of kind 57 with the secret, 32 times `5a`, and the parameters in the
    /// public key file.
    fn recorded(public: &str) -> Self {
        let (_, parameters) = public.trim_end().split_once("scheme-key ").unwrap();
        let message = format!("5041443101390102{}{parameters}", "5a".repeat(32));
        Self::from_slice(&decode(&message)).unwrap()
    }
}

fn check_all<D>(name: &str)
where
    D: Design<S, Secret: RecordedKey, Key: PublicKey + PublicBytes>,
{
    let name = name.replace('_', "-");
    let (file, proof_files) = (format!("tuples/{name}"), format!("tuple-{name}"));
    let of: AccumulatedVector = published::read(&file);
    let files: serde_json::Value = published::read(&format!("proof-files/{proof_files}"));
    let secret = D::Secret::recorded(files["public"].as_str().unwrap());
    let (versions, refused) = (&of.versions, &of.refused_updates);
    let PublishedVersions { updates, server } =
        make::<S, D>(secret, &of.dictionary_name, versions, refused);
    for row in &of.refused {
        let proof = Untrusted::<TupleProof<S, D>>::decode(&decode(&row.proof), LONGEST).unwrap();
        let asked = key(decode(&row.key));
        let verdict = proof.verify(&expect(&server, row.version), &asked);
        assert!(verdict.is_err(), "{}", row.why);
    }
    assert_eq!(of.refused.len(), 8);
    let context = Context::of(server.authority());
    let label = |generation| pad_tuple::internals::label::<S>(context, generation);
    let ids =
        (0..=1).map(|generation| server.key().with_label(&label(generation)).id().to_string());
    let attachments = updates.iter().map(|update| &update.attachment);
    let computed = AccumulatedVector {
        suite_id: S::ID.0,
        design: D::NAME.to_owned(),
        scheme_id: D::SCHEME.0,
        author_seed: encode([SECRET; 32]),
        author_key: public_key(SECRET).to_string(),
        accumulator_ids: ids.collect(),
        dictionary_id: server.authority().dictionary.to_string(),
        attachments: attachments
            .map(|attachment| D::attachment_digest(attachment).to_string())
            .collect(),
        versions: updates.iter().map(version_vector::<S, D>).collect(),
        proofs: proofs(&server, of.proofs),
        ..of
    };
    published::check(&file, &computed);
    let (scheme, own) = (format!("tuple-{}", D::NAME), own_key(server.key()));
    check_proof_files(
        &proof_files,
        &public_text((S::NAME, &scheme), server.authority(), own.as_deref()),
        |asked| prove_look_up(&server, asked),
        |asked, file| verify_look_up(&server, asked, file),
    );
}

macro_rules! accumulated {
    ($name:ident, $design:ty) => {
        #[test]
        fn $name() {
            check_all::<$design>(stringify!($name));
        }
    };
}

pad_tuple::for_each_accumulated_tuple!(accumulated);
