//! List of the measured trees: each scheme over each store, under each suite.

use std::marker::PhantomData;

use clap::builder::PossibleValuesParser;
use pad_core::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite};
use pad_tree::{PathCopying, TreeRepository, TreeScheme, for_each_tree, internals::Authenticated};

use super::{
    author, paper_layout,
    process::{Order, Role},
    server,
};
use crate::{counting::CountingSuite, dictionary::Store, prelude::*, primitives::Primitives};

/// A measured tree: the names of scheme, repository and suite, and its measuring function.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredTree {
    /// Name of the balancing scheme, for example `red-black`.
    pub scheme: &'static str,
    /// Name of the repository, the way of storing versions, for example `cache-everywhere`.
    pub repository: &'static str,
    /// Name of the suite of hash and signature, for example `sha256-ed25519`.
    pub suite: &'static str,
    measure: fn(&Order, Role) -> Outcome<Line>,
}

impl MeasuredTree {
    fn new<S: Suite, St: Store<S>>(_: PhantomData<TreeRepository<S, St>>) -> Self {
        type CountingTree<S, B> =
            TreeRepository<CountingSuite<S>, PathCopying<Authenticated<CountingSuite<S>>, B>>;
        Self {
            scheme: St::Scheme::NAME,
            repository: St::NAME,
            suite: S::NAME,
            measure: |order, role| match role {
                Role::Author => {
                    author::measure::<TreeRepository<S, St>, CountingTree<S, St::Scheme>>(order)
                }
                Role::Server => server::measure::<S, St>(order),
                Role::PaperLayout => paper_layout::measure::<S>(order),
            },
        }
    }

    /// Finds the tree with the given scheme, repository and suite.
    pub fn named(scheme: &str, repository: &str, suite: &str) -> Outcome<Self> {
        let names = [scheme, repository, suite];
        let is_named = |tree: &Self| [tree.scheme, tree.repository, tree.suite] == names;
        let tree = trees().into_iter().find(is_named);
        tree.ok_or_else(|| format!("unknown tree {names:?}").into())
    }
}

/// Executes an order in this process, which was started for it. Prints the result line as JSON.
pub fn follow(order: &Order, role: Role) -> Outcome<()> {
    let tree = MeasuredTree::named(&order.scheme, &order.repository, &order.suite)?;
    println!("{}", serde_json::to_string(&(tree.measure)(order, role)?)?);
    Ok(())
}

/// Lists all measured trees.
pub fn trees() -> Vec<MeasuredTree> {
    let mut trees = Vec::new();
    push_trees::<Sha256Ed25519>(&mut trees);
    push_trees::<Blake3Ed25519>(&mut trees);
    push_trees::<Paper2010>(&mut trees);
    trees
}

fn push_trees<S: Suite>(trees: &mut Vec<MeasuredTree>) {
    macro_rules! push_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            trees.push(MeasuredTree::new(PhantomData::<$($repository)+<S>>));
        };
    }
    for_each_tree!(push_tree);
}

/// Name of a suite, and the function that measures all its primitives.
pub type MeasuredSuite = (&'static str, fn(&Effort) -> Primitives);

/// Suites under which trees are measured.
pub const SUITES: [MeasuredSuite; 3] = [
    suite::<Sha256Ed25519>(),
    suite::<Blake3Ed25519>(),
    suite::<Paper2010>(),
];

const fn suite<S: Suite>() -> MeasuredSuite {
    (S::NAME, Primitives::measure_all::<S>)
}

/// Lists the distinct names of one kind (scheme, repository or suite), in the order of [`trees`].
pub fn names(name: fn(&MeasuredTree) -> &'static str) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in trees().iter().map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns a command-line parser that accepts the names of one kind: scheme, repository or suite.
pub fn possible(name: fn(&MeasuredTree) -> &'static str) -> PossibleValuesParser {
    PossibleValuesParser::new(names(name))
}
