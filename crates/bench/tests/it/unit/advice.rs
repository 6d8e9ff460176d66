//! Tests of `bench::advice`.

use bench::{advice::order, line};

#[test]
fn the_order_is_that_of_the_predictions_or_another() {
    let line = |predicted: f64, measured: f64| {
        line! {
            predicted_dollars_per_month: predicted, dollars_per_month: measured
        }
    };
    let unmeasured = line! { predicted_dollars_per_month: 9.0 };
    let as_predicted = [line(2.0, 5.0), unmeasured.clone(), line(1.0, 4.0)];
    assert_eq!(order(&as_predicted), "in the order that was predicted");
    let another = [line(2.0, 4.0), unmeasured, line(1.0, 5.0)];
    assert_eq!(order(&another), "in another order than was predicted");
}
