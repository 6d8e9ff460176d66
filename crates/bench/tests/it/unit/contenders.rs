//! Tests of `bench::measure::contenders`.

use bench::{
    Outcome,
    measure::{
        contenders::{Visitor, dashed, design_name, visit},
        roles::Roles,
    },
};
use comparison::{scheme, schemes};
use pad_tree::for_each_tree;
use pad_tuple::{for_each_accumulated_tuple, for_each_tuple};

struct Exists;

impl Visitor for Exists {
    type Output = ();

    fn visit<T: Roles>(self, _: impl Fn(u64) -> Outcome<T>) {}
}

#[test]
fn every_tree_and_every_design_is_compared() {
    macro_rules! check_tree {
        ($name:ident, $($types:tt)+) => {
            let name = dashed(stringify!($name));
            assert!(scheme(&name).is_some(), "{name}");
        };
    }
    macro_rules! check_tuple {
        ($name:ident, $($types:tt)+) => {
            let name = design_name(stringify!($name));
            assert!(scheme(&name).is_some(), "{name}");
        };
    }
    for_each_tree!(check_tree);
    for_each_tuple!(check_tuple);
    for_each_accumulated_tuple!(check_tuple);
}

#[test]
fn every_scheme_can_be_run() {
    for scheme in schemes() {
        assert_eq!(visit(scheme.name, Exists), Some(()), "{}", scheme.name);
    }
    assert_eq!(visit("splay", Exists), None);
}
