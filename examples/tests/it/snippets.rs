//! Compiles programs of documents with every documented alternative of their one line that varies.
//!
//! The documentation tests compile and run the programs with the line in the document.

use std::error::Error;

use authdict::pad_tuple::{for_each_accumulated_tuple, for_each_tuple};

type Outcome = Result<(), Box<dyn Error>>;

/// Defines a module with a program of a document, in which one line defines `$alias` as `$type`.
macro_rules! program {
    ($name:ident, $file:literal, $alias:ident = $type:ty) => {
        mod $name {
            #![allow(
                clippy::default_trait_access,
                unused_imports,
                reason = "the program does not know the type, and some imports are of the \
                          document's own line"
            )]
            type $alias = $type;
            include!(concat!("../../snippets/", $file));

            pub(super) fn run() -> super::Outcome {
                main()
            }
        }
    };
}

macro_rules! tree {
    ($name:ident, $scheme:ty) => {
        mod $name {
            program!(readme, "dictionary.rs", Prices = authdict::Tree<$scheme>);
            program!(application, "application.rs", Prices = authdict::Tree<$scheme>);
            type Outcome = super::Outcome;
            pub(super) const PROGRAMS: [fn() -> Outcome; 2] = [readme::run, application::run];
        }
    };
}

macro_rules! tuple {
    ($name:ident, $design:ty) => {
        mod $name {
            program!(readme, "dictionary.rs", Prices = authdict::Tuple<$design>);
            program!(application, "application.rs", Prices = authdict::Tuple<$design>);
            program!(tuples, "tuples.rs", Prices = pad_tuple::Tuple<$design>);
            type Outcome = super::Outcome;
            pub(super) const PROGRAMS: [fn() -> Outcome; 3] =
                [readme::run, application::run, tuples::run];
        }
    };
}

tree!(red_black, authdict::RedBlack);
tree!(treap, authdict::Treap);
tree!(skip_list, authdict::SkipList);
for_each_tuple!(tuple);
for_each_accumulated_tuple!(tuple);

program!(
    bilinear,
    "accumulator.rs",
    Guests = pad_accumulators::bilinear::Bilinear
);
program!(rsa, "accumulator.rs", Guests = pad_accumulators::rsa::Rsa);

#[test]
fn programs_run_with_every_tree() {
    for program in [red_black::PROGRAMS, treap::PROGRAMS, skip_list::PROGRAMS].as_flattened() {
        program().unwrap();
    }
}

#[test]
fn programs_run_with_every_signed_design() {
    macro_rules! run {
        ($name:ident, $design:ty) => {
            for program in $name::PROGRAMS {
                program().unwrap();
            }
        };
    }
    for_each_tuple!(run);
}

/// Compiled but not run: running takes minutes, to find an RSA modulus or make parameters for
/// thousands of elements.
#[test]
fn programs_compile_with_every_accumulator() {
    let mut compiled: Vec<fn() -> Outcome> = vec![bilinear::run, rsa::run];
    macro_rules! compile {
        ($name:ident, $design:ty) => {
            compiled.extend($name::PROGRAMS);
        };
    }
    for_each_accumulated_tuple!(compile);
    assert_eq!(compiled.len(), 2 + 6 * 3);
}

/// Asserts that `document` contains `program` with one additional line, which starts with `line`.
fn assert_shown(document: &str, program: &str, line: &str) {
    let shown = document.split("```rust\n").skip(1);
    let is_shown = shown
        .filter_map(|rest| rest.split_once("```"))
        .any(|(block, _)| {
            let is_line = |text: &&str| text.starts_with(line);
            let lines = || block.lines().filter(|text| !text.is_empty());
            let rest = lines().filter(|text| !is_line(text));
            lines().filter(is_line).count() == 1
                && rest.eq(program.lines().filter(|text| !text.is_empty()))
        });
    assert!(is_shown, "the program of the file, with a line {line}..");
}

#[test]
fn documents_show_the_programs_that_are_compiled() {
    let dictionary = include_str!("../../snippets/dictionary.rs");
    let readme = include_str!("../../../README.md");
    assert_shown(readme, dictionary, "type Prices = ");
    let application = include_str!("../../snippets/application.rs");
    let tutorial = include_str!("../../../docs/tutorials/application.md");
    assert_shown(tutorial, application, "type Prices = ");
    let tuples = include_str!("../../snippets/tuples.rs");
    let readme = include_str!("../../../crates/pad-tuple/README.md");
    assert_shown(readme, tuples, "type Prices = ");
    let accumulator = include_str!("../../snippets/accumulator.rs");
    let readme = include_str!("../../../crates/accumulators/README.md");
    assert_shown(readme, accumulator, "type Guests = ");
}

/// The facade must export every design by name.
#[test]
fn the_facade_names_every_design() {
    let _: [Option<()>; 15] = [
        None::<authdict::Base>.map(drop),
        None::<authdict::BaseSuperseding>.map(drop),
        None::<authdict::BaseLightweight>.map(drop),
        None::<authdict::Spec>.map(drop),
        None::<authdict::SpecSuperseding>.map(drop),
        None::<authdict::SpecLightweight>.map(drop),
        None::<authdict::SpecLightweight3>.map(drop),
        None::<authdict::BaseSupersedingBls>.map(drop),
        None::<authdict::SpecLightweightBls>.map(drop),
        None::<authdict::AccumulatorsRsa>.map(drop),
        None::<authdict::AccumulatorsSupersedingRsa>.map(drop),
        None::<authdict::ChainAccumulatorsRsa>.map(drop),
        None::<authdict::AccumulatorsBilinear>.map(drop),
        None::<authdict::AccumulatorsSupersedingBilinear>.map(drop),
        None::<authdict::ChainAccumulatorsBilinear>.map(drop),
    ];
}
