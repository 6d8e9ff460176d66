//! The program `bench`: `cargo run --release -p bench -- tree --json`. README.md lists its
//! commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    bench::program::main()
}
