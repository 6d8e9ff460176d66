//! Every signed design of tuple PADs under the shared checks, on random traces against the oracle.

/// BLS signatures take a hundred times as long to check as others, so they get fewer and shorter traces.
macro_rules! conformance {
    (base_superseding_bls, $($design:tt)+) => {
        conformance::tuple_checks!(base_superseding_bls, 15, 2, $($design)+);
    };
    (spec_lightweight_bls, $($design:tt)+) => {
        conformance::tuple_checks!(spec_lightweight_bls, 15, 2, $($design)+);
    };
    ($name:ident, $($design:tt)+) => {
        conformance::tuple_checks!($name, 1, 1, $($design)+);
    };
}

pad_tuple::for_each_tuple!(conformance);

/// The same where tuples are stored.
mod stored {
    macro_rules! conformance {
        (base_superseding_bls, $($design:tt)+) => {
            conformance::stored_tuple_checks!(base_superseding_bls, 15, 2, $($design)+);
        };
        (spec_lightweight_bls, $($design:tt)+) => {
            conformance::stored_tuple_checks!(spec_lightweight_bls, 15, 2, $($design)+);
        };
        ($name:ident, $($design:tt)+) => {
            conformance::stored_tuple_checks!($name, 1, 1, $($design)+);
        };
    }

    pad_tuple::for_each_tuple!(conformance);
}
