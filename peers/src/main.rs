//! The program `peers`, which measures authenticated dictionaries; README.md describes it.

use std::process::ExitCode;

use clap::Parser;
use peers::run::Arguments;

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}
