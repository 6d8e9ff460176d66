//! No changed, combined or replayed answer makes a client of a tree accept a false statement.

use pad_conformance::check_soundness;
use pad_core::{First, Key, KeyRange, Keys, Last, Predecessor, Successor};
use pad_tree::{RedBlack, Tree, internals::BalancingScheme};

fn look_ups<B: BalancingScheme>() {
    check_soundness::<Tree<B>, Key>();
}

for_each_scheme!(look_ups,);

#[test]
fn other_questions() {
    check_soundness::<Tree<RedBlack>, Keys>();
    check_soundness::<Tree<RedBlack>, KeyRange>();
    check_soundness::<Tree<RedBlack>, Predecessor>();
    check_soundness::<Tree<RedBlack>, Successor>();
    check_soundness::<Tree<RedBlack>, First>();
    check_soundness::<Tree<RedBlack>, Last>();
}
