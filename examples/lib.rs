//! Runnable tutorials: `cargo run -p examples --example publish_and_verify`.
