//! Known answers of the suites, and their definition by SHA-256 and BLAKE3.

use pad_core::{
    Blake3Ed25519, Digest, Paper2010, Sha256Ed25519, Suite, SuiteId,
    internals::{DigestBytes, Domain},
};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256, block_api::compress256};

/// Known answers of a suite: a tree node, a history node, a leaf, a value, the empty tree, the rank
/// of a key.
fn answers<S: Suite>() -> [String; 6] {
    let (left, right) = (S::value(b"left"), S::value(b"right"));
    [
        S::node(Domain::TreeNode, &left, &right),
        S::node(Domain::HistoryNode, &left, &right),
        S::leaf(b"key", &left),
        S::value(b"value"),
        S::empty_tree(),
        S::hash(Domain::KeyRank, &[b"k", b"", b"ey"]),
    ]
    .map(|digest| digest.to_string())
}

#[test]
fn known_answers() {
    assert_eq!(answers::<Sha256Ed25519>(), SHA256);
    assert_eq!(answers::<Blake3Ed25519>(), BLAKE3);
    assert_eq!(answers::<Paper2010>(), PAPER_2010);
}

#[test]
fn suites_have_their_own_numbers_and_names() {
    let ids = [Sha256Ed25519::ID, Blake3Ed25519::ID, Paper2010::ID];
    assert_eq!(ids, [SuiteId(1), SuiteId(2), SuiteId(3)]);
    let names = [Sha256Ed25519::NAME, Blake3Ed25519::NAME, Paper2010::NAME];
    assert_eq!(names, ["sha256-ed25519", "blake3-ed25519", "paper-2010"]);
}

/// SHA-256 of the tag block and the data.
fn sha256(domain: Domain, data: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(domain.block::<64>())
        .chain_update(data)
        .finalize()
        .into()
}

/// SHA-256's state after the tag block and one more block, without padding.
fn two_blocks(domain: Domain, block: [u8; 64]) -> Vec<u8> {
    let mut state = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    compress256(&mut state, &[domain.block(), block]);
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// `left` and `right` next to each other, then zeros.
fn block(left: &[u8], right: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    let pair = [left, right].concat();
    block[..pair.len()].copy_from_slice(&pair);
    block
}

proptest! {
    #[test]
    fn suites_are_plain_sha256_and_plain_blake3(
        a in any::<Vec<u8>>(),
        b in any::<Vec<u8>>(),
        left in any::<[u8; 32]>(),
        right in any::<[u8; 32]>(),
        index in any::<prop::sample::Index>(),
    ) {
        let domain = *index.get(&Domain::ALL);
        let whole = [&a[..], &b].concat();
        let digest = sha256(domain, &whole);
        prop_assert_eq!(Sha256Ed25519::hash(domain, &[&a, &b]), Digest(digest));
        let truncated = Paper2010::hash(domain, &[&a, &b]);
        prop_assert_eq!(truncated.as_ref(), &digest[..28]);
        let key = domain.block::<32>();
        let keyed = Digest(*blake3::keyed_hash(&key, &whole).as_bytes());
        prop_assert_eq!(Blake3Ed25519::hash(domain, &[&a, &b]), keyed);

        let node = Sha256Ed25519::node(domain, &Digest(left), &Digest(right));
        prop_assert_eq!(node.as_ref(), two_blocks(domain, block(&left, &right)));
        let (l, r) = (&left[..28], &right[..28]);
        let (short_left, short_right) =
            (Digest::from_slice(l).unwrap(), Digest::from_slice(r).unwrap());
        let node = Paper2010::node(domain, &short_left, &short_right);
        prop_assert_eq!(node.as_ref(), &two_blocks(domain, block(l, r))[..28]);
        let keyed = Digest(*blake3::keyed_hash(&key, &[left, right].concat()).as_bytes());
        prop_assert_eq!(Blake3Ed25519::node(domain, &Digest(left), &Digest(right)), keyed);
    }

    #[test]
    fn digests_survive_every_form(bytes in any::<[u8; 32]>()) {
        let digest = Digest(bytes);
        prop_assert_eq!(Digest::from_words(digest.to_words()), digest);
        prop_assert_eq!(digest.to_string(), hex::encode(bytes));
        let short: [u8; 28] = bytes[..28].try_into().unwrap();
        prop_assert_eq!(Digest::from_words(Digest(short).to_words()), Digest(short));
        prop_assert_eq!(Digest::<28>::from_slice(&bytes), None);
    }
}

/// Tags differ even if truncated or padded, so no two domains share a first block.
#[test]
fn tags_are_distinct_ascii_of_at_most_32_bytes() {
    for (i, domain) in Domain::ALL.iter().enumerate() {
        let tag = domain.tag();
        assert!(tag.is_ascii() && !tag.contains('\0'), "{tag}");
        assert!(tag.len() <= 32, "{tag}");
        let (short, long) = (domain.block::<32>(), domain.block::<64>());
        let (start, padding) = long.split_at(tag.len());
        assert_eq!(start, tag.as_bytes());
        assert_eq!(long[..32], short);
        assert!(padding.iter().all(|byte| *byte == 0));
        for other in &Domain::ALL[..i] {
            assert_ne!(domain.block::<32>(), other.block::<32>());
        }
    }
}

/// Checks that equal data has different digests under different domains. Except with BLAKE3, `hash`
/// and `node` also differ.
#[test]
fn domains_are_separate() {
    fn check<S: Suite>() {
        let (left, right) = (S::value(b"left"), S::value(b"right"));
        let pair = [left.as_ref(), right.as_ref()].concat();
        let mut digests = Vec::new();
        for domain in Domain::ALL {
            digests.push(S::hash(domain, &[&pair]));
            digests.push(S::hash(domain, &[]));
        }
        if S::NAME != Blake3Ed25519::NAME {
            digests.extend(Domain::ALL.map(|domain| S::node(domain, &left, &right)));
        }
        let count = digests.len();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), count, "{}", S::NAME);
    }
    check::<Sha256Ed25519>();
    check::<Blake3Ed25519>();
    check::<Paper2010>();
}

const SHA256: [&str; 6] = [
    "547cc666f882523c86eff83cbf062d4a717f2a20349e1b1a6876f36dc02cb55f",
    "d311c03637caea3c560bd8901d6d46ce81de16ed90fcb9ac6898ca78c2354c9e",
    "756f3986e5194416b5c23bb103e3e141170b081cf1851690c12287ac40a4cbc2",
    "4d99d54372350511a0d1389ff128542fc61cc2e9221846d46e5eb585f3f4b0f4",
    "6c4c1b81920dca6f186f85fbe29db553d14ff80baa09ace2d87903ddcf60c2eb",
    "d16a10b56cbe878c736abed92bbda6f70b0c4a39e368bcd196bfbf7af870c92b",
];
const BLAKE3: [&str; 6] = [
    "d4a794135211445b81eaea1ab4d617994551436edac084b09ef8c3b0a8ee34d4",
    "be1894934ca1201ae4149ebeaf6db660c446921ad95b01fac3155b89ffeb92ec",
    "aba85acc734f4b43dae5e0057ba4242e96e38bada2fcf26aa8a923edfd13966c",
    "f1a34b8610399e74b6a5aee29fdb80537a408faeac1ebff9a3974fa733933529",
    "5d61bc7c02835ed731c6c0558fdd0e6957c27ed1b255356560467c19f1c48840",
    "d70dac651804bcf5873e749ad8f182d2be3548caf8ff46397bf75cd8c194bd42",
];
const PAPER_2010: [&str; 6] = [
    "911761b91fb8c64031fdba8bedb4f126d65224b7d1e268cbf1d2266b",
    "5006e410a88704145e064b487c80003e251fb767066b73a36a5ed6a1",
    "99f6e1e06f88aef187f1850d439173a83234c9a3ff817d920000aa19",
    "4d99d54372350511a0d1389ff128542fc61cc2e9221846d46e5eb585",
    "6c4c1b81920dca6f186f85fbe29db553d14ff80baa09ace2d87903dd",
    "d16a10b56cbe878c736abed92bbda6f70b0c4a39e368bcd196bfbf7a",
];
