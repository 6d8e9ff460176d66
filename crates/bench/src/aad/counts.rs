//! Numbers of coefficients of sums, points and bytes of each scheme: counted from the shape, not
//! measured.
//!
//! Counts of frontier logs assume random keys with one value each.

use std::collections::BTreeSet;

use pad_log::{
    DictionaryScheme,
    scheme::Completeness,
    shape::{Address, Shape},
};

use super::primitives::Primitives;

/// Returns the degree of the polynomials of the nodes of a level.
pub(super) fn degree<S: DictionaryScheme>(level: u8) -> usize {
    S::root_lengths().len() << level
}

/// Returns the microseconds of the sums that an author makes for a log. `versions` are the sizes of
/// its versions, ascending.
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
    // Each node has its accumulator and its certificate's quotient.
    let nodes = (Shape::BLOCK_LEVEL..=shape.top_level()).map(|level| {
        let all = (0..).map(|index| Address { level, index });
        let available = all.take_while(|node| shape.is_available(*node, last));
        2.0 * available.count() as f64 * primitives.sum_of(degree::<S>(level))
    });
    let frontiers = trees.iter().map(|tree| frontier_us::<S>(*tree, primitives));
    nodes.sum::<f64>() + frontiers.sum::<f64>()
}

/// Returns the microseconds of the sums of a frontier.
///
/// Counts each row's accumulators, from the second row on its certificates, and the proof that it
/// has no root in common with the tree.
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

/// Returns the microseconds of the sums of a lookup.
///
/// Counted: once over each tree, twice where the key has one value, three times where it has more.
/// Frontier: once over a group, or twice for each chunk where the key has values.
pub(super) fn prove_us<S: DictionaryScheme>(
    (shape, n): (Shape, u64),
    positions: &[u64],
    primitives: &Primitives,
) -> f64 {
    let tree = |root: Address| {
        let inside = within(root, positions);
        match S::COMPLETENESS {
            Completeness::Counted => {
                let sums = 1 + inside.min(2);
                sums as f64 * primitives.sum_of(degree::<S>(root.level))
            }
            Completeness::Frontier => {
                let sums = (2 * chunks(inside)).max(1);
                sums as f64 * primitives.sum_of(S::GROUP_DEGREE)
            }
        }
    };
    let trees = shape.forest(n).filter(|root| is_proved(*root));
    trees.fold(0.0, |sum, root| sum + tree(root))
}

/// Returns the bytes of a lookup in the message format. The key has no values, or its values are in
/// the largest tree.
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
            // Commitments, values and quotient; the path, then a quotient: of a prefix with its
            // length, or of a chunk with a commitment.
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

/// Bytes of a path through the rows above the groups: the children of each node, values of all but
/// one, and a quotient.
fn path_bytes(level: u8) -> usize {
    let steps = steps(level).into_iter();
    1 + steps
        .map(|children| 2 + 48 * children + 32 * (children - 1) + 48)
        .sum::<usize>()
}

/// Numbers of children of the nodes on a path through the rows above the groups, from the groups
/// up.
pub(super) fn steps(level: u8) -> Vec<usize> {
    let rows = rows(level);
    let below = rows.iter().take(rows.len() - 1);
    below.map(|nodes| (*nodes as usize).min(4)).collect()
}

/// The chunks of prefixes that leave a key's values.
pub(super) fn chunks(values: usize) -> usize {
    match values.checked_ilog2() {
        None => 0,
        Some(shared) => (values * (256 - shared as usize)).div_ceil(512),
    }
}

/// Reports whether a tree is larger than a block: blocks are shown in full.
pub(super) const fn is_proved(root: Address) -> bool {
    root.level > Shape::BLOCK_LEVEL
}

/// Counts the positions that a tree covers.
pub(super) fn within(root: Address, positions: &[u64]) -> usize {
    let covers = |position: &&u64| (root.start()..root.end()).contains(*position);
    positions.iter().filter(covers).count()
}

/// The prefixes that leave a tree of random elements with a key each, about.
const fn strings(level: u8) -> u64 {
    (512 - level as u64) << level
}

/// Counts the nodes of each row over a frontier, from the groups up to the root.
///
/// Strings above the keys' halves go into groups one by one; those below each half go at once.
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
