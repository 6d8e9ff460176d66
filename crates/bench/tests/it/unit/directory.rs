//! Tests of the modules of `bench::directory`.

use core::ops::Range;

use bench::{
    directory::{
        contender::slot_updates,
        lru::{Before, Lru},
        table::shape,
    },
    line,
    workload::Random,
};

/// Level, slots of the block, whether new.
fn of(ids: Range<u64>) -> Vec<(u32, u64, bool)> {
    let slot_updates = slot_updates(&ids, 3).into_iter();
    slot_updates
        .map(|it| (it.level, it.slots, it.is_new))
        .collect()
}

#[test]
fn levels_grow_with_their_first_slot() {
    assert_eq!(of(0..1), [(0, 1, true)]);
    assert_eq!(of(2..3), [(0, 3, true)]);
    assert_eq!(of(3..4), [(0, 1, true), (1, 1, true), (1, 2, true)]);
    assert_eq!(of(4..5), [(0, 2, true), (1, 2, false)]);
    assert_eq!(of(8..9), [(0, 3, true), (1, 3, false)]);
    let grown = [(0, 1, true), (1, 1, true), (2, 1, true), (2, 2, true)];
    assert_eq!(of(9..10), grown);
    assert_eq!(of(4..7)[3..], [(1, 2, false), (1, 3, true)]);
}

/// Reference implementation of a touch, with a list in order.
fn touch(list: &mut Vec<u64>, frames: usize, key: u64) -> Before<u64> {
    let found = list.iter().position(|held| *held == key);
    let before = match found {
        Some(place) => {
            list.remove(place);
            Before::Hit
        }
        None if list.len() < frames => Before::Empty,
        None => Before::Evicted(list.remove(0)),
    };
    list.push(key);
    before
}

#[test]
fn agrees_with_a_list() {
    for frames in [1, 2, 3, 7, 40] {
        let (mut lru, mut list) = (Lru::new(frames), Vec::new());
        let mut random = Random::new(frames as u64);
        for _ in 0..3_000 {
            let key = random.below(30);
            let (frame, before) = lru.touch(key);
            assert_eq!(before, touch(&mut list, frames, key));
            assert!(lru.held().any(|held| held == (key, frame)));
            assert_eq!(lru.held().count(), list.len());
        }
    }
}

#[test]
fn shapes_follow_from_lines() {
    let line = |strategy: &str, bytes: u64, us: f64| {
        line! {
            experiment: "directory_inserts", strategy, block_bytes: bytes, update_us: us,
            update_ratio: us / 10.0,
        }
    };
    let lines = [
        line("ad-hash-1600", 512, 50.0),
        line("ad-hash-1600", 16 << 10, 10.0),
        line("ad-hash-1600", 64 << 10, 8.0),
        line("sha-384-scanning", 64 << 10, 40.0),
        line("merkle", 512, 0.5),
        line("merkle", 64 << 10, 0.4),
    ];
    for (name, expected) in [
        ("falls-at-first", 5.0),
        ("falls-then", 1.0 - 0.8),
        ("elements", 5.0),
        ("scanning", 5.0),
        ("path-spread", 1.25),
        ("path-below", 20.0),
    ] {
        assert_eq!(shape(name, &lines), Some(expected), "{name}");
    }
    assert_eq!(shape("falls-at-first", &lines[1..]), None);
}
