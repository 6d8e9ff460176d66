//! Every signed design of tuple PADs under the shared checks, on random traces against the oracle.

macro_rules! bls {
    ($checks:ident, $($kind:ident)?, $name:ident, $($design:tt)+) => {
        pad_conformance::$checks!(
            $($kind)? $name, 15, pad_conformance::soak::size(3, 2), $($design)+
        );
    };
}

/// Calls one of the macros of [`pad_conformance`] for a design. Checking BLS signatures takes a
/// hundred times as long as others, so they get fewer and shorter traces.
macro_rules! check {
    ($checks:ident, $($kind:ident)?, base_superseding_bls, $($design:tt)+) => {
        bls!($checks, $($kind)?, base_superseding_bls, $($design)+);
    };
    ($checks:ident, $($kind:ident)?, spec_lightweight_bls, $($design:tt)+) => {
        bls!($checks, $($kind)?, spec_lightweight_bls, $($design)+);
    };
    ($checks:ident, $($kind:ident)?, $name:ident, $($design:tt)+) => {
        pad_conformance::$checks!($($kind)? $name, 1, 1, $($design)+);
    };
}

mod in_memory {
    macro_rules! conformance {
        ($($design:tt)+) => { check!(tuple_checks, , $($design)+); };
    }

    pad_tuple::for_each_tuple!(conformance);
}

mod stored {
    macro_rules! conformance {
        ($($design:tt)+) => { check!(stored_tuple_checks, , $($design)+); };
    }

    pad_tuple::for_each_tuple!(conformance);
}

/// The other suites under one design with each kind of signature.
#[cfg(not(soak))]
mod other_suites {
    check!(tuple_suites, , spec_lightweight, pad_tuple::designs::SpecLightweight);
    check!(tuple_suites, , base_superseding_bls, pad_tuple::designs::BaseSupersedingBls);

    mod stored {
        check!(
            tuple_suites,
            stored,
            spec_lightweight,
            pad_tuple::designs::SpecLightweight
        );
    }
}

/// The other suites under every design: they take a minute to compile.
#[cfg(soak)]
mod other_suites {
    macro_rules! suites {
        ($($design:tt)+) => { check!(tuple_suites, , $($design)+); };
    }

    pad_tuple::for_each_tuple!(suites);

    mod stored {
        macro_rules! suites {
            ($($design:tt)+) => { check!(tuple_suites, stored, $($design)+); };
        }

        pad_tuple::for_each_tuple!(suites);
    }
}

/// No changed, combined or replayed answer makes a client accept a false statement.
mod soundness {
    use pad_conformance::{check_soundness, soak};
    use pad_core::{Key, KeyRange, Keys};
    use pad_tuple::{Tuple, designs::SpecLightweight};

    macro_rules! look_ups {
        ($name:ident, $($design:tt)+) => {
            #[test]
            fn $name() {
                // A pairing takes a millisecond.
                if !stringify!($name).ends_with("bls") || soak::enabled() {
                    check_soundness::<Tuple<$($design)+>, Key>();
                }
            }
        };
    }

    pad_tuple::for_each_tuple!(look_ups);

    #[test]
    fn several_keys_and_ranges() {
        check_soundness::<Tuple<SpecLightweight>, Keys>();
        check_soundness::<Tuple<SpecLightweight>, KeyRange>();
    }
}
