//! Partial replicas of a tree: their proofs equal the proofs of the whole tree, and they prove and
//! accept nothing else.

use core::fmt::Debug;

use pad_conformance::{
    Action, Random, TreePad,
    operation::{key, value},
    pad::{MESSAGE_LIMIT, dictionary, signing_key},
    pruned::{Content, Leaf, Tree},
    repository::{TraceRun, play},
    traces,
    tree::{Store, tree_author},
};
use pad_core::{
    ApplyError, Dictionary, First, Frontier, HeadLog, Key, KeyRange, Keys, Last, LookupError,
    Operation, Predecessor, Repository, Sha256Ed25519, SignedHead, SnapshotHead, Successor,
    Untrusted, Update, VerifyError, Version, codec,
};
use pad_tree::{
    PartError, PartProgress, PathCopying, RedBlack, SkipList, Treap, TreePart, TreeProof,
    TreeRepository, for_each_tree,
    internals::{Authenticated, BalancingScheme, ProvableQuery},
};

use crate::conformance::StoreOf;

type S = Sha256Ed25519;
type Part = TreePart<S>;
type Whole<B> = TreeRepository<S, PathCopying<Authenticated<S>, B>>;

fn range(start: Option<&Key>, end: Option<&Key>) -> KeyRange {
    KeyRange {
        start: start.cloned(),
        end: end.cloned(),
    }
}

/// Loads a version into a part from a full server: first the `changed` keys, then missing ranges,
/// in pages of `page` bytes. Returns the number of questions.
fn load<St: Store<S>>(
    part: &mut Part,
    server: &TreeRepository<S, St>,
    version: Version,
    (changed, page): (&[Key], usize),
) -> usize {
    let mut questions = 0;
    part.load(version).unwrap();
    if let Some(keys) = Keys::new(changed.to_vec()) {
        let proof = server.prove_query(version, &keys).unwrap();
        part.take_keys(&keys, Untrusted::new(proof)).unwrap();
        questions += 1;
    }
    let mut before = None;
    loop {
        let missing = match part.progress().unwrap() {
            PartProgress::Kept(kept) => {
                assert_eq!((kept, part.latest()), (version, version));
                return questions;
            }
            PartProgress::Missing(missing) => missing,
        };
        assert!(missing.lies_in(part.range()) && missing.is_valid());
        assert_ne!(before.as_ref(), Some(&missing), "it comes to an end");
        let asked = server.page(version, &missing, page).unwrap();
        let proof = server.prove_query(version, &asked).unwrap();
        part.take_range(&asked, Untrusted::new(proof)).unwrap();
        before = Some(missing);
        questions += 1;
    }
}

/// Asserts that a part makes the same proof as the whole tree, or refuses because it does not keep
/// the keys.
fn assert_same<St: Store<S>, Q: ProvableQuery + Debug>(
    part: &Part,
    server: &TreeRepository<S, St>,
    (version, query): (Version, &Q),
    is_inside: Option<bool>,
) {
    let whole = server.prove_query(version, query);
    match part.prove_query(version, query) {
        Err(LookupError::NotKept) => {
            assert_ne!(is_inside, Some(true), "{version} {query:?} is kept");
        }
        proof => {
            assert_ne!(is_inside, Some(false), "{version} {query:?} is not kept");
            let bytes = |proof: TreeProof<S, Q>| codec::encode(&proof);
            let (proof, whole) = (proof.map(bytes), whole.map(bytes));
            assert_eq!(proof, whole, "{version} {query:?}");
        }
    }
}

/// Checks questions of every kind about a version.
fn check_version<St: Store<S>>(
    part: &Part,
    server: &TreeRepository<S, St>,
    version: Version,
    keys: &[Key],
    random: &mut Random,
) {
    let kept = part.range();
    for key in keys {
        let is_inside = kept.contains(key.as_bytes());
        assert_same(part, server, (version, key), Some(is_inside));
        // A part may know some neighbours of other keys, but not whether it knows all of them.
        let expected = (!is_inside).then_some(false);
        assert_same(part, server, (version, &Predecessor(key.clone())), expected);
        assert_same(part, server, (version, &Successor(key.clone())), expected);
    }
    assert_same(part, server, (version, &First), None);
    assert_same(part, server, (version, &Last), None);
    let mut pick = || &keys[random.index(keys.len())];
    for _ in 0..8 {
        let [start, end] = [pick(), pick()];
        for asked in [
            range(Some(start), Some(end)),
            range(None, Some(end)),
            range(Some(start), None),
            kept.clone(),
            KeyRange::ALL,
        ] {
            let is_inside = asked.lies_in(kept);
            assert_same(part, server, (version, &asked), Some(is_inside));
            check_page(part, server, version, &asked);
        }
        let several: Vec<Key> = (0..4).map(|_| pick().clone()).collect();
        let mut all = several.iter();
        let is_inside = all.all(|key| kept.contains(key.as_bytes()));
        let several = Keys::new(several).unwrap();
        assert_same(part, server, (version, &several), Some(is_inside));
    }
}

/// Asserts that a page of a part begins the range, and ends at the part's end at the latest.
fn check_page<St: Store<S>>(
    part: &Part,
    server: &TreeRepository<S, St>,
    version: Version,
    asked: &KeyRange,
) {
    let whole = server.page(version, asked, 8).unwrap();
    match part.page(version, asked, 8) {
        Ok(page) if asked.is_valid() => {
            assert!(page.lies_in(part.range()) && page.is_beginning_of(asked));
            let ends_there = page.end == part.range().end;
            assert!(page == whole || ends_there, "{page:?} {whole:?}");
        }
        Ok(page) => assert_eq!(page, whole),
        Err(error) => assert_eq!(error, LookupError::NotKept),
    }
}

/// Ranges with bounds at interesting keys, and without bounds.
fn ranges(keys: &[Key], random: &mut Random) -> Vec<KeyRange> {
    let mut pick = || &keys[random.index(keys.len())];
    let (below, above) = (range(None, Some(pick())), range(Some(pick()), None));
    let mut ranges = vec![KeyRange::ALL, below, above];
    while ranges.len() < 6 {
        let bounded = range(Some(pick()), Some(pick()));
        if bounded.is_valid() {
            ranges.push(bounded);
        } else if ranges.len() == 5 {
            // The trace may have only one key.
            break;
        }
    }
    ranges.retain(KeyRange::is_valid);
    ranges
}

fn check_trace<St: Store<S>>(actions: &[Action]) {
    let TraceRun {
        server,
        updates,
        oracle,
        author,
    } = play::<TreePad<S, St>>(actions);
    let keys: Vec<Key> = oracle.interesting_keys().into_iter().collect();
    let mut random = Random::new(traces::seed());
    for range in ranges(&keys, &mut random) {
        let mut part = Part::new(author.authority(), range).unwrap();
        for update in &updates {
            let changed = part.follow(update).unwrap();
            let version = update.head.head.version;
            load(&mut part, &server, version, (&changed, 1 << 20));
        }
        assert_eq!(part.oldest(), Version::EMPTY);
        assert_eq!(part.latest(), oracle.latest());
        for (version, _) in oracle.versions_from(Version::EMPTY) {
            check_version(&part, &server, version, &keys, &mut random);
        }
        check_dropping(&mut part, &server, &keys);
    }
}

/// Prunes `part`, and checks that it then equals a part that never loaded older versions, except
/// for surplus nodes.
fn check_dropping<St: Store<S>>(part: &mut Part, server: &TreeRepository<S, St>, keys: &[Key]) {
    let latest = part.latest();
    part.prune(latest).unwrap();
    assert_eq!((part.oldest(), part.latest()), (latest, latest));
    let mut random = Random::new(latest.number());
    check_version(part, server, latest, keys, &mut random);
    if let Some(version) = latest.previous() {
        let oldest = latest;
        let pruned = LookupError::Pruned { version, oldest };
        assert_eq!(part.prove(version, &keys[0]), Err(pruned));
        let mut fresh = Part::new(*part.heads().authority(), part.range().clone()).unwrap();
        for number in 1..=latest.number() {
            let head = part.heads().head(Version::new(number)).unwrap();
            fresh.follow_head(&head).unwrap();
        }
        load(&mut fresh, server, latest, (&[], 16));
        // The empty version directly precedes the first.
        let oldest = if version == Version::EMPTY {
            version
        } else {
            latest
        };
        assert_eq!((fresh.oldest(), fresh.latest()), (oldest, latest));
        check_version(&fresh, server, latest, keys, &mut random);
        // A pruned part may also keep a leaf of an older version next to the range.
        assert!(fresh.node_count() <= part.node_count());
    }
}

macro_rules! parts {
    ($name:ident, $scheme:ty, $($repository:tt)+) => {
        #[test]
        fn $name() {
            type Store = StoreOf<$($repository)+<S>>;
            let name = concat!(stringify!($name), "::parts");
            traces::check_traces(name, 10, 40, check_trace::<Store>);
        }
    };
}

mod same_proofs {
    use super::*;

    for_each_tree!(parts);
}

fn numbered(number: u32) -> Key {
    key(format!("{number:06}"))
}

/// Updates and full server of a dictionary of some thousand keys, of which each version changes
/// some.
fn large<B: BalancingScheme>() -> (Vec<Update<S>>, Whole<B>) {
    let mut author = tree_author::<S, B>(dictionary(), 7);
    let mut server = Whole::<B>::new(author.authority());
    let mut random = Random::new(traces::seed());
    let mut updates = Vec::new();
    for version in 0..60_u32 {
        if version == 0 {
            for number in 0..3000 {
                author.put(numbered(number * 2), value(number.to_be_bytes()));
            }
        }
        for _ in 0..8 {
            let number = u32::try_from(random.below(6000)).unwrap();
            if random.below(3) == 0 {
                author.remove(&numbered(number));
            } else {
                author.put(numbered(number), value(version.to_be_bytes()));
            }
        }
        let update = author.snapshot().unwrap();
        server.apply(&update).unwrap();
        updates.push(update);
    }
    (updates, server)
}

/// Versions share unchanged nodes, also after rotations. A new version adds only its changed paths.
fn check_sharing<B: BalancingScheme>() {
    let (updates, server) = large::<B>();
    let kept = range(Some(&numbered(2000)), Some(&numbered(3000)));
    let mut part = Part::new(*server.authority(), kept.clone()).unwrap();
    let mut nodes = 0;
    for update in &updates {
        let version = update.head.head.version;
        let changed = part.follow(update).unwrap();
        let questions = load(&mut part, &server, version, (&changed, 1));
        if version == Version::new(1) {
            // About 500 entries with their inner nodes, which are more in skip lists.
            nodes = part.node_count();
            assert!((900..2200).contains(&nodes), "{nodes}");
        } else {
            assert!(questions < 60, "{version}: {questions} questions");
        }
    }
    // 8 changes in each version, of which a sixth is in the range, and both ends.
    let added = part.node_count() - nodes;
    assert!(added < 59 * 200, "{added}");
    let all = KeyRange::ALL;
    for number in [1, 2, 17, 60] {
        let version = Version::new(number);
        assert_same(&part, &server, (version, &kept), Some(true));
        assert_eq!(part.prove_query(version, &all), Err(LookupError::NotKept));
    }
    let before = (part.node_count(), part.memory_bytes());
    part.prune(Version::new(60)).unwrap();
    assert!(part.node_count() < 2200 && part.memory_bytes() < before.1);
}

#[test]
fn versions_share_what_has_not_changed() {
    check_sharing::<RedBlack>();
    check_sharing::<Treap>();
    check_sharing::<SkipList>();
}

/// Checks that a wrong list of changed keys only causes more questions.
#[test]
fn a_wrong_list_of_changes_costs_questions_and_nothing_else() {
    let (updates, server) = large::<RedBlack>();
    let kept = range(Some(&numbered(1000)), Some(&numbered(1400)));
    let mut part = Part::new(*server.authority(), kept.clone()).unwrap();
    let mut random = Random::new(3);
    for update in updates.iter().take(12) {
        part.follow(update).unwrap();
        let wrong: Vec<Key> = (0..3)
            .map(|_| numbered(1000 + u32::try_from(random.below(400)).unwrap()))
            .collect();
        let version = update.head.head.version;
        load(&mut part, &server, version, (&wrong, 200));
        assert_same(&part, &server, (version, &kept), Some(true));
    }
}

/// A part with two of three versions loaded, and a full server.
fn with_third_missing() -> (Part, Whole<RedBlack>) {
    let (updates, server) = large::<RedBlack>();
    let kept = range(Some(&numbered(2000)), Some(&numbered(2100)));
    let mut part = Part::new(*server.authority(), kept).unwrap();
    for update in updates.iter().take(3) {
        let changed = part.follow(update).unwrap();
        let version = update.head.head.version;
        if version < Version::new(3) {
            load(&mut part, &server, version, (&changed, 1 << 20));
        }
    }
    (part, server)
}

#[test]
fn what_an_upstream_makes_up_is_not_taken() {
    let (mut part, server) = with_third_missing();
    let kept = part.range().clone();
    let third = Version::new(3);
    let unloaded = part.progress();
    assert_eq!(unloaded, Err(PartError::NotLoading));
    part.load(third).unwrap();
    let nodes = part.node_count();
    // Nodes of other versions.
    for version in [0, 1, 2, 4, 60].map(Version::new) {
        let proof = Untrusted::new(server.prove_query(version, &kept).unwrap());
        let refused = part.take_range(&kept, proof);
        assert_eq!(refused, Err(VerifyError::RootMismatch.into()), "{version}");
    }
    // Proofs of part of the range, or of a larger range.
    for (start, end) in [(2000, 2050), (2050, 2100), (1990, 2100), (2000, 2200)] {
        let other = range(Some(&numbered(start)), Some(&numbered(end)));
        let proof = server.prove_query(third, &other).unwrap();
        let bytes = codec::encode(&proof);
        let proof = Untrusted::<TreeProof<S, KeyRange>>::decode(&bytes, MESSAGE_LIMIT).unwrap();
        let refused = part.take_range(&kept, proof);
        assert!(matches!(refused, Err(PartError::Refused(_))), "{refused:?}");
    }
    // Every byte changed.
    let asked = range(Some(&numbered(2000)), Some(&numbered(2006)));
    let bytes = codec::encode(&server.prove_query(third, &asked).unwrap());
    for place in 0..bytes.len() {
        let mut other = bytes.clone();
        other[place] ^= 0x41;
        if let Ok(proof) = Untrusted::<TreeProof<S, KeyRange>>::decode(&other, MESSAGE_LIMIT) {
            let refused = part.take_range(&asked, proof);
            assert!(matches!(refused, Err(PartError::Refused(_))), "{place}");
        }
    }
    // Valid proofs outside the part's range are refused.
    let other = range(Some(&numbered(4000)), Some(&numbered(4100)));
    let proof = Untrusted::new(server.prove_query(third, &other).unwrap());
    assert_eq!(part.take_range(&other, proof), Err(PartError::Outside));
    let keys = Keys::new(vec![numbered(2001), numbered(2100)]).unwrap();
    let proof = Untrusted::new(server.prove_query(third, &keys).unwrap());
    assert_eq!(part.take_keys(&keys, proof), Err(PartError::Outside));
    assert_eq!(part.node_count(), nodes, "nothing was taken");
    // Loaded versions are unchanged, and the third is not served in part.
    let before = Version::new(2);
    for number in 1995..2105 {
        let asked = numbered(number);
        let is_inside = kept.contains(asked.as_bytes());
        assert_same(&part, &server, (before, &asked), Some(is_inside));
    }
    let (version, latest) = (third, before);
    let unknown = LookupError::UnknownVersion { version, latest };
    assert_eq!(part.prove(third, &numbered(2001)), Err(unknown));
    // The version can be loaded from an honest upstream.
    load(&mut part, &server, third, (&[], 64));
    assert_same(&part, &server, (third, &kept), Some(true));
}

#[test]
fn half_of_a_version_is_never_served_and_is_freed() {
    let (mut part, server) = with_third_missing();
    let nodes = part.node_count();
    let third = Version::new(3);
    part.load(third).unwrap();
    let half = range(Some(&numbered(2000)), Some(&numbered(2050)));
    let proof = Untrusted::new(server.prove_query(third, &half).unwrap());
    part.take_range(&half, proof).unwrap();
    assert!(part.node_count() > nodes);
    assert!(matches!(part.progress(), Ok(PartProgress::Missing(_))));
    assert!(part.prove(third, &numbered(2001)).is_err());
    // Loading the same version again keeps its nodes.
    let taken = part.node_count();
    part.load(third).unwrap();
    assert_eq!(part.node_count(), taken);
    let (version, latest) = (Version::new(2), Version::new(2));
    let not_after = PartError::NotAfter { version, latest };
    assert_eq!(part.load(version), Err(not_after));
    let fourth = Version::new(4);
    let Err(PartError::Lookup(unknown)) = part.load(fourth) else {
        panic!("its head is not known")
    };
    assert!(matches!(unknown, LookupError::UnknownVersion { .. }));
    // The nodes stay until another version is loaded; starting a later version keeps them.
    part.follow_head(&server.head(fourth).unwrap()).unwrap();
    part.load(fourth).unwrap();
    assert_eq!(part.node_count(), taken);
    load(&mut part, &server, fourth, (&[], 1 << 20));
    let versions = (part.oldest(), part.latest());
    assert_eq!(versions, (fourth, fourth), "versions without gaps");
    assert_same(&part, &server, (fourth, part.range()), Some(true));
    let before = part.node_count();
    part.prune(fourth).unwrap();
    assert_eq!(part.node_count(), before);
}

/// Loading takes one question for each page, and at most one more for the adjacent key.
#[test]
fn a_part_is_loaded_in_as_many_questions_as_it_has_pages() {
    let (updates, server) = large::<Treap>();
    let bounded = range(Some(&numbered(1000)), Some(&numbered(5000)));
    for kept in [bounded, KeyRange::ALL] {
        let mut part = Part::new(*server.authority(), kept.clone()).unwrap();
        let version = Version::new(1);
        part.follow_head(&updates[0].head).unwrap();
        let (mut pages, mut rest) = (0, kept.clone());
        loop {
            let page = server.page(version, &rest, 2000).unwrap();
            pages += 1;
            if page.end == rest.end {
                break;
            }
            rest.start = page.end;
        }
        let questions = load(&mut part, &server, version, (&[], 2000));
        let is_enough = (pages..=2 * pages).contains(&questions);
        assert!(is_enough, "{questions} of {pages}");
        assert!(pages > 5);
    }
}

#[test]
fn what_was_begun_and_abandoned_is_freed_with_the_next_version() {
    let (mut part, server) = with_third_missing();
    let (mut other, _) = with_third_missing();
    let (third, fourth) = (Version::new(3), Version::new(4));
    let head = server.head(fourth).unwrap();
    for part in [&mut part, &mut other] {
        part.follow_head(&head).unwrap();
    }
    // Loads half of a later version, and then the one before it.
    let nodes = part.node_count();
    let half = range(Some(&numbered(2000)), Some(&numbered(2050)));
    let begin = |part: &mut Part| {
        part.load(fourth).unwrap();
        let proof = Untrusted::new(server.prove_query(fourth, &half).unwrap());
        part.take_range(&half, proof).unwrap();
        assert!(part.node_count() > nodes);
        part.drop_abandoned();
        assert!(part.node_count() > nodes, "it is being loaded");
        part.load(third).unwrap();
    };
    begin(&mut part);
    part.drop_abandoned();
    assert_eq!(part.node_count(), nodes);
    begin(&mut part);
    for part in [&mut part, &mut other] {
        load(part, &server, third, (&[], 64));
        assert_eq!(part.latest(), third);
    }
    assert_eq!(part.node_count(), other.node_count());
    assert_eq!(part.memory_bytes(), other.memory_bytes());
    for version in [Version::new(2), third] {
        assert_same(&part, &server, (version, part.range()), Some(true));
    }
}

#[test]
fn heads_are_the_authors_and_in_order() {
    let (updates, server) = large::<Treap>();
    let kept = range(Some(&numbered(2000)), None);
    let mut part = Part::new(*server.authority(), kept).unwrap();
    let gap = part.follow(&updates[1]).unwrap_err();
    assert!(matches!(gap, ApplyError::VersionGap { .. }));
    assert!(part.follow_head(&updates[1].head).is_err());
    let mut forged: SignedHead<S> = updates[0].head;
    forged.head.root = forged.head.history;
    let refused = part.follow_head(&forged).unwrap_err();
    assert_eq!(refused, ApplyError::Head(VerifyError::SignatureInvalid));
    part.follow_head(&updates[0].head).unwrap();
    assert_eq!(part.heads().latest(), Version::new(1));
    assert_eq!(part.latest(), Version::EMPTY, "heads are no contents");
}

#[test]
fn a_range_that_can_hold_no_key_is_no_part() {
    let authority = tree_author::<S, RedBlack>(dictionary(), 7).authority();
    for (start, end) in [("b", "a"), ("a", "a"), ("", "")] {
        let empty = range(Some(&key(start)), Some(&key(end)));
        let refused = Part::new(authority, empty).err();
        assert_eq!(refused, Some(PartError::EmptyRange));
    }
}

/// An author may sign a disordered tree. No single proof reveals the disorder, but a part that
/// takes both proofs detects it.
#[test]
fn a_tree_out_of_order_is_never_complete() {
    let leaf = |text: &str| {
        Tree::<S>::Leaf(Leaf {
            key: key(text),
            content: Content::Value(value(text)),
        })
    };
    let (left, right) = (leaf("b"), leaf("a"));
    let tree = Tree::inner(left.clone(), right.clone());
    let author = tree_author::<S, RedBlack>(dictionary(), 7);
    let authority = author.authority();
    let head = SnapshotHead::<S> {
        scheme: authority.scheme,
        dictionary: authority.dictionary,
        version: Version::new(1),
        root: tree.digest(),
        history: Frontier::<S>::default().root(),
    };
    let signed = head.sign(&signing_key(7)).unwrap();
    let mut log = HeadLog::<S>::new(authority);
    log.append(&signed);
    let mut part = Part::new(authority, KeyRange::ALL).unwrap();
    part.follow_head(&signed).unwrap();
    part.load(Version::new(1)).unwrap();
    for (text, shown) in [
        ("b", Tree::inner(left, Tree::Elided(right.digest()))),
        ("a", Tree::inner(Tree::Elided(leaf("b").digest()), right)),
    ] {
        let keys = Keys::new(vec![key(text)]).unwrap();
        let proof = Untrusted::new(shown.to_mirror().to_proof());
        part.take_keys(&keys, proof).unwrap();
    }
    assert!(matches!(part.progress(), Err(PartError::Disordered(_))));
    assert_eq!(part.latest(), Version::EMPTY);
}

/// Parts must be exact at their ends. Covers keys at both ends, keys next to both, and ranges
/// without keys.
#[test]
fn ends_of_the_range_are_exact() {
    let mut author = tree_author::<S, RedBlack>(dictionary(), 7);
    let mut server = Whole::<RedBlack>::new(author.authority());
    let longest = key([0xff; pad_core::MAX_KEY_LENGTH]);
    let all = ["", "a", "b", "b\0", "b\0\0", "c", "d"].map(key);
    for one in all.iter().chain([&longest]) {
        author.put(one.clone(), value(one.as_bytes().len().to_be_bytes()));
    }
    let update = author.snapshot().unwrap();
    let version = server.apply(&update).unwrap();
    let asked: Vec<Key> = [
        "", "\0", "a", "a\0", "b", "b\0", "b\0\0", "b\u{1}", "c", "d", "e",
    ]
    .map(key)
    .into_iter()
    .chain([longest])
    .collect();
    let mut ends: Vec<Option<&Key>> = asked.iter().map(Some).collect();
    ends.push(None);
    for (place, start) in ends.iter().enumerate() {
        for end in ends.iter().skip(place).rev() {
            let kept = range(*start, *end);
            if !kept.is_valid() {
                continue;
            }
            let mut part = Part::new(*server.authority(), kept).unwrap();
            let changed = part.follow(&update).unwrap();
            load(&mut part, &server, version, (&changed, 1));
            let mut random = Random::new(1);
            check_version(&part, &server, version, &asked, &mut random);
            // Loads the part again in pages of one entry.
            let mut paged = Part::new(*server.authority(), part.range().clone()).unwrap();
            paged.follow(&update).unwrap();
            load(&mut paged, &server, version, (&[], 1));
            check_version(&paged, &server, version, &asked, &mut random);
        }
    }
}

#[test]
fn operations_that_remove_everything_leave_an_empty_part() {
    let mut author = tree_author::<S, SkipList>(dictionary(), 7);
    let mut server = Whole::<SkipList>::new(author.authority());
    let mut part = Part::new(author.authority(), range(Some(&key("b")), Some(&key("y")))).unwrap();
    let keys = ["a", "k", "m", "z"].map(key);
    let put = keys
        .iter()
        .map(|key| Operation::Put(key.clone(), value("1")));
    let remove = keys.iter().map(|key| Operation::Remove(key.clone()));
    for batch in [put.collect::<Vec<_>>(), remove.collect()] {
        let update = author.snapshot_of(batch).unwrap();
        let version = server.apply(&update).unwrap();
        let changed = part.follow(&update).unwrap();
        load(&mut part, &server, version, (&changed, 1 << 20));
        let mut random = Random::new(1);
        check_version(&part, &server, version, &keys, &mut random);
    }
    part.prune(Version::new(2)).unwrap();
    assert_eq!(part.node_count(), 0);
}
