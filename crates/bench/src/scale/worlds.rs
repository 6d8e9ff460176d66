//! The simulated continents.

use comparison::random::Zipf;

use super::{
    assumptions::Assumptions,
    coefficients::Coefficients,
    plan::Plan,
    simulation::{Cache, Delay, Follow, Place, Readers, Scenario, Seen, simulate},
};

/// What stands between an author and a reader, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Batch,
    Published,
    Cosigned,
    Mirrored,
    Cached,
}

impl Stage {
    pub const ALL: [(Self, &str); 5] = [
        (Self::Batch, "the author waits for a batch"),
        (Self::Published, "and signs, commits and publishes it"),
        (Self::Cosigned, "and a quorum of witnesses cosigns it"),
        (Self::Mirrored, "and a mirror takes it up"),
        (Self::Cached, "and a cache gives away the head before"),
    ];
}

/// Readers of every continent, few of them, for so many batches, with what there is up to this stage.
pub fn staleness(
    coefficients: &Coefficients,
    assumptions: &Assumptions,
    plan: &Plan,
    until: Stage,
    batches: f64,
) -> Vec<Seen> {
    // Enough for each batch; and for short ones often enough that caches have a head that somebody else asked for.
    let readers = Readers::Open {
        per_second: (500.0 / assumptions.author.batch_seconds).clamp(2.0, 50.0),
        keys: Zipf::new(1, 1.0),
    };
    let places = assumptions
        .continents
        .iter()
        .enumerate()
        .map(|(number, _)| {
            let place = place(coefficients, assumptions, plan, number, readers);
            Place {
                follow: place.follow.filter(|_| until >= Stage::Mirrored),
                cache: place.cache.filter(|_| until >= Stage::Cached),
                ..place
            }
        });
    simulate(&scenario(
        assumptions,
        plan,
        until,
        places.collect(),
        batches,
    ))
}

/// All readers of one cache of each continent, for as many batches as show what its cache and the servers behind it do.
pub fn busy(coefficients: &Coefficients, assumptions: &Assumptions, plan: &Plan) -> Vec<Seen> {
    let caches = f64::from(assumptions.caches.places.max(1));
    let keys = Zipf::new(whole(assumptions.load.keys), assumptions.caches.exponent);
    let places = assumptions
        .continents
        .iter()
        .enumerate()
        .map(|(number, continent)| {
            let per_second = assumptions.lookups_of(continent) / caches;
            place(
                coefficients,
                assumptions,
                plan,
                number,
                Readers::Open { per_second, keys },
            )
        });
    simulate(&scenario(
        assumptions,
        plan,
        Stage::Cached,
        places.collect(),
        2.0,
    ))
}

fn scenario(
    assumptions: &Assumptions,
    plan: &Plan,
    until: Stage,
    places: Vec<Place>,
    batches: f64,
) -> Scenario {
    let seconds = assumptions.author.batch_seconds;
    // The author's time for a version, and the origin's; the update goes over the network between them once.
    let sent = plan.update_bytes * 8.0 / (assumptions.machine.network_gigabits * 1e9);
    let publish = if until >= Stage::Published {
        Delay::fixed(2.0 * plan.version_seconds[0] + sent)
    } else {
        Delay::default()
    };
    let witnesses = assumptions.witnesses.round_trips_ms.iter();
    let witnesses = witnesses.map(|trip| way(assumptions, *trip)).collect();
    let is_cosigned = until >= Stage::Cosigned;
    // What is read before the first versions have come all the way says nothing.
    let warm_up = (2.0 * seconds).max(2.0 * (seconds + 3.0 * plan.mirror_seconds));
    Scenario {
        seed: 1,
        span: warm_up + seconds * batches,
        warm_up,
        batch: seconds,
        publish,
        witnesses,
        quorum: if is_cosigned {
            assumptions.witnesses.quorum
        } else {
            0
        },
        places,
    }
}

/// A continent with its mirrors, of which one cache has its part.
fn place(
    coefficients: &Coefficients,
    assumptions: &Assumptions,
    plan: &Plan,
    number: usize,
    readers: Readers,
) -> Place {
    let (continent, needs) = (&assumptions.continents[number], &plan.continents[number]);
    let caches = &assumptions.caches;
    let cores =
        needs.servers * f64::from(assumptions.machine.cores) / f64::from(caches.places.max(1));
    let work = coefficients.http_us.value * assumptions.network.tls + coefficients.prove_us.value;
    let cache = Cache {
        head_age: caches.head_seconds,
        round_trip: way(assumptions, caches.mirror_round_trip_ms),
    };
    Place {
        follow: Some(Follow {
            pause: assumptions.mirrors.pause_seconds,
            round_trip: way(assumptions, continent.round_trip_ms),
            take: Delay::fixed(plan.mirror_seconds),
        }),
        cache: (caches.places > 0).then_some(cache),
        cores: usize::try_from(whole(cores.ceil())).unwrap_or(1).max(1),
        work: Delay::fixed(work / 1e6),
        way: way(assumptions, caches.reader_round_trip_ms),
        readers,
    }
}

/// A round trip over a network, which varies.
fn way(assumptions: &Assumptions, milliseconds: f64) -> Delay {
    let least = milliseconds / 1e3;
    Delay {
        least,
        more: least * assumptions.network.varying,
    }
}

#[allow(clippy::cast_sign_loss, reason = "counts are not negative")]
const fn whole(number: f64) -> u64 {
    number as u64
}
