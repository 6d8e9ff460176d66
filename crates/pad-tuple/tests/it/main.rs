//! Integration tests of the tuple PADs: conformance, vectors, and lying servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

/// Makes a test of each generic check in the module above, for these designs.
macro_rules! tests_of {
    ($($check:ident: $($design:ty),+;)+) => {$(
        #[test]
        fn $check() {
            $(super::$check::<$design>();)+
        }
    )+};
}

/// Calls a generic check for each of these designs.
macro_rules! with_each {
    ($check:ident: $($design:ty),+ $(,)?) => { $($check::<$design>();)+ };
}

mod adversarial;
mod conformance;
mod conformance_accumulated;
mod many;
mod roles;
mod stored;
mod vectors;
