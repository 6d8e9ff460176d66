//! Tests of `bench::tuple::steady`.

use bench::tuple::steady::exponent;

#[test]
fn exponents_of_powers() {
    let points = [1_000, 10_000, 100_000].map(|n: u64| (n, 7.0 * (n as f64).sqrt()));
    let fitted = exponent("design", "update_bytes", &points).unwrap();
    assert!((fitted.figure("exponent") - 0.5).abs() < 1e-9);
    assert!(exponent("design", "update_bytes", &points[..1]).is_none());
}
