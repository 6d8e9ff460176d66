//! Tests of `bench::accumulators::slopes`.

use bench::accumulators::slopes::regression;

#[test]
fn slopes_of_straight_lines() {
    let slope = regression(&[(10.0, 120.0), (20.0, 220.0), (40.0, 420.0)]);
    assert!((slope.us - 10.0).abs() < 1e-9);
    assert!((slope.explained.unwrap() - 1.0).abs() < 1e-9);
    assert!((regression(&[(5.0, 20.0)]).us - 4.0).abs() < 1e-9);
}
