//! Exact least-recently-used replacement: the content of a cache of `frames` frames.

use std::{collections::HashMap, hash::Hash};

/// Frames and their keys. Nothing is pinned. Time of a touch: constant; memory: the frames.
#[derive(Clone, Debug)]
pub struct Lru<K> {
    frames: usize,
    places: HashMap<K, usize>,
    /// Frames in a ring from the most recently used one on: each with its key and its newer and
    /// older neighbours.
    ring: Vec<Frame<K>>,
    newest: usize,
}

#[derive(Clone, Debug)]
struct Frame<K> {
    key: K,
    newer: usize,
    older: usize,
}

/// Result of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch<K> {
    /// Number of the frame that now contains the key.
    pub frame: usize,
    /// State before the touch.
    pub before: Before<K>,
}

/// State found when a key was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before<K> {
    /// The key was present.
    Hit,
    /// A frame was empty.
    Empty,
    /// This key, the least recently used one, was evicted.
    Evicted(K),
}

impl<K: Copy + Eq + Hash> Lru<K> {
    /// Creates a cache of empty frames, at least one.
    pub fn new(frames: usize) -> Self {
        Self {
            frames: frames.max(1),
            places: HashMap::new(),
            ring: Vec::new(),
            newest: 0,
        }
    }

    /// Makes a key the most recently used one.
    pub fn touch(&mut self, key: K) -> Touch<K> {
        if let Some(&frame) = self.places.get(&key) {
            self.unlink(frame);
            self.link(frame);
            let before = Before::Hit;
            return Touch { frame, before };
        }
        let (frame, before) = if self.ring.len() < self.frames {
            let frame = self.ring.len();
            self.ring.push(Frame {
                key,
                newer: frame,
                older: frame,
            });
            (frame, Before::Empty)
        } else {
            let oldest = self.ring[self.newest].newer;
            self.unlink(oldest);
            let evicted = std::mem::replace(&mut self.ring[oldest].key, key);
            self.places.remove(&evicted);
            (oldest, Before::Evicted(evicted))
        };
        self.places.insert(key, frame);
        self.link(frame);
        Touch { frame, before }
    }

    /// Iterates over all keys with their frames.
    pub fn held(&self) -> impl Iterator<Item = (K, usize)> {
        self.places.iter().map(|(key, frame)| (*key, *frame))
    }

    /// Takes a frame out of the ring; a single one remains unchanged.
    fn unlink(&mut self, frame: usize) {
        let Frame { newer, older, .. } = self.ring[frame];
        self.ring[newer].older = older;
        self.ring[older].newer = newer;
        if self.newest == frame {
            self.newest = older;
        }
    }

    /// Puts a frame before the newest one.
    fn link(&mut self, frame: usize) {
        let older = self.newest;
        if older != frame {
            let newer = self.ring[older].newer;
            self.ring[frame].newer = newer;
            self.ring[frame].older = older;
            self.ring[newer].older = frame;
            self.ring[older].newer = frame;
        }
        self.newest = frame;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Random;

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
}
