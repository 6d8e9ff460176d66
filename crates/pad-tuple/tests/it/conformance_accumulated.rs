//! Every design of tuple PADs with accumulators under the shared checks, on fewer and shorter random traces: a
//! snapshot takes milliseconds, and so does a look-up.

macro_rules! conformance {
    ($name:ident, $($design:tt)+) => {
        conformance::tuple_checks!($name, 30, 2, $($design)+);
    };
}

pad_tuple::for_each_accumulated_tuple!(conformance);
