//! Tests of `bench::measure::cryptography`.

use std::{thread, time::Duration};

use bench::cryptography::{Cryptography, TimedSigner, accumulated};
use signature::Signer as _;

#[test]
fn accumulators_take_what_signatures_do_not() {
    let signer = TimedSigner::default();
    let (cryptography, ()) = Cryptography::of(|| {
        accumulated(|| {
            signer.sign(b"value");
            thread::sleep(Duration::from_millis(5));
        });
    });
    assert_eq!(cryptography.signatures as u64, 1);
    assert!(cryptography.accumulator_us >= 5_000.0);
    let sum = cryptography.signature_us + cryptography.accumulator_us;
    assert!((cryptography.us(1.0) - sum).abs() < 1e-9);
}
