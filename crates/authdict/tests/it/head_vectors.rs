//! Checks the vectors of a log of heads, `docs/vectors/logs/heads.json`. Its heads are in
//! `trees/red-black.json`.

use std::collections::BTreeMap;

use authdict::{
    DictionaryId, PublicKey, Version,
    internals::witnessed::{newest, origin},
};
use pad_conformance::published;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use transparency_log::{
    Checkpoint, Note, Policy,
    note::{Cosigner, NoteSigner},
    policy::Window,
    proof::LogProof,
    tile::{Fetch, FetchError, ResourcePath, TileReader, encode_entry, grown},
    tree::{Subtrees as _, prove_consistency, prove_inclusion, root},
    witness::AddCheckpoint,
};

use crate::witnessed::{Entries, time};

/// The prefix of the log's origin, which the dictionary's id follows.
const PLACE: &str = "pad.example/heads";
/// The byte of the log's seed. The seeds of the log and of its witnesses consist of one byte,
/// repeated 32 times.
const LOG: u8 = 0x2b;
const WITNESSES: [(&str, u8); 2] = [("witness.example/w1", 0x2c), ("witness.example/w2", 0x2d)];
/// The time at which witnesses cosign the log of one entry. Each later size is cosigned one minute
/// later.
const FIRST: u64 = 1_700_000_000;

#[derive(Serialize, Deserialize)]
struct Heads {
    comment: String,
    /// The text of the dictionary's public key file.
    public: String,
    origin: String,
    log_seed: String,
    log_key: String,
    witnesses: Vec<WitnessKey>,
    policy: String,
    /// The signed heads, as messages of kind 1.
    entries: Vec<String>,
    sizes: Vec<OfSize>,
    accepted: Vec<AcceptedProof>,
    refused: Vec<RefusedProof>,
}

#[derive(Serialize, Deserialize)]
struct WitnessKey {
    seed: String,
    key: String,
}

/// The log when it contains its first `size` entries.
#[derive(Serialize, Deserialize)]
struct OfSize {
    size: u64,
    root: String,
    /// The log's signed checkpoint, with the cosignatures of both witnesses.
    checkpoint: String,
    /// The log's request to witnesses that have cosigned the previous size.
    request: String,
    /// Tiles and entry bundles of the log of this size, by their paths.
    resources: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct AcceptedProof {
    /// The earliest time of cosignatures that count.
    since: Option<u64>,
    /// The text of the proof.
    proof: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct RefusedProof {
    why: String,
    since: Option<u64>,
    proof: String,
}

/// Returns the dictionary of the tree vectors: its public key and its heads.
fn dictionary() -> (PublicKey, Vec<Vec<u8>>) {
    let json: Json = published::read("trees/red-black");
    let field = |name: &str| json[name].as_str().unwrap();
    let public = format!(
        "pad-public-key v1\nsuite sha256-ed25519\nscheme red-black\ndictionary {}\nauthor {}\n",
        field("dictionary_id"),
        field("author_key")
    );
    let versions = json["versions"].as_array().unwrap().iter();
    let heads = versions.map(|version| hex::decode(version["signed_head"].as_str().unwrap()));
    let heads = heads.map(Result::unwrap).collect();
    (PublicKey::from_text(&public).unwrap(), heads)
}

/// Returns the key of a log. The log of another dictionary has another key.
fn log_key(origin: &str) -> NoteSigner {
    let is_other = origin == other_origin();
    let byte = if is_other { LOG + 10 } else { LOG };
    NoteSigner::new(origin.parse().unwrap(), &[byte; 32])
}

/// Returns the origin of the log of another dictionary.
fn other_origin() -> String {
    origin(PLACE, DictionaryId::from_name("another"))
}

fn witness_keys() -> [Cosigner; 2] {
    WITNESSES.map(|(name, byte)| Cosigner::new(name.parse().unwrap(), &[byte; 32]))
}

/// Returns the time at which the log of `size` entries is cosigned.
fn cosigned_at(size: u64) -> u64 {
    FIRST + 60 * (size - 1)
}

fn checkpoint(origin: &str, entries: &[Vec<u8>]) -> Checkpoint {
    let size = u64::try_from(entries.len()).unwrap();
    let root = root(&mut Entries(entries.to_vec()), size).unwrap();
    Checkpoint::new(origin, size, root).unwrap()
}

/// Returns the checkpoint of `entries`, cosigned by `witnesses`.
fn note(origin: &str, entries: &[Vec<u8>], witnesses: &[Cosigner]) -> Note {
    let checkpoint = checkpoint(origin, entries);
    let mut note = checkpoint.sign(&log_key(origin));
    for witness in witnesses {
        let at = time(cosigned_at(checkpoint.size()));
        note.add(witness.cosign(&checkpoint, at)).unwrap();
    }
    note
}

/// Returns the proof of the last entry, with this entry as its `extra` line.
fn last(origin: &str, entries: &[Vec<u8>]) -> LogProof {
    let size = u64::try_from(entries.len()).unwrap();
    let path = prove_inclusion(&mut Entries(entries.to_vec()), size - 1, size).unwrap();
    LogProof {
        index: size - 1,
        path,
        note: note(origin, entries, &witness_keys()),
        extra: entries.last().cloned(),
    }
}

/// The resources of a log, by their paths.
struct Resources<'a>(&'a BTreeMap<String, String>);

impl Fetch for Resources<'_> {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
        let found = self.0.get(&path.to_string()).ok_or(FetchError::NotFound)?;
        Ok(hex::decode(found).unwrap())
    }
}

fn resources(entries: &[Vec<u8>]) -> BTreeMap<String, String> {
    let mut tree = Entries(entries.to_vec());
    let size = u64::try_from(entries.len()).unwrap();
    let of_path = grown(0, size).map(|path| {
        // With fewer than 256 entries, one bundle contains all entries, and one tile contains
        // their hashes.
        let parts: Vec<Vec<u8>> = if let ResourcePath::Entries { .. } = path {
            let encoded = entries.iter().map(|entry| encode_entry(entry).unwrap());
            encoded.collect()
        } else {
            let hashes = (0..size).map(|index| tree.subtree(0, index).unwrap());
            hashes.map(|hash| hash.as_bytes().to_vec()).collect()
        };
        (path.to_string(), hex::encode(parts.concat()))
    });
    of_path.collect()
}

fn size_of(origin: &str, entries: &[Vec<u8>]) -> OfSize {
    let head = checkpoint(origin, entries);
    let (size, before) = (head.size(), head.size() - 1);
    let request = AddCheckpoint {
        old_size: before,
        proof: prove_consistency(&mut Entries(entries.to_vec()), before, size).unwrap(),
        note: head.sign(&log_key(origin)),
    };
    let resources = resources(entries);
    let mut reader = TileReader::open(Resources(&resources), &head).unwrap();
    assert_eq!(reader.bundle(0).unwrap(), entries);
    OfSize {
        size,
        root: hex::encode(head.root().as_bytes()),
        checkpoint: note(origin, entries, &witness_keys()).encode(),
        request: request.encode(),
        resources,
    }
}

/// Returns a proof of the newest head, with an additional cosignature of a witness outside the
/// policy.
fn with_another_signature(origin: &str, heads: &[Vec<u8>]) -> String {
    let mut proof = last(origin, heads);
    let unknown = Cosigner::new("witness.example/w3".parse().unwrap(), &[0x2e; 32]);
    let head = checkpoint(origin, heads);
    proof.note.add(unknown.cosign(&head, time(FIRST))).unwrap();
    proof.encode()
}

#[test]
fn the_log_of_heads_is_the_published_one() {
    let (public, heads) = dictionary();
    let own = origin(PLACE, public.authority.dictionary);
    let other = other_origin();
    let witnesses = witness_keys().map(|key| key.verifier().to_string());
    let policy = format!(
        "log {}\nlog {}\nwitness w1 {}\nwitness w2 {}\ngroup both all w1 w2\nquorum both\n",
        log_key(&own).verifier(),
        log_key(&other).verifier(),
        witnesses[0],
        witnesses[1]
    );
    let parsed: Policy = policy.parse().unwrap();
    let check = |since: Option<u64>, proof: &str| {
        // All times in the cases are in the past of this limit.
        let until = time(u64::MAX >> 1);
        let window = since.map(|since| Window {
            since: time(since),
            now: until,
            until,
        });
        newest(&public, &parsed, window, proof.as_bytes())
    };
    let accept = |since: Option<u64>, proof: String, version: u64| {
        let found = check(since, &proof).unwrap();
        assert_eq!(found.version, Version::new(version));
        assert_eq!(found.message, heads[usize::try_from(version).unwrap() - 1]);
        AcceptedProof {
            since,
            proof,
            version,
        }
    };
    let sizes = 1..=heads.len();
    let of_size =
        |(size, version): (usize, u64)| accept(None, last(&own, &heads[..size]).encode(), version);
    let mut accepted: Vec<AcceptedProof> = sizes.clone().zip(1..).map(of_size).collect();
    let honest = last(&own, &heads).encode();
    accepted.push(accept(Some(cosigned_at(6)), honest, 6));
    accepted.push(accept(None, with_another_signature(&own, &heads), 6));
    let of: Heads = published::read("logs/heads");
    for RefusedProof { why, since, proof } in &of.refused {
        assert!(check(*since, proof).is_err(), "{why}");
    }
    assert_eq!(of.refused.len(), 30);
    let of_key = |((_, byte), key): (&(_, u8), _)| WitnessKey {
        seed: hex::encode([*byte; 32]),
        key,
    };
    let computed = Heads {
        public: public.to_text(),
        log_seed: hex::encode([LOG; 32]),
        log_key: log_key(&own).verifier().to_string(),
        witnesses: WITNESSES.iter().zip(witnesses).map(of_key).collect(),
        policy,
        entries: heads.iter().map(hex::encode).collect(),
        sizes: sizes.map(|size| size_of(&own, &heads[..size])).collect(),
        accepted,
        origin: own,
        ..of
    };
    published::check("logs/heads", &computed);
}
