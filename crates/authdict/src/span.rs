//! Spans of the crate `tracing`, which the feature `tracing` turns on.

/// Enters a span at the level DEBUG until the end of the enclosing block. The arguments are a name
/// and fields, as for `tracing::debug_span`.
#[cfg(feature = "tracing")]
macro_rules! span {
    ($($span:tt)+) => { let _entered = tracing::debug_span!($($span)+).entered(); };
}

#[cfg(not(feature = "tracing"))]
macro_rules! span {
    ($($span:tt)+) => {};
}
