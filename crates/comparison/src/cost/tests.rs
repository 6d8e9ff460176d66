use super::*;
use crate::{line::lowest, prices::PriceBook, sample};

const LOAD: Load = Load {
    keys: 1000,
    key_bytes: 8,
    value_bytes: 32,
    changes: 1,
    snapshots_per_day: 24.0,
    lookups_per_day: 86_400.0,
    old_lookups: 0.0,
    servers: 3,
    kept_versions: 720.0,
};

fn monthly(figures: &Measurement, load: &Load, clients: Clients) -> Cost {
    let prices = Prices {
        storage_per_gigabyte_month: 0.1,
        memory_per_gigabyte_month: 3.0,
        ..Prices::new(0.036, 0.1)
    };
    Cost::monthly(figures, load, &prices, clients).unwrap()
}

fn near(figure: f64, expected: f64) {
    assert!(
        (figure - expected).abs() < 1e-9 * expected.abs().max(1e-9),
        "{figure} instead of {expected}"
    );
}

/// Returns figures of one snapshot: author 100 us, update 500 bytes, server 50 us. A proof takes
/// 10 us (an old one 20), has 200 bytes and is verified in 5 us.
fn figures() -> Measurement {
    sample("one")
}

#[test]
fn every_term_by_hand() {
    let cost = monthly(&figures(), &LOAD, Clients::Charged);
    let (snapshots, lookups) = (24.0 * 30.4375, 86_400.0 * 30.4375);
    // A microsecond costs 0.036 / 3600 / 10^6 = 10^-11 dollars, a byte 10^-10.
    near(cost.of(Term::AuthorComputing), snapshots * 100.0 * 1e-11);
    near(cost.of(Term::UpdatesSent), snapshots * 3.0 * 500.0 * 1e-10);
    near(
        cost.of(Term::ServerComputing),
        snapshots * 3.0 * 50.0 * 1e-11,
    );
    near(cost.of(Term::ProofComputing), lookups * 10.0 * 1e-11);
    near(cost.of(Term::ProofsSent), lookups * 200.0 * 1e-10);
    near(cost.of(Term::ClientComputing), lookups * 5.0 * 1e-11);
    near(
        cost.of(Term::Storage),
        3.0 * (1000.0 * 40.0 + 720.0 * 500.0) * 1e-10,
    );
    near(
        cost.of(Term::Memory),
        3.0 * (1000.0 * 100.0 + 720.0 * 300.0) * 3e-9,
    );
    let terms = cost.terms().iter().map(|(_, dollars)| dollars);
    near(cost.total(), terms.sum());
    near(cost.line().at(lookups), cost.total());
    let (dominant, share) = cost.dominant().unwrap();
    assert_eq!(dominant, Term::ProofsSent);
    near(share, cost.of(Term::ProofsSent) / cost.total());
    near(
        monthly(&figures(), &LOAD, Clients::PayThemselves).of(Term::ClientComputing),
        0.0,
    );
}

#[test]
fn of_nothing_no_part_is_the_largest() {
    let free = Cost::monthly(&figures(), &LOAD, &Prices::new(0.0, 0.0), Clients::Charged).unwrap();
    assert_eq!(free.dominant(), None);
    near(free.total(), 0.0);
}

#[test]
fn memory_that_is_not_measured_is_not_free() {
    let unknown = Measurement {
        memory_bytes_per_key: None,
        memory_bytes_per_snapshot: None,
        ..figures()
    };
    let load = Load { servers: 1, ..LOAD };
    let cost = monthly(&unknown, &load, Clients::PayThemselves);
    let least = count(load.keys) * (load.entry_bytes() + 32.0);
    // Three dollars for a gigabyte.
    near(cost.of(Term::Memory), least / 1e9 * 3.0);
}

#[test]
fn old_versions_take_their_share() {
    let load = Load {
        old_lookups: 0.25,
        ..LOAD
    };
    let cost = monthly(&figures(), &load, Clients::PayThemselves);
    let lookups = 86_400.0 * 30.4375;
    near(
        cost.of(Term::ProofComputing),
        lookups * (0.75 * 10.0 + 0.25 * 20.0) * 1e-11,
    );
    let forgetful = Measurement {
        prove_old_us: None,
        ..figures()
    };
    let prices = PriceBook::paper();
    assert!(Cost::monthly(&forgetful, &load, &prices, Clients::PayThemselves).is_none());
    assert!(Cost::monthly(&forgetful, &LOAD, &prices, Clients::PayThemselves).is_some());
    let mute = Measurement {
        proof_bytes: None,
        ..figures()
    };
    assert!(Cost::monthly(&mute, &LOAD, &prices, Clients::PayThemselves).is_none());
}

#[test]
fn bandwidth_ratios_by_hand() {
    let ratios = BandwidthRatios::of(&figures());
    near(ratios.update, 500.0 / 150e-6);
    near(ratios.lookup.unwrap(), 200.0 / 10e-6);
}

#[test]
fn what_exceeds_the_equilibrium_costs_mostly_bandwidth() {
    let prices = PriceBook::paper();
    for proof_bytes in [1.0, 1.9, 2.0, 100.0] {
        let figures = Measurement {
            proof_bytes: Some(proof_bytes),
            ..figures()
        };
        let ratio = BandwidthRatios::of(&figures).lookup.unwrap();
        let is_bandwidth = prices.of_sending(proof_bytes) > prices.of_computing(10.0);
        assert_eq!(
            ratio > prices.equilibrium(),
            is_bandwidth,
            "{proof_bytes} bytes"
        );
    }
}

#[test]
fn cheaper_cryptography_by_hand() {
    let cheaper = figures().with_cheaper_cryptography(10.0).unwrap();
    near(cheaper.author_us, 100.0 - 80.0 * 0.9);
    near(cheaper.apply_us, 50.0 - 40.0 * 0.9);
    near(cheaper.verify_us.unwrap(), 5.0 - 4.0 * 0.9);
    // Twice five times as cheap is as cheap as that.
    let twice = figures().with_cheaper_cryptography(2.0).unwrap();
    let twice = twice.with_cheaper_cryptography(5.0).unwrap();
    near(twice.author_us, cheaper.author_us);
    near(twice.apply_us, cheaper.apply_us);
    let crossed = Measurement {
        apply_cryptography_us: Some(51.0),
        verify_cryptography_us: Some(6.0),
        ..figures()
    };
    let none = crossed.with_cheaper_cryptography(1e9).unwrap();
    near(none.apply_us, 0.0);
    near(none.verify_us.unwrap(), 0.0);
    let unknown = Measurement {
        author_cryptography_us: None,
        ..figures()
    };
    assert_eq!(unknown.with_cheaper_cryptography(10.0), None);
}

/// Tables 7 and 8 of the paper: designs with inserts per second of the author, bytes of update and
/// proof, and updates and lookups per second of the server.
const PAPER: [(&str, [f64; 5]); 7] = [
    ("base+ss", [0.35, 114_460.0, 150.0, 4.2, 5619.0]),
    ("base+lw", [2.67, 156_720.0, 210.0, 2.4, 4781.0]),
    ("spec+ss", [6.6, 6_440.0, 300.0, 64.8, 2896.0]),
    ("spec+lw", [63.0, 3_760.0, 420.0, 104.4, 2497.0]),
    ("chain accumulators", [62.5, 140.0, 1_230.0, 0.9, 2419.0]),
    ("accumulators", [64.7, 140.0, 1_300.0, 0.93, 1991.0]),
    ("red-black", [753.0, 150.0, 1_200.0, 9009.0, 10221.0]),
];

fn paper_lines(prices: &Prices) -> Vec<CostLine> {
    let cost = |us, bytes| prices.of_computing(us) + prices.of_sending(bytes);
    let lines = PAPER.map(|(_, [inserts, update, proof, updates, lookups])| CostLine {
        fixed: cost(1e6 / inserts + 1e6 / updates, update),
        each: cost(1e6 / lookups, proof),
    });
    lines.to_vec()
}

fn winners(prices: &Prices) -> Vec<(&'static str, f64)> {
    let parts = lowest(&paper_lines(prices), (1.0, 1e7));
    let name = |line: usize| PAPER.get(line).unwrap().0;
    parts
        .iter()
        .map(|part| (name(part.line), part.from))
        .collect()
}

#[test]
fn figure_7_is_that_of_the_paper() {
    let winners = winners(&PriceBook::paper());
    let names: Vec<_> = winners.iter().map(|(name, _)| *name).collect();
    // Section 7.3: accumulators never win, and proofs get shorter as lookups become more.
    assert_eq!(names.first(), Some(&"red-black"));
    assert!(!names.iter().any(|name| name.contains("accumulators")));
    assert_eq!(names.last(), Some(&"base+ss"));
    assert!(names.contains(&"spec+lw") && names.contains(&"spec+ss"));
    // Section 10: red-black trees are cheaper up to 15 lookups for an update.
    let overtaken = winners.get(1).unwrap().1;
    assert!((10.0..20.0).contains(&overtaken), "{overtaken}");
}

#[test]
fn the_what_ifs_of_section_10() {
    let paper = PriceBook::paper();
    // "If bandwidth got ten times cheaper [..] red-black trees would be cheaper [..] at ratios up
    // to 200 rather than 15."
    let overtaken = winners(&paper.cheaper(1.0, 10.0)).get(1).unwrap().1;
    assert!((100.0..300.0).contains(&overtaken), "{overtaken}");
    near(
        paper.cheaper(1.0, 10.0).equilibrium(),
        10.0 * paper.equilibrium(),
    );
    near(
        paper.cheaper(10.0, 1.0).equilibrium(),
        paper.equilibrium() / 10.0,
    );
}
