//! Authenticated dictionaries on equal work: what every scheme costs, and which to choose for a load.
//!
//! [`schemes()`] is what is compared, with what each can prove. [`Measurement`] is what one scheme took for one load; benches, the
//! report and the command line share it.

mod measurement;
mod schemes;

pub use measurement::{Measurement, Shape};
pub use schemes::{Properties, Scheme, SchemeFamily, scheme, schemes};
