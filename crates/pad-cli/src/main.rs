//! The command line `pad`.

use std::process::ExitCode;

use clap::Parser;

mod cli;
mod demo;

fn main() -> ExitCode {
    match cli::Arguments::try_parse() {
        Ok(arguments) => cli::run(&arguments),
        Err(error) => cli::wrong_usage(&error),
    }
}
