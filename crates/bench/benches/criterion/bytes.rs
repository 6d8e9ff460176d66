//! Bytes as a criterion measurement.

use criterion::{
    Throughput,
    measurement::{Measurement, ValueFormatter},
};

/// Counts bytes instead of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes;

impl Measurement for Bytes {
    type Intermediate = ();
    type Value = usize;

    /// Does nothing: benches count bytes in `iter_custom`.
    fn start(&self) {}

    fn end(&self, (): ()) -> usize {
        0
    }

    fn add(&self, one: &usize, other: &usize) -> usize {
        one + other
    }

    fn zero(&self) -> usize {
        0
    }

    #[allow(
        clippy::as_conversions,
        clippy::cast_precision_loss,
        reason = "none reaches 2^53"
    )]
    fn to_f64(&self, bytes: &usize) -> f64 {
        *bytes as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for Bytes {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "B"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "B"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "B"
    }
}
