//! Every design of tuple PADs with accumulators under the shared checks. Random traces are fewer
//! and shorter, because snapshots and lookups take milliseconds.

macro_rules! conformance {
    ($name:ident, $($design:tt)+) => {
        pad_conformance::tuple_checks!($name, 30, pad_conformance::soak::size(3, 2), $($design)+);
    };
}

pad_tuple::for_each_accumulated_tuple!(conformance);

/// The other suites under one design.
#[cfg(not(soak))]
mod other_suites {
    pad_conformance::tuple_suites!(accumulators_rsa, 30, 2, pad_tuple::designs::AccumulatorsRsa);
}

/// The other suites under every design: they take a minute to compile.
#[cfg(soak)]
mod other_suites {
    macro_rules! suites {
        ($name:ident, $($design:tt)+) => {
            pad_conformance::tuple_suites!($name, 30, 2, $($design)+);
        };
    }

    pad_tuple::for_each_accumulated_tuple!(suites);
}
