//! Tests of `bench::directory::shape`.

use bench::{directory::shape::figure, line};

const AD_HASH: &str = "ad-hash-1600";
const MERKLE: &str = "merkle";
const SMALLEST: u64 = 512;
const PAPERS: u64 = 16 << 10;
const LARGEST: u64 = 64 << 10;

#[test]
fn shapes_follow_from_lines() {
    let line = |strategy: &str, bytes: u64, us: f64| {
        line! {
            experiment: "directory_inserts", strategy, block_bytes: bytes, update_us: us,
            update_ratio: us / 10.0,
        }
    };
    let lines = [
        line(AD_HASH, SMALLEST, 50.0),
        line(AD_HASH, PAPERS, 10.0),
        line(AD_HASH, LARGEST, 8.0),
        line("sha-384-scanning", LARGEST, 40.0),
        line(MERKLE, SMALLEST, 0.5),
        line(MERKLE, LARGEST, 0.4),
    ];
    for (name, expected) in [
        ("falls-at-first", 5.0),
        ("falls-then", 1.0 - 0.8),
        ("elements", 5.0),
        ("scanning", 5.0),
        ("path-spread", 1.25),
        ("path-below", 20.0),
    ] {
        assert_eq!(figure(name, &lines), Some(expected), "{name}");
    }
    assert_eq!(figure("falls-at-first", &lines[1..]), None);
}
