//! Names of measured trees and tuple designs.
//!
//! These lists link every scheme, which the unit tests do not need.

use bench::{
    tree::list::{MeasuredTree, SUITES, names, trees},
    tuple::list::contenders,
};
use pad_core::{Sha256Ed25519, Suite as _};

#[test]
fn every_name_of_a_tree_stands_for_its_types() {
    assert_eq!(trees().len(), 3 * 12);
    let kinds = [names(|tree| tree.scheme), names(|tree| tree.repository)];
    assert_eq!(kinds.map(|names| names.len()), [3, 4]);
    assert_eq!(names(|tree| tree.suite), SUITES.map(|(name, _)| name));
    for tree in trees() {
        let named = MeasuredTree::named(tree.scheme, tree.repository, tree.suite).unwrap();
        let names = [named.scheme, named.repository, named.suite];
        assert_eq!(names, [tree.scheme, tree.repository, tree.suite]);
    }
    assert!(MeasuredTree::named("splay", "path-copying", Sha256Ed25519::NAME).is_err());
}

#[test]
fn every_name_of_a_tuple_design_stands_for_its_types() {
    for contender in contenders() {
        let name = &contender.name;
        let several = name.starts_with("spec") || contender.accumulates;
        assert_eq!(contender.generations > 1, several, "{name}");
        assert_eq!(
            contender.accumulates,
            name.contains("accumulators"),
            "{name}"
        );
    }
    let generations = |name: &str| -> Vec<usize> {
        let contenders = contenders().into_iter();
        let named = contenders.filter(|contender| contender.name == name);
        named.map(|contender| contender.generations).collect()
    };
    assert_eq!(generations("spec-lightweight-3"), [3]);
    assert!(generations("splay").is_empty());
}
