//! The command-line tool `pad`.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    match cli::arguments() {
        Ok(arguments) => cli::run(&arguments),
        Err(error) => cli::wrong_usage(&error),
    }
}
