//! Tests of versions beyond any real log, and of logs with inconsistent parts.

use proptest::prelude::*;

use super::*;

fn head(number: u64, history: D) -> SnapshotHead<S> {
    *verified(number, junk(number), history).get()
}

/// Rejects paths of every length for heads of versions beyond any real log, without overflow.
#[test]
fn huge_versions_and_empty_proofs_never_panic() {
    let (half, last) = (1_u64 << 63, u64::MAX);
    let numbers = [1, 2, 3, 1 << 32, half, half + 1, last - 1, last];
    let pairs = numbers
        .iter()
        .flat_map(|older| numbers.iter().map(move |newer| (*older, *newer)));
    for (older, newer) in pairs {
        let (first, second) = (head(older, junk(1)), head(newer, junk(2)));
        let mut mismatches = [0, 0];
        for length in 0..=130 {
            let path = vec![junk(3); length];
            let refused = check_inclusion::<S>(&second, version(older), &first.root, &path);
            mismatches[0] += u32::from(refused == Err(MISMATCH));
            assert!(refused.is_err());
            if older < newer {
                let refused = check_prefix::<S>(&first, &second, &path);
                mismatches[1] += u32::from(refused == Err(MISMATCH));
                assert!(refused.is_err());
            }
        }
        let fitting = [u32::from(older < newer); 2];
        assert_eq!(mismatches, fitting, "{older} {newer}: one length fits");
    }
    let log = Chain::new(0, 3).log;
    for number in numbers.into_iter().filter(|number| *number > 4) {
        assert_eq!(log.root(number), None);
        let (newer, before) = (version(number), version(number - 1));
        assert_eq!(log.version_root(newer), None);
        assert_eq!(log.prove_inclusion(version(1), newer), None);
        assert_eq!(log.prove_inclusion(before, newer), None);
        assert_eq!(log.prove_consistency(version(0), newer), None);
        assert_eq!(log.prove_consistency(newer, version(1)), None);
        assert_eq!(log.prove_consistency(newer, newer), None);
    }
    assert_eq!(log.prove_consistency(version(0), version(0)), None);
    // All siblings are stored, but not the version itself.
    assert_eq!(log.prove_consistency(version(4), version(5)), None);
    assert_eq!(log.prove_inclusion(version(0), version(3)), None);
}

/// Stored logs whose digests do not follow from their roots must be refused.
#[test]
fn a_malformed_store_is_refused() {
    let digests = |count: u64| (0..count).map(junk).collect::<Vec<D>>();
    let mut honest = HistoryLog::<S>::default();
    for root in digests(39) {
        honest.append(&root);
    }
    let stored = codec::encode_body(&honest);
    assert_eq!(codec::decode_body(&stored), Ok(honest));
    let wrong: [&[u64]; 5] = [&[4, 2, 1], &[], &[3, 2, 1], &[4, 2], &[4, 2, 1, 0]];
    for lengths in wrong {
        let levels: Vec<Vec<D>> = lengths.iter().copied().map(digests).collect();
        let stored = codec::encode_body(&(digests(39), levels));
        let log = codec::decode_body::<HistoryLog<S>>(&stored);
        assert_eq!(log, Err(crate::DecodeError::Malformed));
    }
    let mut frontier = Frontier::<S>::default();
    frontier.append(&junk(1));
    let mut bytes = codec::encode_body(&frontier);
    bytes[0] = 3;
    let stored = codec::decode_body::<Frontier<S>>(&bytes);
    assert_eq!(stored, Err(crate::DecodeError::Malformed));
}

proptest! {
    /// The verifier follows the RFC's recursion for logs of any size.
    #[test]
    fn huge_logs_verify(a in any::<u64>(), b in any::<u64>(), bits in 1_u32..=64) {
        let (a, b) = (a >> (64 - bits), b >> (64 - bits));
        let older = a.min(b).clamp(1, u64::MAX - 1);
        let newer = a.max(b).max(older + 1);
        let (index, entries) = (older - 1, newer - 1);

        let mut used = 0;
        let mut siblings = (0..).map(|number| { used = number + 1; junk(number) });
        let leaf = oracle::leaf::<S>(older, &junk(older));
        let history = oracle::root_of_path::<S>(index, entries, leaf, &mut siblings);
        let mut path: Vec<D> = (0..used).map(junk).collect();
        let newest = head(newer, history);
        let check = |path: &[D]| check_inclusion::<S>(&newest, version(older), &junk(older), path);
        prop_assert_eq!(check(&path), Ok(()));
        path.push(junk(0));
        prop_assert_eq!(check(&path), Err(MALFORMED));
        path.pop();
        path.pop();
        prop_assert_eq!(check(&path), if used == 0 { Ok(()) } else { Err(MALFORMED) });

        if index == 0 {
            return Ok(());
        }
        let mut used = 0;
        let mut digests = (0..).map(|number| { used = number + 1; junk(number) });
        let (prefix, whole) = oracle::roots_of_proof::<S>(index, entries, &mut digests);
        // The RFC omits the first digest if the verifier knows it: it is then the older root.
        let known = u64::from(index.is_power_of_two());
        let mut path: Vec<D> = (known..used).map(junk).collect();
        let (first, second) = (head(older, prefix), head(newer, whole));
        prop_assert_eq!(check_prefix::<S>(&first, &second, &path), Ok(()));
        path.pop();
        prop_assert_eq!(check_prefix::<S>(&first, &second, &path), Err(MALFORMED));
    }
}
