//! The report: `cargo run --release -p bench -- tree --json`. See the crate's README.md.

use std::process::ExitCode;

fn main() -> ExitCode {
    bench::program::main()
}
