//! The laws of append-only logs, for all four schemes.

use pad_conformance::{
    aad::{hostile, laws, laws::Work},
    soak, traces,
};
use pad_log::{AadCounted, AadFrontier, AasCounted, AasFrontier, Log, Schedule, Scheme};

use crate::support;

fn log<S: Scheme>(schedule: Schedule) -> Log<S> {
    // Several trees of 16 elements. The parameters serve no larger trees if an element has 512
    // roots.
    support::log(7, 4, schedule)
}

macro_rules! laws_of {
    ($name:ident, $scheme:ty, $work:expr, $step:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn answers_are_those_of_a_list() {
                laws::check_log::<$scheme>(&log(Schedule::Eager), $work, traces::seed());
            }

            #[test]
            fn answers_of_deferred_logs_are_too() {
                laws::check_log::<$scheme>(&log(Schedule::Deferred), $work, traces::seed());
            }

            #[test]
            fn hostile_bytes_prove_nothing() {
                let log = log(Schedule::Eager);
                hostile::check_hostile_bytes::<$scheme>(&log, $step, traces::seed());
            }
        }
    };
}

const COUNTED: Work = Work {
    versions: 14,
    most: 11,
    questions: 25,
};
/// Fewer questions, because each one about an older version computes its frontiers.
const FRONTIER: Work = Work {
    versions: 5,
    most: 7,
    questions: 6,
};

laws_of!(aad_counted, AadCounted, COUNTED, soak::size(3, 1));
laws_of!(aas_counted, AasCounted, COUNTED, soak::size(3, 1));
// The last argument is the step between the bytes of a message that are changed.
laws_of!(aad_frontier, AadFrontier, FRONTIER, soak::size(397, 23));
laws_of!(aas_frontier, AasFrontier, FRONTIER, soak::size(397, 23));
