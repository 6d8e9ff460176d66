//! Integration tests of the twelve tree PADs: conformance, vectors, and lying servers.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

/// Makes a module of tests for each scheme: a test of each generic check in the module above.
macro_rules! for_each_scheme {
    ($($check:ident,)+) => {
        for_each_scheme!(@ treap, pad_tree::Treap, $($check,)+);
        for_each_scheme!(@ red_black, pad_tree::RedBlack, $($check,)+);
        for_each_scheme!(@ skip_list, pad_tree::SkipList, $($check,)+);
    };
    (@ $module:ident, $scheme:ty, $($check:ident,)+) => {
        mod $module {
            $(
                #[test]
                fn $check() {
                    super::$check::<$scheme>();
                }
            )+
        }
    };
}

mod adversarial;
mod agreement;
mod batches;
mod client;
mod compacted;
mod conformance;
mod growth;
mod hashes;
mod logs;
mod parts;
mod pieces;
mod set_operations;
mod signatures;
mod sorted;
mod soundness;
mod stored;
mod vectors;
mod warmed;
