//! Defaults of commands, without options and with `--quick`.

use core::fmt::Debug;

use bench::{
    aad::AadArguments,
    accumulators::AccumulatorArguments,
    compare::CompareArguments,
    directory::DirectoryArguments,
    flexlist::FlexlistArguments,
    program::command_line,
    stored::StoredArguments,
    tree::{BatchArguments, TreeArguments},
    tuple::TupleArguments,
};
use clap::{ArgAction, Args, Command};

/// Parses the arguments of a command.
pub(crate) fn parsed<A: Args>(arguments: &[&str]) -> A {
    let command = A::augment_args(Command::new("bench").no_binary_name(true));
    let matches = command.try_get_matches_from(arguments).unwrap();
    A::from_arg_matches(&matches).unwrap()
}

/// Asserts the arguments without options, with `--quick`, and with `--quick` and another option.
/// `cases` has the expected arguments, and the other option before its own.
fn stands<A: Args + Debug>(cases: &str) {
    let cases: Vec<&str> = cases.split(" | ").collect();
    let [usual, quick, option, chosen] = cases[..] else {
        panic!("{cases:?}");
    };
    let own: Vec<&str> = ["--quick"].into_iter().chain(option.split(' ')).collect();
    for (arguments, stands) in [(&[][..], usual), (&["--quick"], quick), (&own[..], chosen)] {
        let parsed = format!("{:?}", parsed::<A>(arguments));
        let is_there = parsed.contains(&format!(" {stands}"));
        assert!(is_there, "{arguments:?}: {stands} is not in {parsed}");
    }
}

#[test]
fn a_quick_run_is_small_unless_it_is_told_a_size() {
    stands::<TreeArguments>("keys: [10000] | keys: [1000] | --keys 5,7 | keys: [5, 7]");
    stands::<BatchArguments>("snapshots: 100 | snapshots: 5 | --snapshots 2 | snapshots: 2");
    stands::<CompareArguments>("keys: [1000, 10000] | keys: [300] | --keys 5 | keys: [5]");
    stands::<StoredArguments>("1000000] | keys: [1000] | --keys 5 | keys: [5]");
    stands::<TupleArguments>("keys: 10000 | keys: 200 | --keys 5 | keys: 5");
    stands::<TupleArguments>("last: None | last: Some(20) | --last 3 | last: Some(3)");
    stands::<AccumulatorArguments>(
        "elements: [1000, 10000] | elements: [1000] | --elements 9 | elements: [9]",
    );
    stands::<AadArguments>(
        "frontier_elements: [32, 128] | frontier_elements: [32] | --longest 8 | longest: 8",
    );
    stands::<DirectoryArguments>("longest: 60 | longest: 1 | --longest 9 | longest: 9");
    stands::<FlexlistArguments>("blocks: 500000 | blocks: 3000 | --updates 4 | updates: [4]");
}

#[test]
fn lists_are_given_and_shown_with_commas() {
    let mut command = command_line();
    command.build();
    let mut lists = 0;
    for command in command.get_subcommands_mut() {
        let name = command.get_name().to_owned();
        let help = command.render_long_help().to_string();
        for argument in command.get_arguments() {
            // Paths may contain commas.
            let has_commas = argument.get_value_delimiter() == Some(',');
            if !matches!(argument.get_action(), ArgAction::Append) || !has_commas {
                continue;
            }
            let id = argument.get_id().as_str().to_uppercase();
            assert!(
                help.contains(&format!(" <{id},..>")),
                "{name}: {id}: {help}"
            );
            assert!(argument.get_default_values().len() < 2, "{name}: {id}");
            lists += 1;
        }
    }
    assert!(lists > 20, "{lists}");
}
