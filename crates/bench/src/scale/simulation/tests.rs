//! What can be said without a simulation is what a simulation says.

use comparison::timing::percentile;

use super::*;

/// Readers of the origin: a batch each second, which is there at once.
fn plain() -> Scenario {
    Scenario {
        seed: 1,
        span: 400.0,
        warm_up: 5.0,
        batch: 1.0,
        publish: Delay::default(),
        witnesses: Vec::new(),
        quorum: 0,
        places: vec![Place {
            follow: None,
            cache: None,
            cores: 1,
            work: Delay::default(),
            way: Delay::default(),
            readers: Readers::Open {
                per_second: 100.0,
                keys: Zipf::new(1000, 1.0),
            },
        }],
    }
}

fn seen(scenario: &Scenario) -> Seen {
    simulate(scenario).remove(0)
}

fn near(found: f64, expected: f64, share: f64) {
    assert!(
        (found - expected).abs() <= expected * share,
        "{found} is not {expected}"
    );
}

#[test]
fn the_same_seed_sees_the_same_and_another_one_does_not() {
    let other = Scenario { seed: 2, ..plain() };
    assert_eq!(seen(&plain()).staleness, seen(&plain()).staleness);
    assert_ne!(seen(&plain()).staleness, seen(&other).staleness);
}

#[test]
fn readers_of_the_origin_are_as_stale_as_the_batch_is_old() {
    let seen = seen(&plain());
    // Even between two batches.
    near(percentile(&seen.staleness, 50), 0.5, 0.03);
    near(percentile(&seen.staleness, 90), 0.9, 0.03);
    assert!(seen.staleness.iter().all(|age| *age <= 1.0));
}

#[test]
fn a_mirror_a_quorum_and_a_cache_each_add_what_they_wait() {
    let mut scenario = plain();
    scenario.publish = Delay::fixed(0.25);
    let published = percentile(&seen(&scenario).staleness, 50);
    near(published, 0.75, 0.03);
    scenario.witnesses = [0.1, 0.3, 9.0].map(Delay::fixed).to_vec();
    scenario.quorum = 2;
    near(
        percentile(&seen(&scenario).staleness, 50),
        published + 0.3,
        0.03,
    );
    // More witnesses than there are never cosign.
    scenario.quorum = 4;
    assert!(seen(&scenario).staleness.is_empty());
    scenario.quorum = 0;
    scenario.places[0].follow = Some(Follow {
        pause: 0.0,
        round_trip: Delay::fixed(0.1),
        take: Delay::fixed(0.2),
    });
    // A mirror that never pauses: on average half a round until it asks, then half a round trip, two more for proof and updates, and taking them.
    let mirrored = percentile(&seen(&scenario).staleness, 50);
    near(mirrored, published + 0.05 + 0.05 + 0.2 + 0.2, 0.03);
    scenario.places[0].cache = Some(Cache {
        head_age: 0.5,
        round_trip: Delay::default(),
    });
    near(
        percentile(&seen(&scenario).staleness, 50),
        mirrored + 0.25,
        0.03,
    );
}

#[test]
fn a_slow_author_closes_fewer_batches() {
    let mut scenario = plain();
    scenario.publish = Delay::fixed(4.0);
    near(percentile(&seen(&scenario).staleness, 50), 6.0, 0.03);
}

/// Source: the mean time in a queue with Poisson arrivals, one server and exponential work is `1 / (served - arriving)`.
#[test]
fn one_core_is_the_queue_of_the_books() {
    let mut scenario = plain();
    scenario.places[0].work = Delay {
        least: 0.0,
        more: 0.005,
    };
    let seen = seen(&scenario);
    let mean = seen.latency.iter().sum::<f64>() / seen.latency.len() as f64;
    near(mean, 1.0 / (200.0 - 100.0), 0.1);
    near(seen.busy / 395.0, 0.5, 0.05);
}

#[test]
fn connections_that_wait_for_their_answers_share_the_cores() {
    let mut scenario = plain();
    scenario.span = 20.0;
    scenario.places[0].readers = Readers::Closed(8);
    scenario.places[0].cores = 2;
    scenario.places[0].work = Delay::fixed(0.001);
    let seen = seen(&scenario);
    near(seen.latency.len() as f64 / 15.0, 2000.0, 0.01);
    near(percentile(&seen.latency, 50), 0.004, 0.01);
}

#[test]
fn caches_answer_what_was_asked_of_the_same_version() {
    let mut scenario = plain();
    scenario.places[0].cache = Some(Cache {
        head_age: 0.0,
        round_trip: Delay::default(),
    });
    scenario.places[0].readers = Readers::Open {
        per_second: 100.0,
        keys: Zipf::new(1, 1.0),
    };
    // All ask for the one key: the first one of each version has to wait.
    near(seen(&scenario).hit_share(), 0.99, 0.002);
}
