//! The witnesses of all elements without the secret key, by divide and conquer.
//!
//! The witness of an element is the base raised to the primes of all other elements. A node of a
//! binary tree over the elements computes the base raised to all primes outside of the node:
//!
//! ```text
//!              g                     all elements, nothing outside
//!          /       \
//!      g^right    g^left             each half gets the product of the other one
//!       /   \      /   \
//!     ...   ...  ...   ...           each leaf ends up with its witness
//! ```
//!
//! Both powers of a node have one base, so they share their squarings. Near the root there are
//! fewer nodes than threads. There, each thread computes one power with its own squarings.
//!
//! Source: Sander, Ta-Shma & Yung 2000 (the tree); Yao 1976 (the sharing). Deviation: Tremel 2013
//! computes each witness on its own, in quadratic time.

use pad_core::Workers;
use rsa_group::{exponentiation::powers_of_one_base, group::ModularGroup};
use rug::{Complete, Integer};

#[cfg(test)]
mod tests;

/// Number of subtrees into which the work is split for each thread, for load balancing.
const TASKS_PER_THREAD: usize = 4;

/// Computes for each prime `base` raised to all other primes, in the order of the primes.
///
/// Cost: with `n` primes of `b` bits, `n b log2(n) / 2` squarings and some `n b log2(n) / 7`
/// products, spread over the workers.
pub(crate) fn all_witnesses<G: ModularGroup>(
    group: &G,
    base: &G::Element,
    primes: &[&Integer],
    workers: &Workers,
) -> Vec<G::Element> {
    let Some(tree) = Tree::new(primes) else {
        return Vec::new();
    };
    let mut witnesses = vec![group.one(); primes.len()];
    let threads = workers.threads();
    let tasks = match threads {
        1 => 1,
        _ => threads.saturating_mul(TASKS_PER_THREAD),
    };
    let budget = Budget { threads, tasks };
    workers.run(|| tree.descend(group, base.clone(), &mut witnesses, budget));
    witnesses
}

/// How much parallel work a subtree may still create. With `threads` above 1, the two powers of a
/// node run on separate threads. With `tasks` above 1, so do its two subtrees.
#[derive(Clone, Copy)]
struct Budget {
    threads: usize,
    tasks: usize,
}

impl Budget {
    const fn halved(self) -> Self {
        Self {
            threads: self.threads.div_ceil(2),
            tasks: self.tasks.div_ceil(2),
        }
    }
}

/// A binary tree over primes. Each node stores the product of its primes.
enum Tree {
    Leaf(Integer),
    Node {
        product: Integer,
        leaves: usize,
        halves: Box<(Self, Self)>,
    },
}

impl Tree {
    fn new(primes: &[&Integer]) -> Option<Self> {
        match primes {
            [] => None,
            [prime] => Some(Self::Leaf(Integer::clone(prime))),
            _ => {
                let (left, right) = primes.split_at(primes.len() / 2);
                let halves = Box::new((Self::new(left)?, Self::new(right)?));
                Some(Self::Node {
                    product: (halves.0.product() * halves.1.product()).complete(),
                    leaves: primes.len(),
                    halves,
                })
            }
        }
    }

    const fn product(&self) -> &Integer {
        match self {
            Self::Leaf(prime) => prime,
            Self::Node { product, .. } => product,
        }
    }

    const fn leaves(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Node { leaves, .. } => *leaves,
        }
    }

    /// Computes the witness of each leaf into `witnesses`. `base` is the accumulator's base, raised
    /// to all primes outside of this subtree.
    fn descend<G: ModularGroup>(
        &self,
        group: &G,
        base: G::Element,
        witnesses: &mut [G::Element],
        budget: Budget,
    ) {
        let Self::Node { halves, .. } = self else {
            return place(base, witnesses);
        };
        let (left, right) = &**halves;
        let (left_base, right_base) = if budget.threads > 1 {
            rayon::join(
                || group.power(&base, right.product()),
                || group.power(&base, left.product()),
            )
        } else {
            bases(group, &base, left, right)
        };
        let (left_part, right_part) = witnesses.split_at_mut(left.leaves());
        let half = budget.halved();
        let left = || left.descend(group, left_base, left_part, half);
        let right = || right.descend(group, right_base, right_part, half);
        if budget.tasks > 1 {
            rayon::join(left, right);
        } else {
            left();
            right();
        }
    }
}

fn place<T>(witness: T, witnesses: &mut [T]) {
    if let [place] = witnesses {
        *place = witness;
    }
}

/// Computes the two bases for the halves of a node, with shared squarings. Each is `base` raised to
/// the product of the other half.
fn bases<G: ModularGroup>(
    group: &G,
    base: &G::Element,
    left: &Tree,
    right: &Tree,
) -> (G::Element, G::Element) {
    let mut powers =
        powers_of_one_base(group, base, &[right.product(), left.product()]).into_iter();
    let mut next = || powers.next().unwrap_or_else(|| group.one());
    (next(), next())
}
