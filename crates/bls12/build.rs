//! Sets `has_assembly` where the library blst has assembly, and the feature `std` includes it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(has_assembly)");
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let has_std = env::var_os("CARGO_FEATURE_STD").is_some();
    if has_std && ["x86_64", "aarch64"].contains(&architecture.as_str()) {
        println!("cargo::rustc-cfg=has_assembly");
    }
}
