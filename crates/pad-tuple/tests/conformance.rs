//! Every design of tuple PADs under the shared checks, on random traces against the oracle.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use conformance::{TuplePad, pad, repository, traces, tuple};
use pad_core::{Blake3Ed25519, Paper2010, Sha256Ed25519};

macro_rules! conformance {
    ($name:ident, $($design:tt)+) => {
        mod $name {
            use super::*;

            type Design = $($design)+;
            type Pad = TuplePad<Sha256Ed25519, Design>;

            #[test]
            fn every_answer_matches_the_oracle_at_every_version() {
                let name = concat!(stringify!($name), "::oracle");
                traces::check_traces(name, 3, 40, repository::check_trace::<Pad>);
            }

            #[test]
            fn the_author_matches_the_oracle() {
                let name = concat!(stringify!($name), "::dictionary");
                traces::check_traces(name, 9, 30, |actions| {
                    let mut author = <Pad as conformance::Pad>::author(pad::dictionary(), 7);
                    conformance::dictionary::check_matches_oracle(&mut author, actions);
                });
            }

            #[test]
            fn refused_updates_change_nothing() {
                let name = concat!(stringify!($name), "::refusals");
                repository::check_refusals::<Pad>(&[]);
                traces::check_traces(name, 18, 30, repository::check_refusals::<Pad>);
            }

            #[test]
            fn pruning_keeps_later_versions() {
                for percent in [0, 30, 60, 100] {
                    let name = format!("{}::prune {percent}%", stringify!($name));
                    traces::check_traces(&name, 18, 60, |actions| {
                        tuple::check_prune::<Sha256Ed25519, Design>(actions, percent);
                    });
                }
            }

            #[test]
            fn an_author_goes_on_from_a_repository() {
                let name = concat!(stringify!($name), "::resume");
                traces::check_traces(name, 18, 40, tuple::check_resume::<Sha256Ed25519, Design>);
            }

            #[test]
            fn checkpoints_restore_and_go_on() {
                let name = concat!(stringify!($name), "::checkpoint");
                traces::check_traces(name, 18, 40, tuple::check_checkpoint::<Sha256Ed25519, Design>);
            }

            #[test]
            fn other_suites() {
                let name = concat!(stringify!($name), "::suites");
                traces::check_traces(name, 30, 40, |actions| {
                    repository::check_trace::<TuplePad<Blake3Ed25519, Design>>(actions);
                    repository::check_trace::<TuplePad<Paper2010, Design>>(actions);
                });
            }
        }
    };
}

pad_tuple::for_each_tuple!(conformance);
