//! Finds the missing nodes of a version of a part, by a walk over the present nodes from left to
//! right.

use std::sync::Arc;

use pad_core::{Key, KeyRange, MAX_KEY_LENGTH, Suite};

use super::nodes::{Inner, Leaf, Node, Nodes, Split};
use crate::opened::Content;

/// Error returned when the author signed a tree whose keys do not ascend from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the author has signed a tree whose keys are out of order")]
pub struct Disordered;

/// A pending step of the walk.
enum Task<D> {
    /// Visit the subtree with this digest.
    Visit(D),
    /// Combine the results for the two children of the inner node with this digest.
    Join(D),
}

/// A summary of the leaves of a subtree that are present.
#[derive(Default)]
struct PresentLeaves {
    /// The first and the last present key; `None` if no leaf is present.
    ends: Option<[Arc<[u8]>; 2]>,
    /// Whether all nodes and values of the subtree are present.
    is_whole: bool,
}

impl<S: Suite> Nodes<S> {
    /// Finds a range of keys whose proof contains nodes that are missing here. Returns `None` if
    /// the version with this `root` is complete for `range`.
    ///
    /// In a complete version, a search for any key of the range finds its leaf, or the leaves on
    /// both sides of its gap. The proof of the range is available too.
    ///
    /// Complete subtrees are not entered. Every other inner node has a present leaf below it, and
    /// the keys of these leaves must ascend. So the time is linear in the present nodes. This holds
    /// even if an author has signed a structure in which many nodes share a child.
    ///
    /// # Errors
    /// [`Disordered`] if the keys of the present leaves do not ascend.
    pub(super) fn missing(
        &mut self,
        root: &S::Digest,
        range: &KeyRange,
    ) -> Result<Option<KeyRange>, Disordered> {
        if *root == S::empty_tree() {
            return Ok(None);
        }
        let mut walk = Walk::new(range);
        let mut tasks = vec![Task::Visit(*root)];
        let mut done: Vec<PresentLeaves> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(digest) => match self.get(&digest) {
                    None => {
                        walk.passed = true;
                        done.push(PresentLeaves::default());
                    }
                    Some(Node::Inner(Inner {
                        children: [left, right],
                        whole: None,
                        ..
                    })) => {
                        tasks.push(Task::Join(digest));
                        tasks.push(Task::Visit(*right));
                        tasks.push(Task::Visit(*left));
                    }
                    Some(node) => {
                        let here = walk.reach(node)?;
                        if let Some(missing) = walk.missing.take() {
                            return Ok(Some(missing));
                        }
                        done.push(here);
                    }
                },
                Task::Join(digest) => {
                    let right = done.pop().unwrap_or_default();
                    let left = done.pop().unwrap_or_default();
                    if let Some(inner) = self.inner_mut(&digest) {
                        done.push(join(inner, left, right));
                    }
                }
            }
        }
        Ok(walk.end())
    }
}

/// Combines the summaries of the two children of `inner`, and stores the boundary between their
/// keys in `inner`. Returns the summary of `inner`.
fn join<S: Suite>(
    inner: &mut Inner<S>,
    left: PresentLeaves,
    right: PresentLeaves,
) -> PresentLeaves {
    let is_whole = left.is_whole && right.is_whole;
    inner.split = match (&left.ends, &right.ends) {
        (_, Some([first, _])) => Some(Split::From(Arc::clone(first))),
        // The whole right subtree is beyond the range.
        (Some([_, last]), None) => Some(Split::Above(Arc::clone(last))),
        (None, None) => None,
    };
    let ends = match (left.ends, right.ends) {
        (Some([first, _]), Some([_, last])) => Some([first, last]),
        (one, other) => one.or(other),
    };
    if is_whole {
        inner.whole.clone_from(&ends);
    }
    PresentLeaves { ends, is_whole }
}

/// A walk over the present leaves in ascending order.
struct Walk<'r> {
    range: &'r KeyRange,
    /// The last key of the leaf or complete subtree that the walk reached last.
    previous: Option<Arc<[u8]>>,
    /// Whether the walk passed a missing subtree after the leaf that it reached last.
    passed: bool,
    /// The first key of the current run of leaves in the range that lack their values; `None`
    /// outside of such a run.
    lacking: Option<Arc<[u8]>>,
    /// A range of keys whose proof contains missing nodes, once the walk has found one.
    missing: Option<KeyRange>,
}

impl<'r> Walk<'r> {
    const fn new(range: &'r KeyRange) -> Self {
        Self {
            range,
            previous: None,
            passed: false,
            lacking: None,
            missing: None,
        }
    }

    /// Processes a leaf, or a complete subtree, that the walk reaches. May set `missing`. Returns
    /// the summary of the node's leaves.
    fn reach<S: Suite>(&mut self, node: &Node<S>) -> Result<PresentLeaves, Disordered> {
        let (ends, is_whole) = match node {
            Node::Leaf(Leaf { key, content }) => {
                let has_value = matches!(content, Content::Value(_));
                ([Arc::clone(key), Arc::clone(key)], has_value)
            }
            Node::Inner(Inner {
                whole: Some(ends), ..
            }) => (ends.clone(), true),
            Node::Inner(_) => return Ok(PresentLeaves::default()),
        };
        let [first, last] = &ends;
        if self.previous.as_ref().is_some_and(|before| before >= first) {
            return Err(Disordered);
        }
        let lacks_value = !is_whole && self.range.contains(first);
        if let Some(lacking) = &self.lacking {
            // A leaf without its value usually bounded an earlier request, so the leaves after it
            // are usually missing too. One range covers them all.
            if !lacks_value {
                self.missing = Some(self.between(lacking, Some(first)));
            }
        } else if self.passed && self.needs(Some(first)) {
            self.missing = Some(self.gap(Some(first)));
        } else if lacks_value {
            self.lacking = Some(Arc::clone(first));
        }
        self.passed = false;
        self.previous = Some(Arc::clone(last));
        let ends = Some(ends);
        Ok(PresentLeaves { ends, is_whole })
    }

    /// Returns the missing range that ends with the range of the part, if any. Called when the walk
    /// has reached all leaves.
    fn end(self) -> Option<KeyRange> {
        if let Some(lacking) = &self.lacking {
            return Some(self.between(lacking, None));
        }
        (self.passed && self.needs(None)).then(|| self.gap(None))
    }

    /// Whether the missing subtrees between the last leaf and the leaf with key `next` may be
    /// needed. `None` is the end of the tree. These subtrees are not needed if `next` lies before
    /// the range, or the last leaf lies after it.
    fn needs(&self, next: Option<&Arc<[u8]>>) -> bool {
        let is_before = next
            .zip(self.range.start.as_ref())
            .is_some_and(|(next, start)| **next < *start.as_bytes());
        let is_after = self
            .previous
            .as_ref()
            .zip(self.range.end.as_ref())
            .is_some_and(|(previous, end)| **previous >= *end.as_bytes());
        !is_before && !is_after
    }

    /// The keys of the range between the last leaf and the leaf with key `next`. If no key lies
    /// between these two leaves, the key of one of them.
    fn gap(&self, next: Option<&Arc<[u8]>>) -> KeyRange {
        let within = |key: &&Arc<[u8]>| self.range.contains(key);
        let (previous, next) = (
            self.previous.as_ref().filter(within),
            next.filter(within).and_then(|key| key_of(key)),
        );
        let start = match previous {
            Some(previous) => after(previous),
            None => self.range.start.clone(),
        };
        let gap = KeyRange {
            start,
            end: next.or_else(|| self.range.end.clone()),
        };
        if gap.is_valid() && (previous.is_none() || gap.start.is_some()) {
            return gap;
        }
        match previous {
            Some(previous) => KeyRange {
                start: key_of(previous),
                end: gap.end,
            },
            None => self.around(gap.start.as_ref().map_or(&[], Key::as_bytes)),
        }
    }

    /// The keys of the range from `first` up to `next`, exclusive, or up to the end of the range.
    fn between(&self, first: &[u8], next: Option<&Arc<[u8]>>) -> KeyRange {
        let next = next.filter(|next| self.range.contains(next));
        KeyRange {
            start: key_of(first),
            end: next
                .and_then(|next| key_of(next))
                .or_else(|| self.range.end.clone()),
        }
    }

    /// The range that contains only `key`.
    fn around(&self, key: &[u8]) -> KeyRange {
        KeyRange {
            start: key_of(key),
            end: after(key).or_else(|| self.range.end.clone()),
        }
    }
}

/// Converts bytes of a leaf's key to a [`Key`]; `None` if they are too long.
fn key_of(bytes: &[u8]) -> Option<Key> {
    Key::new(bytes).ok()
}

/// The smallest key above `key`; `None` if `key` is the greatest key.
fn after(key: &[u8]) -> Option<Key> {
    let mut bytes = key.to_vec();
    if bytes.len() < MAX_KEY_LENGTH {
        bytes.push(0);
        return key_of(&bytes);
    }
    while let Some(last) = bytes.pop() {
        if let Some(next) = last.checked_add(1) {
            bytes.push(next);
            return key_of(&bytes);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(bytes: &[u8]) -> Option<Key> {
        key_of(bytes)
    }

    #[test]
    fn the_next_key_has_none_before_it() {
        assert!(key(&[0]).is_some());
        assert_eq!(after(b""), key(&[0]));
        assert_eq!(after(b"a"), key(b"a\0"));
        let longest = |last: u8| [vec![7; MAX_KEY_LENGTH - 1], vec![last]].concat();
        assert_eq!(after(&longest(4)), key(&longest(5)));
        let shorter = [vec![7; MAX_KEY_LENGTH - 2], vec![8]].concat();
        assert_eq!(after(&longest(255)), key(&shorter));
        assert_eq!(after(&[255; MAX_KEY_LENGTH]), None);
    }

    #[test]
    fn a_gap_has_the_keys_of_the_range_in_it() {
        let leaf = |text: &str| -> Arc<[u8]> { text.as_bytes().into() };
        let bounded = KeyRange {
            start: key(b"f"),
            end: key(b"m"),
        };
        for (range, previous, next, expected) in [
            (&bounded, None, None, Some(("f", "m"))),
            (&bounded, None, Some("e"), None),
            (&bounded, None, Some("f"), Some(("f", "f\0"))),
            (&bounded, None, Some("g"), Some(("f", "g"))),
            (&bounded, Some("e"), Some("g"), Some(("f", "g"))),
            (&bounded, Some("f"), Some("g"), Some(("f\0", "g"))),
            (&bounded, Some("f"), Some("f\0"), Some(("f", "f\0"))),
            (&bounded, Some("g"), Some("p"), Some(("g\0", "m"))),
            (&bounded, Some("g"), None, Some(("g\0", "m"))),
            (&bounded, Some("m"), Some("p"), None),
            (&bounded, Some("m"), None, None),
            (&bounded, Some("e"), Some("p"), Some(("f", "m"))),
        ] {
            let mut walk = Walk::new(range);
            walk.previous = previous.map(leaf);
            let next = next.map(leaf);
            let gap = walk.needs(next.as_ref()).then(|| walk.gap(next.as_ref()));
            let expected = expected.map(|(start, end): (&str, &str)| KeyRange {
                start: key(start.as_bytes()),
                end: key(end.as_bytes()),
            });
            assert_eq!(gap, expected, "{previous:?} {next:?}");
        }
        let mut walk = Walk::new(&KeyRange::ALL);
        assert_eq!(walk.gap(None), KeyRange::ALL);
        walk.previous = Some(vec![255; MAX_KEY_LENGTH].into());
        let last = KeyRange {
            start: key(&[255; MAX_KEY_LENGTH]),
            end: None,
        };
        assert_eq!(walk.gap(None), last);
    }
}
