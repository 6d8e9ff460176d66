//! Tests of `bench::directory::lru`.

use bench::{
    directory::lru::{Before, Lru},
    workload::Random,
};

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
            let touched = lru.touch(key);
            assert_eq!(touched.before, touch(&mut list, frames, key));
            assert!(lru.held().any(|held| held == (key, touched.frame)));
            assert_eq!(lru.held().count(), list.len());
        }
    }
}
