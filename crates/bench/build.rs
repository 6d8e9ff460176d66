//! Hands the version of the compiler to the program, which reports it with its figures.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output();
    let version = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    println!(
        "cargo::rustc-env=BENCH_RUSTC={}",
        version.as_deref().unwrap_or("unknown").trim()
    );
}
