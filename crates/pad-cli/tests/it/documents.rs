//! The commands that documents show, run one after the other.

use std::{os::unix::fs::symlink, path::Path};

use crate::bench::Bench;

/// Runs the lines of a document that begin with `$ pad `, in a folder that has the project's data; how many.
/// Those about files of others need a server and have tests of their own.
fn run(document: &str) -> usize {
    let bench = Bench::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    symlink(data, bench.path("data")).unwrap();
    let commands = document
        .lines()
        .filter_map(|line| line.strip_prefix("$ pad "));
    let commands = commands.filter(|command| !command.starts_with("file "));
    let mut count = 0;
    for command in commands {
        let command = command.split(" #").next().unwrap().trim_end();
        bench.ok(&command.replace('\'', ""));
        count += 1;
    }
    count
}

#[test]
fn the_readme_s_commands_work() {
    assert!(run(include_str!("../../../../README.md")) >= 6);
}

#[test]
fn the_operator_s_tutorial_works() {
    assert!(run(include_str!("../../../../docs/tutorials/operator.md")) >= 11);
}
