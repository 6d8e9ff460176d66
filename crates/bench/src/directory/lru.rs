//! Cache of `frames` frames with exact least-recently-used replacement. It stores only keys.

use std::{collections::HashMap, hash::Hash};

/// A least-recently-used set of keys, each in a numbered frame. A touch takes constant time. Memory
/// is proportional to the frames in use.
#[derive(Clone, Debug)]
pub struct Lru<K> {
    frames: usize,
    places: HashMap<K, usize>,
    /// Frames in a circular list, ordered by last use. Each stores its key, and the numbers of the
    /// next more and the next less recently used frame.
    ring: Vec<Frame<K>>,
    newest: usize,
}

#[derive(Clone, Debug)]
struct Frame<K> {
    key: K,
    newer: usize,
    older: usize,
}

/// State found when a key was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before<K> {
    /// The key was in the cache.
    Hit,
    /// The key was not in the cache, and a frame was empty.
    Empty,
    /// The key was not in the cache, and this key was evicted as the least recently used one.
    Evicted(K),
}

impl<K: Copy + Eq + Hash> Lru<K> {
    /// Creates an empty cache of `frames` frames, or one frame if `frames` is 0.
    pub fn new(frames: usize) -> Self {
        Self {
            frames: frames.max(1),
            places: HashMap::new(),
            ring: Vec::new(),
            newest: 0,
        }
    }

    /// Makes a key the most recently used one. Inserts it if it is absent, and evicts another key
    /// if all frames are full. Returns the number of the key's frame, and the state before.
    pub fn touch(&mut self, key: K) -> (usize, Before<K>) {
        if let Some(&frame) = self.places.get(&key) {
            self.unlink(frame);
            self.link(frame);
            return (frame, Before::Hit);
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
        (frame, before)
    }

    /// Iterates over all keys with the numbers of their frames, in no particular order.
    pub fn held(&self) -> impl Iterator<Item = (K, usize)> {
        self.places.iter().map(|(key, frame)| (*key, *frame))
    }

    /// Removes a frame from the circular list; a single frame remains unchanged.
    fn unlink(&mut self, frame: usize) {
        let Frame { newer, older, .. } = self.ring[frame];
        self.ring[newer].older = older;
        self.ring[older].newer = newer;
        if self.newest == frame {
            self.newest = older;
        }
    }

    /// Inserts a frame into the circular list as the most recently used one.
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
