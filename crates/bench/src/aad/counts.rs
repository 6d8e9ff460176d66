//! Work and message bytes of each scheme, computed from the log's shape instead of measured. Work
//! is the time of sums of curve points in G1.
//!
//! Counts of frontier logs assume random keys with one value each. [`Points`] are the curve points
//! in proofs, which bound the time to verify them.

use std::collections::BTreeSet;

use pad_log::{
    DictionaryScheme, Shape,
    internals::{Address, Completeness},
};

use super::primitives::Primitives;

/// Returns the degree of the polynomial of a tree node at `level`, which covers `2^level` entries.
pub(super) fn degree<S: DictionaryScheme>(level: u8) -> usize {
    S::root_lengths().len() << level
}

/// Estimates the microseconds of all sums in G1 that an author computes for a log. `versions` are
/// the log's sizes after each version, ascending.
pub(super) fn append_us<S: DictionaryScheme>(
    shape: Shape,
    versions: impl Iterator<Item = u64>,
    primitives: &Primitives,
) -> f64 {
    let (mut trees, mut last) = (BTreeSet::new(), 0);
    for size in versions {
        if S::COMPLETENESS == Completeness::Frontier {
            trees.extend(shape.forest(size).filter(|root| is_proved(*root)));
        }
        last = size;
    }
    // Each node takes two sums: its accumulator, and the quotient of its certificate.
    let nodes = (Shape::BLOCK_LEVEL..=shape.top_level()).map(|level| {
        let all = (0..).map(|index| Address { level, index });
        let available = all.take_while(|node| shape.is_available(*node, last));
        2.0 * available.count() as f64 * primitives.sum_of(degree::<S>(level))
    });
    let frontiers = trees.iter().map(|tree| frontier_us::<S>(*tree, primitives));
    nodes.sum::<f64>() + frontiers.sum::<f64>()
}

/// Estimates the microseconds of the sums in G1 for the frontier of `tree`. The frontier is a tree
/// over the prefixes that do not occur in `tree`.
///
/// Counts the accumulators of every row, the certificates from the second row on, and one proof of
/// disjointness. That proof shows that the polynomials of frontier and tree have no root in common.
fn frontier_us<S: DictionaryScheme>(tree: Address, primitives: &Primitives) -> f64 {
    let strings = strings(tree.level) as usize;
    let rows = rows(tree.level);
    let above = rows.iter().skip(1).map(|nodes| {
        let each = strings / (*nodes as usize).max(1);
        2.0 * *nodes as f64 * primitives.sum_of(each)
    });
    let groups = rows[0] as f64 * primitives.sum_of(S::GROUP_DEGREE.min(strings));
    let disjoint = primitives.sum_of(strings) + 2.0 * primitives.sum_of(degree::<S>(tree.level));
    groups + above.sum::<f64>() + disjoint
}

/// Estimates the microseconds of the sums in G1 that a server computes for a lookup in a log of `n`
/// entries. `positions` are the positions of the key's values. Sums of each tree that is larger
/// than a block:
///
/// - Counted: one sum over the tree, two if it has one value of the key, three if it has more.
/// - Frontier: one sum over a group of prefixes. If the tree has values of the key, two sums for
///   each chunk of prefixes.
pub(super) fn prove_us<S: DictionaryScheme>(
    (shape, n): (Shape, u64),
    positions: &[u64],
    primitives: &Primitives,
) -> f64 {
    let tree = |root: Address| {
        let inside = within(root, positions);
        let (sums, terms) = match S::COMPLETENESS {
            Completeness::Counted => (1 + inside.min(2), degree::<S>(root.level)),
            Completeness::Frontier => ((2 * chunks(inside)).max(1), S::GROUP_DEGREE),
        };
        sums as f64 * primitives.sum_of(terms)
    };
    let trees = shape.forest(n).filter(|root| is_proved(*root));
    trees.map(tree).sum()
}

/// Returns the bytes of a lookup message in a log of `n` entries. Assumes that the largest tree
/// contains all `values` values of the key.
pub(super) fn look_up_bytes<S: DictionaryScheme>((shape, n): (Shape, u64), values: usize) -> usize {
    let (envelope, counts, element) = (8, 8 + 4, S::element_bytes());
    let block = 48 + (element << Shape::BLOCK_LEVEL) + 48;
    let mut with_value = values;
    let trees = shape.forest(n).map(|root| {
        if root.level < Shape::BLOCK_LEVEL {
            return element << root.level;
        }
        if !is_proved(root) {
            return block;
        }
        let evidence = match S::COMPLETENESS {
            Completeness::Counted => 80 + 48 * with_value,
            // Commitments, values and a quotient, then the path, then the quotient of a prefix or
            // chunk. A prefix comes with its length, a chunk with a commitment.
            Completeness::Frontier => {
                256 + path_bytes(root.level) + 48 + if with_value == 0 { 2 } else { 48 }
            }
        };
        let shown = if with_value == 0 {
            80
        } else {
            4 + block + 208 * usize::from(root.level - Shape::BLOCK_LEVEL)
        };
        with_value = 0;
        4 + shown + evidence
    });
    let trees: usize = trees.sum();
    envelope + counts + trees + values * (4 + crate::workload::VALUE_LENGTH)
}

/// Returns the bytes of a path through the rows of a frontier above the groups. Each step contains
/// a node's children, the values of all but one of them, and a quotient.
fn path_bytes(level: u8) -> usize {
    let steps = steps(level).into_iter();
    let bytes = steps.map(|children| 2 + 48 * children + 32 * (children - 1) + 48);
    1 + bytes.sum::<usize>()
}

/// Returns the numbers of children of the nodes on a path through a frontier, from the row above
/// the groups up to the root. `level` is the level of the log's tree.
fn steps(level: u8) -> Vec<usize> {
    let rows = rows(level);
    let below = rows.iter().take(rows.len() - 1);
    below.map(|nodes| (*nodes as usize).min(4)).collect()
}

/// Returns the number of chunks into which a proof divides the prefixes that branch off from the
/// `values` values of one key.
fn chunks(values: usize) -> usize {
    match values.checked_ilog2() {
        None => 0,
        Some(shared) => (values * (256 - shared as usize)).div_ceil(512),
    }
}

/// Reports whether a tree is larger than a block and so needs a proof. Blocks and smaller trees
/// have at most eight entries, which are sent in full.
const fn is_proved(root: Address) -> bool {
    root.level > Shape::BLOCK_LEVEL
}

/// Counts the `positions` that the tree under `root` covers.
fn within(root: Address, positions: &[u64]) -> usize {
    let covers = |position: &&u64| (root.start()..root.end()).contains(*position);
    positions.iter().filter(covers).count()
}

/// Estimates the number of prefixes in the frontier of a tree with `2^level` random keys of one
/// element each.
const fn strings(level: u8) -> u64 {
    (512 - level as u64) << level
}

/// Counts the nodes in each row of a frontier, from the row of groups up to the root.
///
/// Prefixes within the key half of an element go into groups one by one. The prefixes below each
/// key half go into a group together.
fn rows(level: u8) -> Vec<u64> {
    let (room, single, chunk) = (1024, 256 - u64::from(level), 256);
    let (mut groups, mut left) = (0_u64, 0);
    for _ in 0..1_u64 << level {
        if left < single {
            groups += 1;
            left += room;
        }
        left -= single;
        if left < chunk {
            groups += 1;
            left = room;
        }
        left -= chunk;
    }
    let mut rows = vec![groups];
    while let Some(last) = rows.last().copied().filter(|last| *last > 1) {
        rows.push(last.div_ceil(4));
    }
    rows
}

/// Numbers of the points of G1 in a proof.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Points {
    commitments: usize,
    /// Quotients of polynomials. A verifier adds each of them to both of its sums.
    quotients: usize,
}

impl Points {
    const fn add(&mut self, commitments: usize, quotients: usize) {
        self.commitments += commitments;
        self.quotients += quotients;
    }

    /// Returns a lower bound of the verification time in microseconds: decoding the points, adding
    /// them up in two sums, and two pairings.
    pub(super) fn verify_us(self, primitives: &Primitives) -> f64 {
        let decoded = self.commitments + self.quotients;
        primitives.verify_us(decoded, decoded + self.quotients)
    }

    /// Counts the points in the lookup proof of a key in a log of `size` entries. `positions` are
    /// the positions of the key's values.
    pub(super) fn of_look_up<S: DictionaryScheme>(
        shape: Shape,
        size: u64,
        positions: &[u64],
    ) -> Self {
        let mut points = Self::default();
        for root in shape.forest(size) {
            let shown = |node: Address| {
                node.level == Shape::BLOCK_LEVEL && root == node
                    || positions
                        .iter()
                        .any(|it| (node.start()..node.end()).contains(it))
            };
            points.open(root, &shown);
            if is_proved(root) {
                points.evidence::<S>(root, within(root, positions));
            }
        }
        points
    }

    /// Counts the points in the inclusion proof of the entry at `position` in a log of `size`
    /// entries.
    pub(super) fn of_inclusion(shape: Shape, size: u64, position: u64) -> Self {
        let mut points = Self::default();
        let holds = |node: Address| (node.start()..node.end()).contains(&position);
        points.open(shape.root_holding(position, size), &holds);
        points
    }

    /// Adds the points that prove that the tree under `root` contains exactly `values` values of a
    /// key.
    fn evidence<S: DictionaryScheme>(&mut self, root: Address, values: usize) {
        if S::COMPLETENESS == Completeness::Counted {
            return match values {
                // The tree's polynomial without the key's one value is both a quotient and a
                // commitment. It counts as a quotient, because its two terms in the sum of
                // commitments are merged.
                0 | 1 => self.add(0, 1 + values),
                _ => self.add(1, 2),
            };
        }
        let chunks = chunks(values);
        self.add(3, 1);
        for children in steps(root.level) {
            self.add(children * chunks.max(1), chunks.max(1));
        }
        self.add(chunks, chunks.max(1));
    }

    /// Counts the points in the append-only proof between logs of `from` and `to` entries.
    pub(super) fn of_growth(shape: Shape, from: u64, to: u64) -> Self {
        let mut points = Self::default();
        let open = |node: Address| node.start() < from && !shape.is_root(node, from);
        for root in shape.forest(to).filter(|root| open(*root)) {
            points.open(root, &open);
        }
        points
    }

    fn open(&mut self, node: Address, is_open: &dyn Fn(Address) -> bool) {
        if node.level < Shape::BLOCK_LEVEL {
            return;
        }
        if !is_open(node) {
            return self.add(1, 0);
        }
        self.add(1, 1);
        if let Some((left, right)) = node.children() {
            self.open(left, is_open);
            self.open(right, is_open);
        }
    }
}
