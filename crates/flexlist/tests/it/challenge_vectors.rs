//! Known answers for challenges: section `dpdp` of `docs/vectors/files/flexlist.json`, or of the
//! file of the same format that the environment variable `FLEXLIST_VECTORS` names.

use flexlist::{
    FileId,
    challenge::{Challenge, Context, Leaf, Questions, Sample, assign},
};
use pad_conformance::published;
use pad_core::Digest;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

fn vectors() -> Value {
    published::read_instead::<Value>("FLEXLIST_VECTORS", "files/flexlist")["dpdp"].take()
}

fn bytes<const N: usize>(value: &Value) -> [u8; N] {
    hex::decode(value.as_str().unwrap())
        .unwrap()
        .try_into()
        .unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn samples(vector: &Value) -> (Context, Vec<Sample>) {
    let context = Context {
        file: FileId(bytes(&vector["file_id"])),
        version: number(&vector["version"]),
        root: Digest(bytes(&vector["root"])),
        total: number(&vector["total"]),
    };
    let challenge = Challenge::Sample {
        seed: bytes(&vector["seed"]),
        count: u32::try_from(number(&vector["c"])).unwrap(),
    };
    match challenge.questions(&context) {
        Ok(Questions::Samples(samples)) => (context, samples),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_derivation_is_the_vectors() {
    let vector = vectors();
    let (_, samples) = samples(&vector);
    let expected: Vec<Sample> = vector["challenge"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| Sample {
            index: number(&pair[0]),
            coefficient: u128::from_str_radix(
                pair[1].as_str().unwrap().trim_start_matches("0x"),
                16,
            )
            .unwrap(),
        })
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(samples, expected);
}

#[test]
fn coefficients_come_from_the_context_digest_of_the_vectors() {
    let vector = vectors();
    let (_, samples) = samples(&vector);
    let context: [u8; 32] = bytes(&vector["ctx"]);
    for (number, sample) in (0_u64..).zip(samples) {
        let mut hash = Sha256::new_with_prefix(context);
        hash.update([2]);
        hash.update(number.to_be_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let word = u128::from_be_bytes(digest[..16].try_into().unwrap());
        assert_eq!(sample.coefficient, word);
    }
}

#[test]
fn the_challenged_blocks_are_those_of_the_vectors() {
    let vector = vectors();
    let (context, samples) = samples(&vector);
    let mut leaves = Vec::new();
    let mut start = 0;
    for block in vector["blocks"].as_array().unwrap() {
        let length = u64::try_from(block.as_str().unwrap().len() / 2).unwrap();
        if samples
            .iter()
            .any(|sample| (start..start + length).contains(&sample.index))
        {
            leaves.push(Leaf { start, length });
        }
        start += length;
    }
    assert_eq!(start, context.total);
    let blocks = assign(&samples, &leaves).unwrap();
    assert_eq!(blocks.len(), vector["proof_tags"].as_array().unwrap().len());
    let hits: usize = blocks.iter().map(|block| block.hits.len()).sum();
    assert_eq!(hits, samples.len());
}
