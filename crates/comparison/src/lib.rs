//! Authenticated dictionaries on equal work: what every scheme costs, and which to choose for a load.
//!
//! [`schemes()`] is what is compared, with what each can prove. [`Measurement`] is what one scheme took for one load; benches, the
//! report and the command line share it.
//!
//! [`prices`] says what providers charge, [`cost`] what a load costs then, [`line`](mod@line) where another scheme becomes the
//! cheapest, [`coefficients`] what a load takes that was not measured.
pub mod coefficients;
pub mod cost;
pub mod line;
mod measurement;
pub mod prices;
mod schemes;

pub use cost::{Clients, Cost, Load, Term};
pub use measurement::{Measurement, Shape};
pub use prices::{PriceBook, PriceEntry, PriceError, Prices};
pub use schemes::{Properties, Scheme, SchemeFamily, scheme, schemes};

/// Figures of no scheme in particular, for tests.
#[cfg(test)]
fn sample(scheme: &str) -> Measurement {
    Measurement {
        scheme: scheme.into(),
        shape: Shape {
            workload: "updates".into(),
            keys: 1000,
            changes: 1,
            key_bytes: 8,
            value_bytes: 32,
            seed: 1,
        },
        snapshots: 10,
        stopped: "finished".into(),
        load_us_per_key: None,
        author_us: 100.0,
        update_bytes: 500.0,
        apply_us: 50.0,
        prove_us: Some(10.0),
        prove_old_us: Some(20.0),
        proof_bytes: Some(200.0),
        absent_proof_bytes: None,
        verify_us: Some(5.0),
        memory_bytes_per_key: Some(100.0),
        memory_bytes_per_snapshot: Some(300.0),
        author_cryptography_us: Some(80.0),
        apply_cryptography_us: Some(40.0),
        verify_cryptography_us: Some(4.0),
    }
}
