//! Hash chains: unrevealed links cannot be derived from revealed ones.

use super::{published::chains, *};
use pad_tuple::internals::chain::{MAX_CHAIN_LENGTH, walk};

/// Returns every revealed link and tuple digest, and all digests one or two steps from them, for
/// any tuple.
fn reachable<const GENERATIONS: usize>(
    target: &Target<Signed<Ed25519, Lightweight, GENERATIONS>>,
) -> Vec<Digest> {
    let chains = chains(target);
    let mut tuples: Vec<Digest> = chains.iter().map(|chain| chain.tuple.digest()).collect();
    tuples.sort();
    tuples.dedup();
    let links = chains.iter().flat_map(|chain| chain.links.clone());
    let mut links: Vec<Digest> = links.collect();
    links.extend(&tuples);
    for link in links.clone() {
        for tuple in &tuples {
            links.extend([1, 2].map(|steps| walk::<S>(link, tuple, steps)));
        }
    }
    links.sort();
    links.dedup();
    links
}

/// Offers every reachable link as the next link of a deleted tuple's chain.
fn check_deleted<const GENERATIONS: usize>(version: u64, name: &str, gone: u64) -> usize {
    let target = Target::<Signed<Ed25519, Lightweight, GENERATIONS>>::new();
    let stale = target.prove(version, name);
    let shown = stale.parts[0].evidence.shown;
    let until = shown.signed + u64::from(shown.revealed);
    assert_eq!(until + 1, gone, "the tuple is there until then");
    let links = reachable(&target);
    let mut tried = 0;
    for later in gone..gone + 3 {
        let refusal = target.refusal(&stale, later, name);
        assert_eq!(refusal, outside(later, shown.since, until));
        let needed = u32::try_from(later - shown.signed).unwrap();
        for revealed in needed..needed + 2 {
            for link in links.iter().step_by(pad_conformance::soak::size(3, 1)) {
                let mut forged = stale.clone();
                forged.parts[0].evidence.shown.revealed = revealed;
                forged.parts[0].evidence.shown.link = *link;
                assert_eq!(target.refusal(&forged, later, name), INVALID);
                tried += 1;
            }
        }
        // Claims a later instant of the signature.
        let mut forged = stale.clone();
        forged.parts[0].evidence.shown.signed = later;
        assert_eq!(target.refusal(&forged, later, name), INVALID);
    }
    tried
}

#[test]
fn no_link_keeps_a_deleted_tuple_alive() {
    // "d" is 4 until version 4, and 6 from version 5 on.
    let base = check_deleted::<1>(4, "d", 5);
    // The tombstone of "f" is gone when version 4 merges it.
    let spec = check_deleted::<2>(3, "f", 4);
    // No change since the merge of version 4, until version 5 puts "d".
    let unchanged = check_deleted::<2>(4, "zz", 5);
    println!("{base} + {spec} + {unchanged} links tried");
}

/// A tuple of epoch 2 must be refused in version 8, which requires epoch 3 in the older generation.
#[test]
fn no_link_keeps_a_tuple_of_an_older_generation_alive() {
    let target = Target::<SpecLightweight>::new();
    let mut mixed = target.prove(8, "d");
    mixed.parts[1] = target.prove(4, "d").parts[1].clone();
    assert_eq!(target.refusal(&mixed, 8, "d"), outside(3, 2, 2));
    for link in reachable(&target) {
        mixed.parts[1].evidence.shown.revealed = 1;
        mixed.parts[1].evidence.shown.link = link;
        assert_eq!(target.refusal(&mixed, 8, "d"), INVALID);
    }
}

/// Versions 1 to 6 contain the tuple before "b": signed in version 1, extended by links in 2 to 4,
/// and signed again in 5.
#[test]
fn a_used_up_chain_goes_on_only_with_a_new_signature() {
    let target = Target::<BaseLightweight>::new();
    let before = |now| target.prove_at(now, now, "a");
    let expected = [(1, 0), (1, 1), (1, 2), (1, 3), (5, 0), (5, 1)];
    for (now, (signed, revealed)) in (1..).zip(expected) {
        let shown = before(now).parts[0].evidence.shown;
        assert_eq!((shown.since, shown.signed), (1, signed));
        assert_eq!(shown.revealed, revealed);
    }
    // The server knows the seed of the used-up chain, but no reachable link hashes to this seed.
    let used_up = before(4);
    for link in reachable(&target) {
        let mut forged = used_up.clone();
        forged.parts[0].evidence.shown.revealed = 4;
        forged.parts[0].evidence.shown.link = link;
        assert_eq!(target.refusal(&forged, 5, "a"), INVALID);
    }
    // The link of one chain with the signature of the other.
    for (now, other) in [(4, 5), (5, 4), (4, 6), (6, 4), (6, 2)] {
        let mut mixed = before(now);
        mixed.parts[0].evidence.signature = before(other).parts[0].evidence.signature;
        assert_eq!(target.refusal(&mixed, now, "a"), INVALID);
        let mut mixed = before(now);
        mixed.parts[0].evidence.shown.link = before(other).parts[0].evidence.shown.link;
        assert_eq!(target.refusal(&mixed, now, "a"), INVALID);
    }
    // Any link covers the instants before it, back to the first one, with the same answer.
    for now in 1..=6 {
        for version in 1..=6 {
            let refusal = target.refusal(&before(now), version, "a");
            assert_eq!(refusal.is_none(), version <= now);
        }
    }
}

/// A link walked one step towards the anchor is the link of the instant before. A server can
/// therefore prove a lookup in several ways. Each is an honest proof of some time.
#[test]
fn a_link_may_be_walked_towards_its_anchor_only() {
    let target = Target::<BaseLightweight>::new();
    let newest = target.prove_at(4, 4, "a");
    let mut chains = chains(&target).into_iter();
    let first = chains.find(|chain| chain.tuple.holds(&key("a")) && chain.signed == 1);
    let tuple = first.unwrap().tuple.digest();
    for steps in 0..=3 {
        let mut walked = newest.clone();
        let shown = &mut walked.parts[0].evidence.shown;
        shown.revealed -= steps;
        shown.link = walk::<S>(shown.link, &tuple, steps);
        for version in 1..=6 {
            let covered = version <= 4 - u64::from(steps);
            let refusal = target.refusal(&walked, version, "a");
            assert_eq!(refusal.is_none(), covered);
        }
        let then = 4 - u64::from(steps);
        let honest = target.prove_at(then, then, "a");
        assert_eq!(codec::encode(&walked), codec::encode(&honest));
    }
}

#[test]
fn counts_and_instants_at_their_limits() {
    let target = Target::<SpecLightweight>::new();
    let honest = target.prove(6, "a");
    let refusal = |version, change: &dyn Fn(&mut Chain)| {
        let mut changed = honest.clone();
        change(&mut changed.parts[0].evidence.shown);
        target.refusal(&changed, version, "a")
    };
    let limit = MAX_CHAIN_LENGTH;
    let too_long = Some(VerifyError::ChainTooLong { limit });
    let length = 3;
    for revealed in [2, length, length + 1, limit - 1, limit] {
        assert_eq!(refusal(6, &|shown| shown.revealed = revealed), INVALID);
    }
    for revealed in [limit + 1, 1 << 16, u32::MAX - 1, u32::MAX] {
        assert_eq!(refusal(6, &|shown| shown.revealed = revealed), too_long);
    }
    let shown = honest.parts[0].evidence.shown;
    assert_eq!((shown.since, shown.signed, shown.revealed), (5, 5, 1));
    for late in [7, u64::MAX - 1, u64::MAX] {
        assert_eq!(refusal(6, &|shown| shown.since = late), outside(6, late, 6));
        // The end of the interval does not overflow.
        assert_eq!(refusal(6, &|shown| shown.signed = late), INVALID);
        let both = refusal(6, &|shown| {
            shown.signed = late;
            shown.revealed = u32::MAX;
        });
        assert_eq!(both, too_long);
        let all = refusal(u64::MAX, &|shown| {
            (shown.since, shown.signed, shown.revealed) = (late, u64::MAX, limit);
        });
        assert_eq!(all, INVALID);
    }
    for since in [0, 1, 4, 6] {
        assert_eq!(refusal(6, &|shown| shown.since = since), INVALID);
    }
    assert_eq!(refusal(6, &|shown| shown.signed = 4), outside(6, 5, 5));
    // A signature before the tuple's first instant.
    let backwards = |shown: &mut Chain| (shown.signed, shown.revealed) = (0, 6);
    assert_eq!(refusal(6, &backwards), INVALID);
}
