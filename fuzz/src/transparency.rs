//! Notes, checkpoints, policies, proofs and requests to witnesses: any bytes, and changed honest
//! ones.
//!
//! Input: the kind of bytes (1 byte), then the bytes. Checks that parsed input encodes to the same
//! text, and that only the log's own texts verify with the log's key.

use std::sync::LazyLock;

use transparency_log::{
    Checkpoint, Note, Policy, Timestamp,
    note::{Cosigner, NoteSigner, VerifierKey},
    proof::LogProof,
    tile::{ResourcePath, parse_bundle},
    tree::{Hash, TreeHead},
    witness::{AddCheckpoint, MemoryRecords, Witness},
};

const ORIGIN: &str = "fuzz.example/log";
/// The time of all cosignatures, in seconds since 1970.
const TIME: u64 = 1_700_000_000;

/// A log of two entries, of which the witness has cosigned the first.
struct Honest {
    keys: [VerifierKey; 2],
    policy: Policy,
    first: AddCheckpoint,
    second: AddCheckpoint,
    proof: LogProof,
}

static HONEST: LazyLock<Honest> = LazyLock::new(|| {
    let leaves = [Hash::of_leaf(b"0"), Hash::of_leaf(b"1")];
    let root = Hash::of_node(&leaves[0], &leaves[1]);
    let checkpoints = [(1, leaves[0]), (2, root)]
        .map(|(size, root)| Checkpoint::new(ORIGIN, size, root).expect("an origin"));
    let [first, second] = [(0, vec![]), (1, vec![leaves[1]])];
    let request = |(old_size, proof), checkpoint: &Checkpoint| AddCheckpoint {
        old_size,
        proof,
        note: checkpoint.sign(&log()),
    };
    let mut cosigned = checkpoints[1].sign(&log());
    let cosignature = cosigner().cosign(&checkpoints[1], time());
    cosigned.add(cosignature).expect("few signatures");
    Honest {
        keys: [log().verifier(), cosigner().verifier()],
        policy: Policy::threshold(&[log().verifier()], 1, &[cosigner().verifier()])
            .expect("a policy"),
        first: request(first, &checkpoints[0]),
        second: request(second, &checkpoints[1]),
        proof: LogProof {
            index: 1,
            path: vec![leaves[0]],
            note: cosigned,
            extra: Some(b"1".to_vec()),
        },
    }
});

fn log() -> NoteSigner {
    NoteSigner::new(ORIGIN.parse().expect("a name"), &[1; 32])
}

fn cosigner() -> Cosigner {
    Cosigner::new("fuzz.example/witness".parse().expect("a name"), &[2; 32])
}

fn time() -> Timestamp {
    Timestamp::from_seconds(TIME).expect("a time")
}

/// Runs one input.
pub fn run(data: &[u8]) {
    let [what, bytes @ ..] = data else { return };
    match what % 6 {
        0 => note(bytes),
        1 => texts(bytes),
        2 => request(bytes),
        3 => proof(bytes),
        4 => {
            let number = bytes.first().copied().unwrap_or_default();
            if let Ok(entries) = parse_bundle(bytes, number.into()) {
                assert_eq!(entries.len(), usize::from(number));
            }
        }
        _ => consistency(bytes),
    }
}

fn note(bytes: &[u8]) {
    let Ok(note) = Note::parse(bytes) else { return };
    let again = note.encode();
    assert_eq!(Note::parse(again.as_bytes()).as_ref(), Ok(&note));
    if let Ok(opened) = note.open(&HONEST.keys) {
        let honest = [&HONEST.first.note, &HONEST.second.note];
        assert!(
            honest
                .iter()
                .any(|honest| honest.unverified_text() == opened.text)
        );
    }
    if let Ok(accepted) = HONEST.policy.verify(&note) {
        assert_eq!(accepted.checkpoint().size(), 2);
    }
}

fn texts(bytes: &[u8]) {
    let Ok(text) = core::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(checkpoint) = Checkpoint::parse(text) {
        assert_eq!(checkpoint.text(), text);
    }
    if let Ok(path) = text.parse::<ResourcePath>() {
        assert_eq!(path.to_string(), text);
    }
    if let Ok(key) = text.parse::<VerifierKey>() {
        assert_eq!(key.to_string(), text);
    }
    if let Ok(policy) = text.parse::<Policy>() {
        drop(policy.verify(&HONEST.proof.note));
    }
}

fn request(bytes: &[u8]) {
    if let Ok(request) = AddCheckpoint::parse(bytes) {
        let again = request.encode();
        assert_eq!(AddCheckpoint::parse(again.as_bytes()), Ok(request));
    }
    let mut witness = Witness::new(cosigner(), MemoryRecords::default());
    witness.add_log(ORIGIN, log().verifier());
    let first = HONEST.first.encode();
    witness
        .add_checkpoint(first.as_bytes(), time())
        .expect("an honest request");
    if let Ok(cosignature) = witness.add_checkpoint(bytes, time()) {
        let texts = [&HONEST.first, &HONEST.second].map(|honest| honest.note.unverified_text());
        let key = witness.verifier();
        assert!(
            texts
                .iter()
                .any(|text| key.verify(text, &cosignature).is_ok())
        );
    }
}

fn proof(bytes: &[u8]) {
    let Ok(proof) = LogProof::parse(bytes) else {
        return;
    };
    assert_eq!(
        LogProof::parse(proof.encode().as_bytes()).as_ref(),
        Ok(&proof)
    );
    if let Ok(logged) = proof.verify(&HONEST.policy, b"1") {
        assert!(logged.is_last() && logged.index() == 1);
    }
}

/// Verifies proofs of consistency and inclusion for any two heads and any hashes. A consistency
/// proof of different trees must not be empty.
fn consistency(bytes: &[u8]) {
    let Some((sizes, rest)) = bytes.split_first_chunk::<16>() else {
        return;
    };
    let number = u128::from_be_bytes(*sizes);
    let (hashes, _) = rest.as_chunks::<32>();
    let hashes: Vec<Hash> = hashes.iter().copied().map(Hash::from_bytes).collect();
    let [old, new, proof @ ..] = hashes.as_slice() else {
        return;
    };
    let size = |number: u128| u64::try_from(number & u128::from(u64::MAX)).expect("64 bits");
    let (old, new) = (
        TreeHead {
            size: size(number >> 64),
            root: *old,
        },
        TreeHead {
            size: size(number),
            root: *new,
        },
    );
    if transparency_log::tree::verify_consistency(&old, &new, proof).is_ok() {
        assert!(old.size == 0 || old == new || !proof.is_empty());
    }
    let included = transparency_log::tree::verify_inclusion(old.size, old.root, &new, proof);
    assert!(included.is_err() || old.size < new.size);
}

/// Returns honest texts as inputs, for the committed corpus.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let policy = format!(
        "log {}\nwitness w {}\ngroup g any w\nquorum g\n",
        HONEST.keys[0], HONEST.keys[1]
    );
    let seed = |name: &str, what: u8, bytes: &[u8]| (name.to_owned(), [&[what], bytes].concat());
    vec![
        seed("note", 0, HONEST.proof.note.encode().as_bytes()),
        seed(
            "checkpoint",
            1,
            HONEST.proof.note.unverified_text().as_bytes(),
        ),
        seed("path", 1, b"tile/1/x001/x234/067.p/42"),
        seed("key", 1, HONEST.keys[1].to_string().as_bytes()),
        seed("policy", 1, policy.as_bytes()),
        seed("request", 2, HONEST.second.encode().as_bytes()),
        seed("proof", 3, HONEST.proof.encode().as_bytes()),
        seed("bundle", 4, &[0, 1, 7]),
        seed(
            "consistency",
            5,
            &[&[0; 7][..], &[1], &[0; 7], &[2], &[9; 96]].concat(),
        ),
    ]
}
