//! The laws of the traits, for both accumulators.

use std::sync::LazyLock;

use pad_accumulators::{
    bilinear::{Bilinear, BilinearSecretKey},
    rsa::{RepresentativeRule, Rsa, RsaSecretKey},
};
use pad_conformance::{
    accumulator::{absence, histories, hostile, laws, subsets},
    traces,
};
use pad_core::Workers;
use proptest::{
    collection::{btree_set, vec},
    prelude::*,
};

use crate::{fixed, vectors::rsa_secret};

static RSA: LazyLock<RsaSecretKey> =
    LazyLock::new(|| rsa_secret(RepresentativeRule::Wide, b"conformance"));

static BILINEAR: LazyLock<BilinearSecretKey> = LazyLock::new(|| {
    BilinearSecretKey::generate(200, 16, b"conformance", &Workers::sequential()).unwrap()
});

macro_rules! conformance_of {
    ($name:ident, $scheme:ty, $secret:ident, $largest:literal, $histories:literal) => {
        mod $name {
            use super::*;

            #[test]
            fn roles_agree() {
                laws::check_roles_agree::<$scheme>(&$secret, $largest, traces::seed());
            }

            #[test]
            fn order_and_threads_change_nothing() {
                laws::check_order_and_threads::<$scheme>(&$secret, $largest, traces::seed());
                fixed::check_roles_and_threads::<$scheme>(&$secret);
            }

            #[test]
            fn witnesses_verify_nothing_else() {
                laws::check_witnesses_verify_nothing_else::<$scheme>(&$secret, traces::seed());
            }

            #[test]
            fn misuse_is_refused() {
                laws::check_refusals::<$scheme>(&$secret, traces::seed());
            }

            #[test]
            fn updates_follow_recomputation() {
                // One step is about a hundred powers or multi-scalar multiplications.
                let steps = usize::try_from(traces::count() / 6).unwrap().max(2);
                histories::check_updates_follow_recomputation::<$scheme>(
                    &$secret,
                    steps,
                    traces::seed(),
                );
                fixed::check_updates::<$scheme>(&$secret);
                fixed::check_long_history::<$scheme>(&$secret);
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases($histories))]

                #[test]
                fn updates_of_all_witnesses_follow_recomputation(
                    start in btree_set(0_u8..12, 1..8),
                    targets in vec(btree_set(0_u8..12, 0..8), 1..4),
                    threads in 1_usize..4,
                ) {
                    fixed::check_history::<$scheme>(&$secret, &start, &targets, threads);
                }
            }

            #[test]
            fn refused_changes_change_nothing() {
                histories::check_stale_values::<$scheme>(&$secret);
                fixed::check_refused_changes::<$scheme>(&$secret);
            }

            #[test]
            fn false_logs_prove_nothing() {
                histories::check_false_logs::<$scheme>(&$secret);
            }

            #[test]
            fn absence_is_proved_of_the_absent_alone() {
                absence::check_absence::<$scheme>(&$secret, traces::seed());
                absence::check_absence_elsewhere::<$scheme>(&$secret, traces::seed());
            }

            #[test]
            fn subsets_are_proved_whole() {
                subsets::check_subsets::<$scheme>(&$secret, traces::seed());
                fixed::check_subsets::<$scheme>(&$secret);
                fixed::check_refused_lists::<$scheme>(&$secret);
            }

            #[test]
            fn batches_hold_or_fail_as_one() {
                subsets::check_batches::<$scheme>(&$secret, traces::seed());
                fixed::check_batches::<$scheme>(&$secret);
            }

            #[test]
            fn hostile_bytes_prove_nothing() {
                hostile::check_hostile_bytes::<$scheme>(&$secret, traces::seed());
                hostile::check_hostile_changes::<$scheme>(&$secret, traces::seed());
                let count = u64::from(traces::count()) * 20;
                hostile::check_noise::<$scheme>(&$secret, count, traces::seed());
            }
        }
    };
}

conformance_of!(rsa, Rsa, RSA, 65, 4);
conformance_of!(bilinear, Bilinear, BILINEAR, 129, 12);

/// The laws of the RSA accumulator on the arithmetic of processors without lanes.
#[test]
fn rsa_laws_hold_without_lanes() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .arg("conformance::rsa::")
        .env("PAD_LANES", "off")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("running 0 tests"), "{text}");
}
