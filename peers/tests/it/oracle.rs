//! Compares every answer of every dictionary with a `BTreeMap`, and checks that forged proofs are
//! refused.

use std::collections::BTreeMap;

use pad_core::Sha256Ed25519;
use pad_tree::{
    RedBlackCacheEverywhere, RedBlackPathCopying, TreapCacheEverywhere, TreapPathCopying,
};
use peers::{
    Outcome,
    adapters::{
        accumulator::Accumulated, akd::Auditable, eth_trie::Patricia, jmt::Jellyfish, log::Counted,
        monotree::Mono, nomt::Trie, rs_merkle::SortedLeaves, signed_rows::SignedRows,
        sparse_merkle_tree::Sparse, tree::Tree, vb_accumulator::Bilinear,
    },
    load::Load,
    peer::{Key, Peer, Value},
};

const KEYS: u64 = 60;

/// Maximum number of forged proofs of each dictionary.
const MOST_FORGERIES: usize = 400;

/// A dictionary with some versions, and the contents of each version.
struct Published<P> {
    peer: P,
    load: Load,
    versions: Vec<BTreeMap<Key, Value>>,
}

fn published<P: Peer>() -> Outcome<Published<P>> {
    let (mut peer, mut load) = (P::new(KEYS)?, Load::new(KEYS));
    let mut contents: BTreeMap<Key, Value> = load.first().into_iter().collect();
    let first: Vec<_> = contents.iter().map(|(key, value)| (*key, *value)).collect();
    peer.publish(&first)?;
    let mut versions = vec![contents.clone()];
    for changes in [1, 7, 60] {
        let changes = load.next(changes);
        peer.publish(&changes)?;
        contents.extend(changes);
        versions.push(contents.clone());
    }
    Ok(Published {
        peer,
        load,
        versions,
    })
}

impl<P: Peer> Published<P> {
    /// Returns the versions that can be queried, counted from 1.
    fn asked(&self) -> Vec<usize> {
        let latest = self.versions.len();
        if P::about().keeps_old_versions() {
            (1..=latest).collect()
        } else {
            vec![latest]
        }
    }

    fn is_refused(
        &self,
        version: usize,
        key: &Key,
        value: Option<&Value>,
        proof: P::Proof,
    ) -> bool {
        self.peer.verify(version, (key, value), proof).is_err()
    }

    fn answers_equal_the_oracle(&mut self) -> Outcome<()> {
        for version in self.asked() {
            for (key, value) in self.versions[version - 1].clone() {
                let proof = self.peer.prove(version, &key)?;
                self.peer
                    .verify(version, (&key, Some(&value)), proof.clone())?;
                let sent = self.peer.decode(&P::encode(&proof)?)?;
                self.peer.verify(version, (&key, Some(&value)), sent)?;
                assert!(self.is_refused(version, &key, None, proof));
            }
        }
        Ok(())
    }

    fn absent_keys_are_proved(&mut self) -> Outcome<()> {
        for version in self.asked() {
            for _ in 0..20 {
                let key = self.load.any_absent();
                if !P::about().proves_absence() {
                    assert!(self.peer.prove(version, &key).is_err());
                    continue;
                }
                let proof = self.peer.prove(version, &key)?;
                self.peer.verify(version, (&key, None), proof.clone())?;
                assert!(self.is_refused(version, &key, Some(&[7; 32]), proof));
            }
        }
        Ok(())
    }

    fn proofs_show_nothing_else(&mut self) -> Outcome<()> {
        let latest = self.versions.len();
        let contents = self.versions[latest - 1].clone();
        for ((key, value), (other_key, other_value)) in contents.iter().zip(contents.iter().skip(1))
        {
            let proof = self.peer.prove(latest, key)?;
            assert!(self.is_refused(latest, key, Some(other_value), proof.clone()));
            // It shows nothing about other keys, except where a proof does not bind its key.
            let is_refused = self.is_refused(latest, other_key, Some(value), proof.clone());
            assert_eq!(
                is_refused,
                P::about().name != "monotree",
                "{}",
                P::about().name
            );
            if self.versions[latest - 2][key] != *value {
                assert!(self.is_refused(latest - 1, key, Some(value), proof));
            }
        }
        Ok(())
    }

    fn growth_is_proved_from_its_version_alone(&mut self) -> Outcome<()> {
        for from in 1..self.versions.len() {
            let Some(proof) = self.peer.prove_growth(from)? else {
                assert!(self.peer.verify_growth(from, &[]).is_err());
                continue;
            };
            for other in 1..self.versions.len() {
                assert_eq!(
                    self.peer.verify_growth(other, &proof).is_ok(),
                    other == from
                );
            }
            let mut forged = proof.clone();
            forged[proof.len() / 2] ^= 1;
            assert!(self.peer.verify_growth(from, &forged).is_err());
        }
        Ok(())
    }

    fn changed_bytes_are_refused(&mut self) -> Outcome<()> {
        let (latest, mut refused) = (self.versions.len(), 0);
        let (key, value) = self.load.any(latest);
        let bytes = P::encode(&self.peer.prove(latest, &key)?)?;
        // All bytes of short proofs, some of long ones: pairings take long.
        let (step, mut tried) = (bytes.len().div_ceil(MOST_FORGERIES), 0);
        for index in (0..bytes.len()).step_by(step) {
            tried += 1;
            let mut forged = bytes.clone();
            forged[index] ^= 1 << (index % 8);
            let Ok(proof) = self.peer.decode(&forged) else {
                refused += 1;
                continue;
            };
            // Some encodings have bits without meaning: the decoded proof is the same.
            let is_same = P::encode(&proof)? == bytes;
            let is_refused = self.is_refused(latest, &key, Some(&value), proof);
            assert!(is_refused || is_same, "byte {index}");
            refused += usize::from(is_refused);
        }
        assert!(refused * 10 >= tried * 9, "{refused} of {tried}");
        Ok(())
    }
}

/// Checks that both implementations of the construction agree: a point of the curve proves
/// membership, and a point with a scalar proves absence.
#[test]
fn witnesses_of_one_construction_have_one_length() -> Outcome<()> {
    fn lengths<P: Peer>() -> Outcome<[usize; 2]> {
        let mut published = published::<P>()?;
        let latest = published.versions.len();
        let (present, _) = published.load.any(latest);
        let absent = published.load.any_absent();
        let mut length =
            |key| -> Outcome<usize> { Ok(P::encode(&published.peer.prove(latest, key)?)?.len()) };
        Ok([length(&present)?, length(&absent)?])
    }
    assert_eq!(lengths::<Accumulated<true>>()?, [48, 48 + 32]);
    assert_eq!(lengths::<Bilinear>()?, [48, 48 + 32]);
    Ok(())
}

/// Checks that `differs` of signed rows is true: they lack freshness.
#[test]
fn signed_rows_verify_after_newer_ones() -> Outcome<()> {
    let (mut peer, mut load) = (SignedRows::new(KEYS)?, Load::new(KEYS));
    peer.publish(&load.first())?;
    let (key, old) = load.any(1);
    let proof = peer.prove(1, &key)?;
    peer.publish(&[(key, [9; 32])])?;
    peer.verify(2, (&key, Some(&old)), proof)?;
    assert!(SignedRows::about().differs.contains("no freshness"));
    Ok(())
}

/// Checks that a tree over a list proves absence before the first entry, after the last, and next
/// to a single one.
#[test]
fn absence_is_proved_at_both_ends() -> Outcome<()> {
    for entries in [
        vec![([5; 32], [1; 32])],
        vec![([5; 32], [1; 32]), ([6; 32], [1; 32])],
    ] {
        let mut peer = SortedLeaves::new(2)?;
        peer.publish(&entries)?;
        let ends = [[0; 32], [9; 32]];
        let proofs = [peer.prove(1, &ends[0])?, peer.prove(1, &ends[1])?];
        for (key, proof) in ends.iter().zip(&proofs) {
            peer.verify(1, (key, None), proof.clone())?;
        }
        // One leaf is at both ends.
        let is_refused = peer.verify(1, (&ends[0], None), proofs[1].clone()).is_err();
        assert_eq!(is_refused, entries.len() == 2);
        assert!(
            peer.verify(1, (&entries[0].0, None), proofs[0].clone())
                .is_err()
        );
    }
    Ok(())
}

macro_rules! dictionaries {
    ($($name:ident: $peer:ty;)*) => {$(
        #[test]
        fn $name() -> Outcome<()> {
            let mut published = published::<$peer>()?;
            published.answers_equal_the_oracle()?;
            published.absent_keys_are_proved()?;
            published.proofs_show_nothing_else()?;
            published.growth_is_proved_from_its_version_alone()?;
            published.changed_bytes_are_refused()
        }
    )*};
}

dictionaries! {
    aad_counted: Counted;
    akd: Auditable;
    bilinear_accumulator: Accumulated<true>;
    bilinear_accumulator_untrusted_server: Accumulated<false>;
    eth_trie: Patricia;
    jmt: Jellyfish;
    monotree: Mono;
    nomt: Trie;
    red_black_cache_everywhere: Tree<RedBlackCacheEverywhere<Sha256Ed25519>>;
    red_black_path_copying: Tree<RedBlackPathCopying<Sha256Ed25519>>;
    rs_merkle: SortedLeaves;
    signed_rows: SignedRows;
    sparse_merkle_tree: Sparse;
    treap_cache_everywhere: Tree<TreapCacheEverywhere<Sha256Ed25519>>;
    treap_path_copying: Tree<TreapPathCopying<Sha256Ed25519>>;
    vb_accumulator: Bilinear;
}
