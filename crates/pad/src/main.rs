//! The command line `pad`.

use std::process::ExitCode;

use clap::Parser;

mod cli;
mod demo;

fn main() -> ExitCode {
    cli::run(&cli::Arguments::parse())
}
