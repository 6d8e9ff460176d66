//! Resource paths, bundles, and a reader of hostile resources.

use std::{cell::RefCell, collections::BTreeMap};

use pad_conformance::{Random, soak};
use transparency_log::{
    tile::{
        BundleError, Fetch, FetchError, PathError, ReadError, ResourcePath, TileReader, Width,
        encode_entry, grown, parse_bundle,
    },
    tree::{Hash, TreeError, TreeHead, verify_consistency, verify_inclusion},
};

use crate::support::{NaiveLog, entry, naive_root, text_mutations};

fn tile(level: u8, index: u64, width: u16) -> ResourcePath {
    let width = Width::new(width).unwrap();
    ResourcePath::Tile {
        level,
        index,
        width,
    }
}

fn bundle(index: u64, width: u16) -> ResourcePath {
    let width = Width::new(width).unwrap();
    ResourcePath::Entries { index, width }
}

/// Each resource must have exactly one path. Tests the example and the bounds of `tlog-tiles`.
#[test]
fn paths_have_one_form() {
    let forms = [
        ("checkpoint", ResourcePath::Checkpoint),
        ("tile/0/x001/x234/067", tile(0, 1_234_067, 256)),
        ("tile/63/000.p/1", tile(63, 0, 1)),
        ("tile/1/999.p/255", tile(1, 999, 255)),
        ("tile/2/x001/000", tile(2, 1000, 256)),
        ("tile/entries/005", bundle(5, 256)),
        (
            "tile/entries/x018/x446/x744/x073/x709/x551/615.p/17",
            bundle(u64::MAX, 17),
        ),
    ];
    for (text, path) in forms {
        assert_eq!(path.to_string(), text);
        assert_eq!(text.parse(), Ok(path), "{text}");
    }
    // The first one is empty.
    let wrong = " Checkpoint /checkpoint checkpoint/ tile tile/ tile/0 tile/0/ tile/0/0 tile/0/00 \
        tile/0/0000 tile/00/000 tile/64/000 tile/256/000 tile/-1/000 tile/+1/000 tile/0/x000/000 \
        tile/0/x001 tile/0/001/000 tile/0/x001/x000 tile/0/000.p tile/0/000.p/ tile/0/000.p/0 \
        tile/0/000.p/01 tile/0/000.p/256 tile/0/000.p/257 tile/0/000.p/1/ tile/0/000/ tile/0//000 \
        tile/0/../000 tile/entries/0 tile/Entries/000 tile/data/000 \
        tile/0/x018/x446/x744/x073/x709/x551/616 \
        tile/0/x999/x999/x999/x999/x999/x999/x999/x999/x999/x999/x999/x999/999";
    for wrong in wrong.split(' ') {
        assert_eq!(wrong.parse::<ResourcePath>(), Err(PathError), "{wrong}");
    }
    for changed in text_mutations("tile/1/x001/x234/067.p/42") {
        if let Ok(path) = changed.parse::<ResourcePath>() {
            assert_eq!(path.to_string(), changed);
        }
    }
}

/// Growth to 70 000 entries must produce the tiles in the example of `tlog-tiles`.
#[test]
fn growing_brings_the_tiles_of_the_new_size() {
    let all: Vec<ResourcePath> = grown(0, 70_000).collect();
    let count = |wanted: fn(&ResourcePath) -> bool| all.iter().filter(|path| wanted(path)).count();
    let bundles = count(|path| matches!(path, ResourcePath::Entries { .. }));
    let tiles = [
        count(|path| matches!(path, ResourcePath::Tile { level: 0, .. })),
        count(|path| matches!(path, ResourcePath::Tile { level: 1, .. })),
        count(|path| matches!(path, ResourcePath::Tile { level: 2, .. })),
    ];
    assert_eq!((bundles, tiles), (274, [274, 2, 1]));
    for (level, index, width) in [(0, 273, 112), (1, 0, 256), (1, 1, 17), (2, 0, 1)] {
        let path = tile(level, index, width);
        assert!(all.contains(&path), "{path}");
    }
    assert_eq!(all.len(), 274 * 2 + 3);
    let at_256: Vec<ResourcePath> = grown(0, 256).collect();
    assert_eq!(at_256, [bundle(0, 256), tile(0, 0, 256), tile(1, 0, 1)]);
    assert_eq!(grown(256, 256).count(), 0);
    assert_eq!(grown(10, 9).count(), 0);
    let one_more: Vec<ResourcePath> = grown(69_999, 70_000).collect();
    assert_eq!(one_more, [bundle(273, 112), tile(0, 273, 112)]);
    // At each step, a growing log has the resources that its size requires.
    let mut there = std::collections::BTreeSet::new();
    let mut size = 0;
    for step in [1, 1, 253, 1, 1, 255, 300, 65_000, 30] {
        there.extend(grown(size, size + step));
        size += step;
        assert!(grown(0, size).all(|path| there.contains(&path)), "{size}");
    }
    let most = grown(u64::MAX - 1, u64::MAX);
    assert_eq!(most.last(), Some(tile(0, u64::MAX >> 8, 255)));
}

#[test]
fn bundles_have_one_form() {
    let entries: Vec<Vec<u8>> = (0..5).map(entry).chain([vec![], vec![3; 65_535]]).collect();
    let encoded = entries.iter().map(|entry| encode_entry(entry).unwrap());
    let encoded: Vec<u8> = encoded.flatten().collect();
    assert_eq!(parse_bundle(&encoded, 7).unwrap(), entries);
    assert_eq!(parse_bundle(&encoded, 6), Err(BundleError::WrongNumber(6)));
    assert_eq!(parse_bundle(&encoded, 8), Err(BundleError::WrongNumber(8)));
    let cut = parse_bundle(&encoded[..encoded.len() - 1], 7);
    assert_eq!(cut, Err(BundleError::Cut));
    assert_eq!(parse_bundle(&[0], 1), Err(BundleError::Cut));
    let refused = encode_entry(&vec![0; 65_536]);
    assert_eq!(refused, Err(BundleError::EntryTooLong(65_536)));
    assert_eq!(parse_bundle(&[], 0).unwrap(), Vec::<&[u8]>::new());
}

#[test]
fn a_reader_gives_what_the_log_has() {
    for size in [
        0, 1, 2, 255, 256, 257, 511, 512, 1000, 65_536, 65_537, 66_000,
    ] {
        let log = NaiveLog::new(size);
        let mut reader = TileReader::open(&log, &log.checkpoint(size)).unwrap();
        let mut numbers = Random::new(size);
        let draws = match size {
            0 => 0,
            1..=1000 => 12,
            _ => soak::size(1, 12),
        };
        for _ in 0..draws {
            let index = numbers.below(size);
            let at = index + 1 + numbers.below(size - index);
            let path = reader.prove_inclusion(index, at).unwrap();
            let head = log.head(at);
            verify_inclusion(index, Hash::of_leaf(&entry(index)), &head, &path).unwrap();
            let proof = reader.prove_consistency(index, at).unwrap();
            verify_consistency(&log.head(index), &head, &proof).unwrap();
            assert_eq!(reader.root_at(at).unwrap(), head.root);
            assert_eq!(reader.entry(index).unwrap(), entry(index));
        }
        let read: Vec<Vec<u8>> = (0..size.div_ceil(256))
            .flat_map(|index| reader.bundle(index).unwrap())
            .collect();
        assert_eq!(read, log.entries);
        let none = TreeError::NoSuchEntry { index: size, size };
        assert!(matches!(reader.entry(size), Err(ReadError::Tree(found)) if found == none));
        let (old, new) = (size + 1, size);
        let none = TreeError::Shrunk { old, new };
        assert!(matches!(reader.root_at(size + 1), Err(ReadError::Tree(found)) if found == none));
        let refused = reader.prove_inclusion(0, size + 1);
        assert!(matches!(refused, Err(ReadError::Tree(found)) if found == none));
        assert!(reader.bundle(size.div_ceil(256)).is_err());
        assert!(reader.bundle(u64::MAX).is_err());
    }
}

type Change<'a> = &'a dyn Fn(&mut Vec<u8>);

/// A source that changes one resource.
struct TamperedSource<'a> {
    log: &'a NaiveLog,
    path: ResourcePath,
    change: Change<'a>,
    fetched: RefCell<BTreeMap<ResourcePath, usize>>,
}

impl<'a> TamperedSource<'a> {
    fn new(log: &'a NaiveLog, path: ResourcePath, change: Change<'a>) -> Self {
        let fetched = RefCell::default();
        Self {
            log,
            path,
            change,
            fetched,
        }
    }
}

impl Fetch for TamperedSource<'_> {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
        *self.fetched.borrow_mut().entry(*path).or_default() += 1;
        let mut bytes = self.log.fetch(path)?;
        if *path == self.path {
            (self.change)(&mut bytes);
        }
        Ok(bytes)
    }
}

/// The reader detects a change of any hash in any tile and returns no wrong result.
#[test]
fn changed_tiles_are_refused_before_anything_is_made_of_them() {
    let size = 66_000;
    let log = NaiveLog::new(size);
    let tiles: Vec<ResourcePath> = grown(0, size)
        .filter(|path| matches!(path, ResourcePath::Tile { .. }))
        .collect();
    assert_eq!(tiles.len(), 258 + 2 + 1);
    let checkpoint = log.checkpoint(size);
    for path in tiles.iter().skip(250) {
        let ResourcePath::Tile {
            level,
            index,
            width,
        } = path
        else {
            continue;
        };
        let within = index << (8 * (u32::from(*level) + 1));
        for place in [0, usize::from(width.number()) - 1] {
            let flip = |bytes: &mut Vec<u8>| bytes[32 * place + 31] ^= 1;
            let hostile = TamperedSource::new(&log, *path, &flip);
            let Ok(mut reader) = TileReader::open(&hostile, &checkpoint) else {
                assert_ne!(*width, Width::COMPLETE, "{path}");
                continue;
            };
            assert_eq!(*width, Width::COMPLETE, "{path}");
            // The entries of this tile, and an adjacent one.
            let of_entry = reader.entry(within).unwrap_err();
            let of_proof = reader.prove_inclusion(within, size).unwrap_err();
            for refused in [of_entry, of_proof] {
                let is_of_tile = matches!(refused, ReadError::Tile(found) if found == *path);
                assert!(is_of_tile, "{path}");
            }
            assert_eq!(reader.entry(size - 1).unwrap(), entry(size - 1));
        }
    }
}

#[test]
fn resources_of_other_lengths_are_refused() {
    let log = NaiveLog::new(300);
    let checkpoint = log.checkpoint(300);
    let changes: [Change<'_>; 5] = [
        &|bytes| bytes.truncate(bytes.len() - 1),
        &|bytes| bytes.truncate(bytes.len() - 32),
        &|bytes| bytes.push(0),
        &|bytes| bytes.extend([0; 32]),
        &Vec::clear,
    ];
    for change in changes {
        for path in [tile(0, 1, 44), tile(1, 0, 1)] {
            let hostile = TamperedSource::new(&log, path, change);
            let refused = TileReader::open(&hostile, &checkpoint).unwrap_err();
            assert!(matches!(refused, ReadError::Length(found) if found == path));
        }
        let lowest = tile(0, 0, 256);
        let hostile = TamperedSource::new(&log, lowest, change);
        let mut reader = TileReader::open(&hostile, &checkpoint).unwrap();
        assert!(matches!(reader.entry(3), Err(ReadError::Length(found)) if found == lowest));
        let hostile = TamperedSource::new(&log, bundle(0, 256), change);
        let mut reader = TileReader::open(&hostile, &checkpoint).unwrap();
        assert!(matches!(reader.entry(3), Err(ReadError::Bundle { .. })));
    }
}

#[test]
fn changed_entries_are_refused() {
    let log = NaiveLog::new(300);
    let checkpoint = log.checkpoint(300);
    let lengths: Vec<usize> = log.entries.iter().map(Vec::len).collect();
    let mut place = 0;
    for (index, length) in lengths.iter().take(256).enumerate() {
        // The first byte of each entry, not its length.
        place += 2;
        let at = place;
        let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 1;
        let hostile = TamperedSource::new(&log, bundle(0, 256), &flip);
        let mut reader = TileReader::open(&hostile, &checkpoint).unwrap();
        let refused = reader.bundle(0).unwrap_err();
        let index = u64::try_from(index).unwrap();
        assert!(matches!(refused, ReadError::Entry(found) if found == index));
        place += length;
    }
    let longer = |bytes: &mut Vec<u8>| bytes.resize(bundle(0, 256).longest() + 1, 0);
    let hostile = TamperedSource::new(&log, bundle(0, 256), &longer);
    let mut reader = TileReader::open(&hostile, &checkpoint).unwrap();
    assert!(matches!(reader.bundle(0), Err(ReadError::Length(_))));
}

/// A log may drop incomplete tiles once the complete ones exist. A reader must then use the
/// complete ones.
#[test]
fn complete_tiles_do_for_incomplete_ones() {
    struct IncompleteSource<'a>(&'a NaiveLog);
    impl Fetch for IncompleteSource<'_> {
        fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
            let at_edge = matches!(path, ResourcePath::Tile { level: 1, .. });
            if path.completed().is_some() && !at_edge {
                return Err(FetchError::NotFound);
            }
            self.0.fetch(path)
        }
    }
    let log = NaiveLog::new(512);
    let mut reader = TileReader::open(IncompleteSource(&log), &log.checkpoint(300)).unwrap();
    assert_eq!(reader.bundle(1).unwrap(), log.entries[256..300]);
    assert_eq!(reader.root_at(299).unwrap(), log.head(299).root);
    let short = NaiveLog::new(300);
    let missing = TileReader::open(IncompleteSource(&short), &log.checkpoint(300));
    let missing = missing.unwrap_err();
    let ReadError::Fetch { path, source } = missing else {
        panic!("{missing}")
    };
    assert_eq!(path, tile(0, 1, 44));
    assert!(matches!(source, FetchError::NotFound));
}

#[test]
fn another_root_or_size_is_refused_at_once() {
    let log = NaiveLog::new(700);
    let forked = NaiveLog::of((0..700).map(|index| entry(index + 1)).collect());
    let refused = |log: &NaiveLog, head: &TreeHead| TileReader::open_at(log, head).unwrap_err();
    for size in [1, 2, 255, 256, 300, 512, 699] {
        let head = log.head(size);
        assert!(matches!(refused(&forked, &head), ReadError::Root));
        let size = size + 1;
        let other = TreeHead { size, ..head };
        assert!(matches!(refused(&log, &other), ReadError::Root));
    }
    // A size that no log has.
    let (size, root) = (u64::MAX, naive_root(&[]));
    let refused = refused(&log, &TreeHead { size, root });
    assert!(matches!(refused, ReadError::Fetch { .. }));
}

/// The number of tiles read depends on the number of levels, not on the size. Each tile is fetched
/// once.
#[test]
fn tiles_are_fetched_once() {
    let log = NaiveLog::new(66_000);
    let nothing = |_: &mut Vec<u8>| {};
    let counted = TamperedSource::new(&log, ResourcePath::Checkpoint, &nothing);
    let mut reader = TileReader::open(&counted, &log.checkpoint(66_000)).unwrap();
    assert_eq!(counted.fetched.borrow().len(), 3);
    reader.prove_inclusion(5, 66_000).unwrap();
    reader.prove_inclusion(6, 66_000).unwrap();
    let counts: Vec<usize> = counted.fetched.borrow().values().copied().collect();
    // One more tile of level 0, and one above it.
    assert_eq!(counts, [1; 5]);
}
