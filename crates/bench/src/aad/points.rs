//! Numbers of curve points in proofs, which bound the time to verify them.

use pad_log::{
    DictionaryScheme, Shape,
    internals::{Address, Completeness},
};

use super::{
    counts::{chunks, is_proved, steps, within},
    primitives::Primitives,
};

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
