//! Tests of heads in a log that witnesses cosign.

use core::convert::Infallible;

use authdict::{
    DictionaryId, PublicKey, RedBlack, Sha256Ed25519, Tree, VerifyError, Version, WitnessedError,
    internals::witnessed::{NewestHead, check_entry, newest, origin},
    pad_core::codec,
};
use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, Authority, SnapshotHead};
use transparency_log::{
    Checkpoint, Policy, Timestamp,
    note::{Cosigner, NoteSigner},
    policy::{Cosignature, PolicyError, Window},
    proof::{LogProof, LogProofError},
    tree::{Hash, Subtrees, prove_inclusion, root},
};

type S = Sha256Ed25519;

/// The entries of a log. Hashes are computed on demand.
pub(crate) struct Entries(pub(crate) Vec<Vec<u8>>);

impl Subtrees for Entries {
    type Error = Infallible;

    fn subtree(&mut self, height: u8, index: u64) -> Result<Hash, Infallible> {
        let Some(below) = height.checked_sub(1) else {
            return Ok(Hash::of_leaf(&self.0[usize::try_from(index).unwrap()]));
        };
        let (left, right) = (
            self.subtree(below, 2 * index)?,
            self.subtree(below, 2 * index + 1)?,
        );
        Ok(Hash::of_node(&left, &right))
    }
}

fn author() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn public() -> PublicKey {
    let author = AuthorKey::from_bytes(author().verifying_key().as_bytes()).unwrap();
    PublicKey::of_author::<Tree<RedBlack>>(author, "prices").unwrap()
}

fn authority() -> Authority {
    public().authority
}

/// Returns the message of a signed head.
fn head(version: u64) -> Vec<u8> {
    let empty = SnapshotHead::<S>::empty(authority().scheme, authority().dictionary);
    let signed = SnapshotHead {
        version: Version::new(version),
        ..empty
    }
    .sign(&author());
    codec::encode(&signed.unwrap())
}

fn log_key(origin: &str) -> NoteSigner {
    NoteSigner::new(origin.parse().unwrap(), &[1; 32])
}

fn witness_key() -> Cosigner {
    Cosigner::new("witness.example/w".parse().unwrap(), &[2; 32])
}

pub(crate) fn time(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(seconds).unwrap()
}

/// Returns a proof of one entry of a log, cosigned at time 10.
fn proof(origin: &str, entries: Vec<Vec<u8>>, index: u64) -> LogProof {
    let size = u64::try_from(entries.len()).unwrap();
    let extra = Some(entries[usize::try_from(index).unwrap()].clone());
    let mut entries = Entries(entries);
    let root = root(&mut entries, size).unwrap();
    let checkpoint = Checkpoint::new(origin, size, root).unwrap();
    let mut note = checkpoint.sign(&log_key(origin));
    note.add(witness_key().cosign(&checkpoint, time(10)))
        .unwrap();
    let path = prove_inclusion(&mut entries, index, size).unwrap();
    LogProof {
        index,
        path,
        note,
        extra,
    }
}

fn check(
    origin: &str,
    since: Option<Timestamp>,
    proof: &LogProof,
) -> Result<NewestHead, WitnessedError> {
    let log = log_key(origin).verifier();
    let policy = Policy::threshold(&[log], 1, &[witness_key().verifier()]).unwrap();
    let window = since.map(|since| Window {
        since,
        now: time(20),
        until: time(20),
    });
    newest(&public(), &policy, window, proof.encode().as_bytes())
}

#[test]
fn only_the_last_entry_of_the_log_is_the_newest_head() {
    let origin = origin("pad.example", authority().dictionary);
    let heads = |number: u64| (1..=number).map(head).collect::<Vec<_>>();
    for size in 1..=9 {
        for index in 0..size {
            let found = check(&origin, Some(time(10)), &proof(&origin, heads(size), index));
            if index + 1 == size {
                let newest = found.unwrap();
                assert_eq!(newest.version, Version::new(size));
                assert_eq!(newest.message, head(size));
                assert_eq!(newest.cosignatures[0].time, time(10));
            } else {
                let (version, newest) = (Version::new(index + 1), Version::new(size));
                let refused = WitnessedError::NotNewest { version, newest };
                assert_eq!(found.unwrap_err(), refused);
            }
        }
    }
    let old = check(&origin, Some(time(11)), &proof(&origin, heads(3), 2)).unwrap_err();
    let policy = LogProofError::Policy(PolicyError::QuorumNotMet {
        missing: vec![],
        old: vec![Cosignature {
            witness: "witness.example/w".into(),
            time: time(10),
        }],
        ahead: vec![],
        now: Some(time(20)),
    });
    assert_eq!(old, WitnessedError::Log(policy));
}

#[test]
fn other_entries_and_logs_are_refused() {
    let own = origin("pad.example", authority().dictionary);
    let refused = |origin: &str, proof: &LogProof| check(origin, None, proof).unwrap_err();
    let other = origin("pad.example", DictionaryId::from_name("other"));
    let elsewhere = proof(&other, vec![head(1)], 0);
    let expected = WitnessedError::OtherDictionary(other.clone());
    assert_eq!(refused(&other, &elsewhere), expected);
    let bare = authority().dictionary.to_string();
    let unplaced = proof(&bare, vec![head(1)], 0);
    let expected = WitnessedError::OtherDictionary(bare.clone());
    assert_eq!(refused(&bare, &unplaced), expected);
    // The head's index in the log does not match its version.
    let (expected, actual) = (Version::new(2), Version::new(1));
    let wrong = WitnessedError::Head(VerifyError::WrongVersion { expected, actual });
    let found = refused(&own, &proof(&own, vec![head(1), head(1)], 1));
    assert_eq!(found, wrong);
    let text = proof(&own, vec![head(1), b"no head".to_vec()], 1);
    assert!(matches!(refused(&own, &text), WitnessedError::Decode(_)));
    let long = proof(&own, vec![vec![1; 2000]], 0);
    assert!(matches!(refused(&own, &long), WitnessedError::Decode(_)));
    let honest = proof(&own, vec![head(1), head(2)], 1);
    let without = LogProof {
        extra: None,
        ..honest.clone()
    };
    assert_eq!(refused(&own, &without), WitnessedError::NoHead);
    // A head of the correct version that is not in the log.
    let mut forged = head(2);
    *forged.last_mut().unwrap() ^= 1;
    let swapped = LogProof {
        extra: Some(forged.clone()),
        ..honest
    };
    assert!(matches!(
        refused(&own, &swapped),
        WitnessedError::Log(LogProofError::Tree(_))
    ));
    // An attacker has the log's key, but not the author's key.
    let unsigned = proof(&own, vec![head(1), forged], 1);
    let invalid = WitnessedError::Head(VerifyError::SignatureInvalid);
    assert_eq!(refused(&own, &unsigned), invalid);
    assert!(check_entry::<S>(&authority(), 1, &head(2)).is_ok());
    assert!(check_entry::<S>(&authority(), u64::MAX, &head(2)).is_err());
}
