//! A log of heads: `docs/vectors/logs/heads.json`, of the heads in `trees/red-black.json`. `PAD_WRITE_VECTORS=1` writes it anew.

use std::{collections::BTreeMap, fs};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use conformance::published;
use ed25519_dalek::SigningKey;
use pad::{
    DictionaryId, PublicKey, Sha256Ed25519, SignedHead, SnapshotHead, Version,
    pad_core::codec,
    witnessed::{newest, origin},
};
use serde::Serialize;
use serde_json::Value as Json;
use transparency_log::{
    Checkpoint, Note, Policy,
    note::{Cosigner, NoteSigner},
    proof::LogProof,
    tile::{Fetch, FetchError, ResourcePath, TileReader, encode_entry, grown},
    tree::{Subtrees as _, prove_consistency, prove_inclusion, root},
    witness::AddCheckpoint,
};

use crate::witnessed::{Entries, time};

/// The place that the log's origin begins with.
const PLACE: &str = "pad.example/heads";
/// The seeds of the log and of its witnesses: this byte, 32 times.
const LOG: u8 = 0x2b;
const WITNESSES: [(&str, u8); 2] = [("witness.example/w1", 0x2c), ("witness.example/w2", 0x2d)];
/// When the witnesses cosign the log of one entry; each later one a minute later.
const FIRST: u64 = 1_700_000_000;

#[derive(Serialize)]
struct Heads {
    comment: &'static str,
    /// The text of the public key file of the dictionary.
    public: String,
    origin: String,
    log_seed: String,
    log_key: String,
    witnesses: Vec<WitnessKey>,
    policy: String,
    /// Messages of kind 1.
    entries: Vec<String>,
    sizes: Vec<OfSize>,
    accepted: Vec<Accepted>,
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct WitnessKey {
    seed: String,
    key: String,
}

/// The log of the first so many entries.
#[derive(Serialize)]
struct OfSize {
    size: u64,
    root: String,
    /// The checkpoint as the log signed it, with the cosignatures of both witnesses.
    checkpoint: String,
    /// What the log asks its witnesses, which know the log of one entry less.
    request: String,
    /// Tiles and bundles of entries that the log has of this size, by their paths.
    resources: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Accepted {
    /// The earliest time of a cosignature that counts.
    since: Option<u64>,
    /// The text of the proof.
    proof: String,
    version: u64,
}

#[derive(Serialize)]
struct Refused {
    why: &'static str,
    since: Option<u64>,
    proof: String,
}

const COMMENT: &str = "A log of the heads in trees/red-black.json. Its key and those of its witnesses are for tests only. Byte strings in \
    hexadecimal, but for what is in texts of the log. What the fields mean: docs/vectors/README.md.";

/// The trees' dictionary.
fn dictionary() -> (PublicKey, Vec<Vec<u8>>) {
    let text = fs::read_to_string(published::path("trees/red-black")).unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
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

/// The key of a log; that of another dictionary's log is another one.
fn log_key(origin: &str) -> NoteSigner {
    let is_other = origin == other_origin();
    let byte = if is_other { LOG + 10 } else { LOG };
    NoteSigner::new(origin.parse().unwrap(), &[byte; 32])
}

/// The log of another dictionary.
fn other_origin() -> String {
    origin(PLACE, DictionaryId::from_name("another"))
}

fn witness_keys() -> [Cosigner; 2] {
    WITNESSES.map(|(name, byte)| Cosigner::new(name.parse().unwrap(), &[byte; 32]))
}

/// When the log of so many entries is cosigned.
fn cosigned_at(size: u64) -> u64 {
    FIRST + 60 * (size - 1)
}

fn checkpoint(origin: &str, entries: &[Vec<u8>]) -> Checkpoint {
    let size = u64::try_from(entries.len()).unwrap();
    let root = root(&mut Entries(entries.to_vec()), size).unwrap();
    Checkpoint::new(origin, size, root).unwrap()
}

/// The checkpoint of these entries, cosigned by these witnesses.
fn note(origin: &str, entries: &[Vec<u8>], witnesses: &[Cosigner]) -> Note {
    let checkpoint = checkpoint(origin, entries);
    let mut note = checkpoint.sign(&log_key(origin));
    for witness in witnesses {
        let at = time(cosigned_at(checkpoint.size()));
        note.add(witness.cosign(&checkpoint, at)).unwrap();
    }
    note
}

/// The proof of the entry of this number, which is also the `extra` line.
fn proof(origin: &str, entries: &[Vec<u8>], index: u64) -> LogProof {
    let size = u64::try_from(entries.len()).unwrap();
    let path = prove_inclusion(&mut Entries(entries.to_vec()), index, size).unwrap();
    LogProof {
        index,
        path,
        note: note(origin, entries, &witness_keys()),
        extra: Some(entries[usize::try_from(index).unwrap()].clone()),
    }
}

/// The proof of the last entry.
fn last(origin: &str, entries: &[Vec<u8>]) -> LogProof {
    proof(origin, entries, u64::try_from(entries.len()).unwrap() - 1)
}

/// What a log has, by its path.
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
        let bytes: Vec<u8> = match path {
            // Fewer than 256 entries: all in one bundle, and their hashes in one tile.
            ResourcePath::Entries { .. } => entries
                .iter()
                .flat_map(|entry| encode_entry(entry).unwrap())
                .collect(),
            _ => (0..size)
                .flat_map(|index| *tree.subtree(0, index).unwrap().as_bytes())
                .collect(),
        };
        (path.to_string(), hex::encode(bytes))
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

/// Logs that have an entry which they should not have, and proofs of another entry than the last.
fn refused_entries(origin: &str, heads: &[Vec<u8>]) -> Vec<(&'static str, String)> {
    let with_last = |entry: Vec<u8>| {
        let mut entries = heads[..heads.len() - 1].to_vec();
        entries.push(entry);
        last(origin, &entries).encode()
    };
    let newest = &heads[heads.len() - 1];
    let signed: SignedHead<Sha256Ed25519> = codec::decode(newest, newest.len()).unwrap();
    let sign = |byte: u8, change: &dyn Fn(&mut SnapshotHead<Sha256Ed25519>)| {
        let mut head = signed.head;
        change(&mut head);
        codec::encode(&head.sign(&SigningKey::from_bytes(&[byte; 32])).unwrap())
    };
    let before = u64::try_from(heads.len()).unwrap() - 2;
    let other = other_origin();
    assert_eq!(sign(42, &|_| ()), *newest);
    vec![
        (
            "the entry before the last",
            proof(origin, heads, before).encode(),
        ),
        (
            "the log of another dictionary",
            last(&other, heads).encode(),
        ),
        (
            "a head twice, so that the last is not of the version of its place",
            with_last(heads[heads.len() - 2].clone()),
        ),
        (
            "a head signed by another author",
            with_last(sign(43, &|_| ())),
        ),
        (
            "a head of another dictionary",
            with_last(sign(42, &|head| {
                head.dictionary = DictionaryId::from_name("another");
            })),
        ),
        (
            "a head of a later version",
            with_last(sign(42, &|head| head.version = Version::new(7))),
        ),
        (
            "a head without its envelope",
            with_last(newest[codec::ENVELOPE_LENGTH..].to_vec()),
        ),
        (
            "a head and one byte more",
            with_last([&newest[..], &[0]].concat()),
        ),
        (
            "an entry that is no message",
            with_last(b"no head".to_vec()),
        ),
    ]
}

/// The proof of the newest head, changed.
fn changed_proofs(origin: &str, heads: &[Vec<u8>]) -> Vec<(&'static str, String)> {
    let honest = last(origin, heads);
    let with = |change: &dyn Fn(&mut LogProof)| {
        let mut changed = honest.clone();
        change(&mut changed);
        changed.encode()
    };
    let [first, second] = witness_keys();
    let head = checkpoint(origin, heads);
    let older = || note(origin, &heads[..heads.len() - 1], &witness_keys());
    let cosigned_only = || {
        let mut note = Note::new(head.text()).unwrap();
        note.add(first.cosign(&head, time(FIRST))).unwrap();
        note.add(second.cosign(&head, time(FIRST))).unwrap();
        note
    };
    vec![
        ("no extra line", with(&|proof| proof.extra = None)),
        (
            "another entry than that of the path",
            with(&|proof| {
                let entry = proof.extra.as_mut().unwrap();
                *entry.last_mut().unwrap() ^= 1;
            }),
        ),
        ("another index", with(&|proof| proof.index -= 1)),
        (
            "an index that is not below the size",
            with(&|proof| proof.index += 1),
        ),
        (
            "a hash less",
            with(&|proof| proof.path.truncate(proof.path.len() - 1)),
        ),
        (
            "a hash twice",
            with(&|proof| proof.path.push(proof.path[0])),
        ),
        (
            "hashes in another order",
            with(&|proof| proof.path.reverse()),
        ),
        ("an older checkpoint", with(&|proof| proof.note = older())),
        (
            "one cosignature where the policy asks for two",
            with(&|proof| {
                proof.note = note(origin, heads, &witness_keys()[..1]);
            }),
        ),
        (
            "without the log's signature",
            with(&|proof| proof.note = cosigned_only()),
        ),
    ]
}

/// The text of the proof of the newest head, changed.
fn changed_texts(honest: &str) -> Vec<(&'static str, String)> {
    let with = |from: &str, to: &str| {
        assert!(honest.contains(from), "{from}");
        honest.replacen(from, to, 1)
    };
    let lines: Vec<&str> = honest.lines().collect();
    let extra = lines[1];
    // The last signature is that of the second witness.
    let signature = lines[lines.len() - 1];
    let (name, digits) = signature.rsplit_once(' ').unwrap();
    let mut bytes = BASE64_STANDARD.decode(digits).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let wrong = format!("{name} {}", BASE64_STANDARD.encode(bytes));
    let padding = extra.find('=').expect("padding");
    let stray = extra.as_bytes()[padding - 1];
    let stray = format!(
        "{}{}{}",
        &extra[..padding - 1],
        char::from(stray + 1),
        &extra[padding..]
    );
    vec![
        ("nothing", String::new()),
        (
            "another version of the form",
            with("tlog-proof@v1", "tlog-proof@v2"),
        ),
        (
            "a cosignature that is wrong, though by a witness of the policy",
            with(signature, &wrong),
        ),
        ("another size, which nobody signed", with("\n6\n", "\n7\n")),
        ("an index that begins with 0", with("index ", "index 0")),
        ("a carriage return", with("\n", "\r\n")),
        (
            "base 64 without padding",
            with(extra, extra.trim_end_matches('=')),
        ),
        ("base 64 with stray bits", with(extra, &stray)),
        ("no line feed at the end", honest.trim_end().to_owned()),
        ("an empty line at the end", format!("{honest}\n")),
    ]
}

/// A proof of the newest head with a signature of somebody whom the policy does not know.
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
        newest(&public, &parsed, since.map(time), proof.as_bytes())
    };
    let accept = |since: Option<u64>, proof: String, version: u64| {
        let found = check(since, &proof).unwrap();
        assert_eq!(found.version, Version::new(version));
        assert_eq!(found.message, heads[usize::try_from(version).unwrap() - 1]);
        Accepted {
            since,
            proof,
            version,
        }
    };
    let sizes = 1..=heads.len();
    let mut accepted: Vec<Accepted> = sizes
        .clone()
        .map(|size| {
            accept(
                None,
                last(&own, &heads[..size]).encode(),
                u64::try_from(size).unwrap(),
            )
        })
        .collect();
    let honest = last(&own, &heads).encode();
    accepted.push(accept(Some(cosigned_at(6)), honest.clone(), 6));
    accepted.push(accept(None, with_another_signature(&own, &heads), 6));
    let mut cases = changed_texts(&honest);
    cases.extend(changed_proofs(&own, &heads));
    cases.extend(refused_entries(&own, &heads));
    let cases = cases.into_iter().map(|(why, proof)| (why, None, proof));
    let late = (
        "cosigned earlier than the client asks for",
        Some(cosigned_at(6) + 1),
        honest,
    );
    let refused = cases.chain([late]).map(|(why, since, proof)| {
        assert!(check(since, &proof).is_err(), "{why}");
        Refused { why, since, proof }
    });
    let computed = Heads {
        comment: COMMENT,
        public: public.to_text(),
        log_seed: hex::encode([LOG; 32]),
        log_key: log_key(&own).verifier().to_string(),
        witnesses: WITNESSES
            .iter()
            .zip(witnesses)
            .map(|((_, byte), key)| WitnessKey {
                seed: hex::encode([*byte; 32]),
                key,
            })
            .collect(),
        policy,
        entries: heads.iter().map(hex::encode).collect(),
        sizes: sizes.map(|size| size_of(&own, &heads[..size])).collect(),
        accepted,
        refused: refused.collect(),
        origin: own,
    };
    published::check("logs/heads", &computed);
}
