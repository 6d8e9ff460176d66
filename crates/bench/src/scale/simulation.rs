//! A discrete-event simulation of an author, witnesses, mirrors, caches and readers.
//!
//! The author closes a batch, publishes it at the origin, and has it cosigned; mirrors ask the origin again and again; readers ask caches,
//! and caches ask mirrors. The same scenario and seed give the same result each time: time is counted in nanoseconds, events of
//! one time happen in the order in which they were planned, and nothing else is drawn from than [`Random`].

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

use comparison::random::{Random, Zipf};

/// Nanoseconds, from the beginning on.
pub type Time = u64;

/// So many seconds.
#[allow(clippy::cast_sign_loss, reason = "spans of time are not negative")]
pub fn seconds(seconds: f64) -> Time {
    (seconds * 1e9).round() as Time
}

/// A span of time that varies: the least, and what comes on top of it, exponentially distributed with this mean; both in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delay {
    pub least: f64,
    pub more: f64,
}

impl Delay {
    /// The same span each time.
    pub const fn fixed(least: f64) -> Self {
        Self { least, more: 0.0 }
    }

    fn draw(&self, random: &mut Random) -> Time {
        seconds(self.least - self.more * (1.0 - random.fraction()).ln())
    }
}

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    /// For how long readers ask, in seconds.
    pub span: f64,
    /// What happens in the first seconds does not count.
    pub warm_up: f64,
    /// Between the closings of two batches, in seconds.
    pub batch: f64,
    /// From the closing of a batch until the origin answers from it.
    pub publish: Delay,
    /// From a publication until each witness has cosigned it; the quorum is the number of them that readers want.
    pub witnesses: Vec<Delay>,
    pub quorum: usize,
    pub places: Vec<Place>,
}

/// A mirror (or the origin), a cache before it, and their readers.
#[derive(Clone, Debug)]
pub struct Place {
    /// How the origin is followed; none where readers ask the origin itself.
    pub follow: Option<Follow>,
    /// The cache before it.
    pub cache: Option<Cache>,
    /// The cores that make answers, and the time of one for an answer, in seconds.
    pub cores: usize,
    pub work: Delay,
    /// From a reader to the cache (or the server) and back, and whatever else waits and needs no core.
    pub way: Delay,
    pub readers: Readers,
}

/// How a mirror follows the origin, as `pad mirror` does.
#[derive(Clone, Copy, Debug)]
pub struct Follow {
    /// From the end of a round to the beginning of the next.
    pub pause: f64,
    /// To the origin and back: once for the head; where it is new, once for the proof that it continues the one before, and once
    /// for the updates.
    pub round_trip: Delay,
    /// To take up one version.
    pub take: Delay,
}

/// A cache of heads and answers.
#[derive(Clone, Copy, Debug)]
pub struct Cache {
    /// For how long it gives away a head without asking again, in seconds.
    pub head_age: f64,
    /// To the mirror and back.
    pub round_trip: Delay,
}

/// How readers ask.
#[derive(Clone, Copy, Debug)]
pub enum Readers {
    /// Independently of each other, so many times a second, for keys of this distribution.
    Open { per_second: f64, keys: Zipf },
    /// So many connections, each of which asks for another key when it has its answer.
    Closed(u64),
}

/// What readers of a place saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// How long before it was read the version that was read had been closed, in seconds, ascending.
    pub staleness: Vec<f64>,
    /// From question to answer in seconds, ascending.
    pub latency: Vec<f64>,
    /// How many of the answers came out of the cache.
    pub hits: u64,
    /// How many seconds of cores the answers took.
    pub busy: f64,
}

impl Seen {
    /// The share of answers that came out of the cache.
    pub fn hit_share(&self) -> f64 {
        self.hits as f64 / self.latency.len().max(1) as f64
    }
}

/// Runs the scenario; what was seen at each place.
pub fn simulate(scenario: &Scenario) -> Vec<Seen> {
    let mut run = Run::new(scenario);
    while let Some(Reverse((now, _, event))) = run.events.pop() {
        run.happen(now, event);
    }
    let mut seen: Vec<Seen> = run.places.into_iter().map(|place| place.seen).collect();
    for seen in &mut seen {
        seen.staleness.sort_unstable_by(f64::total_cmp);
        seen.latency.sort_unstable_by(f64::total_cmp);
    }
    seen
}

/// What happens, with the number of a place or of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The author closes a batch.
    Close,
    /// The origin answers from a version.
    Published(usize),
    /// Enough witnesses have cosigned a version.
    Cosigned(usize),
    /// The origin is asked by a mirror what is new.
    Asked(usize),
    /// A mirror answers from this published version, and from this cosigned one.
    Taken(usize, usize, usize),
    /// A reader's question arrives at a cache, which it was sent at this time.
    Read(usize, Time),
    /// A question arrives at a mirror: when it was sent, and when the version was closed that is read.
    Answer(usize, Time, Time),
}

/// A place as it is at a time.
struct PlaceNow {
    /// The version that it has, and the newest that it knows to be cosigned; 0 is none.
    has: (usize, usize),
    /// When each core has done what it has to do.
    free: BinaryHeap<Reverse<Time>>,
    /// Until when the cache gives away a version without asking.
    cached: (Time, usize),
    /// The keys whose answers the cache has for that version.
    answers: HashSet<u64>,
    seen: Seen,
}

struct Run<'s> {
    scenario: &'s Scenario,
    random: Random,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    /// How many events were planned.
    planned: u64,
    /// When each version was closed.
    closed: Vec<Time>,
    /// The latest version at the origin, and the newest that is cosigned.
    origin: (usize, usize),
    places: Vec<PlaceNow>,
}

impl<'s> Run<'s> {
    fn new(scenario: &'s Scenario) -> Self {
        let place = |place: &Place| PlaceNow {
            has: (0, 0),
            free: vec![Reverse(0); place.cores.max(1)].into(),
            cached: (0, 0),
            answers: HashSet::new(),
            seen: Seen::default(),
        };
        let mut run = Self {
            scenario,
            random: Random::new(scenario.seed),
            events: BinaryHeap::new(),
            planned: 0,
            closed: Vec::new(),
            origin: (0, 0),
            places: scenario.places.iter().map(place).collect(),
        };
        run.plan(0, Event::Close);
        for (number, place) in scenario.places.iter().enumerate() {
            if let Some(follow) = place.follow {
                // Mirrors were not started together.
                let first = seconds(follow.pause * run.random.fraction());
                run.plan(first, Event::Asked(number));
            }
            match place.readers {
                Readers::Open { per_second, .. } => run.next_reader(number, 0, per_second),
                Readers::Closed(connections) => {
                    (0..connections).for_each(|_| run.ask(number, 0));
                }
            }
        }
        run
    }

    fn plan(&mut self, time: Time, event: Event) {
        self.planned += 1;
        self.events.push(Reverse((time, self.planned, event)));
    }

    /// A reader asks now: half of its way lies before the cache.
    fn ask(&mut self, place: usize, now: Time) {
        if now < seconds(self.scenario.span) {
            let way = self.scenario.places[place].way.draw(&mut self.random);
            self.plan(now + way / 2, Event::Read(place, now));
        }
    }

    fn next_reader(&mut self, place: usize, now: Time, per_second: f64) {
        let pause = Delay {
            least: 0.0,
            more: 1.0 / per_second,
        }
        .draw(&mut self.random);
        self.ask(place, now + pause);
    }

    fn happen(&mut self, now: Time, event: Event) {
        let scenario = self.scenario;
        match event {
            Event::Close => {
                let published = now + scenario.publish.draw(&mut self.random);
                self.closed.push(now);
                self.plan(published, Event::Published(self.closed.len()));
                // An author publishes one batch after the other.
                let next = published.max(now + seconds(scenario.batch));
                if next < seconds(scenario.span) {
                    self.plan(next, Event::Close);
                }
            }
            Event::Published(version) => {
                self.origin.0 = version;
                let draw = |witness: &Delay| witness.draw(&mut self.random);
                let mut answers: Vec<Time> = scenario.witnesses.iter().map(draw).collect();
                answers.sort_unstable();
                match scenario.quorum.checked_sub(1).map(|last| answers.get(last)) {
                    None => self.origin.1 = version,
                    Some(Some(last)) => self.plan(now + last, Event::Cosigned(version)),
                    // A quorum of more witnesses than there are is never reached.
                    Some(None) => {}
                }
            }
            Event::Cosigned(version) => self.origin.1 = self.origin.1.max(version),
            Event::Asked(place) => self.asked(now, place),
            Event::Taken(place, published, cosigned) => {
                self.places[place].has = (published, cosigned);
                if let Some(follow) = scenario.places[place].follow {
                    let way = follow.round_trip.draw(&mut self.random) / 2;
                    let next = now + seconds(follow.pause) + way;
                    if next < seconds(scenario.span) {
                        self.plan(next, Event::Asked(place));
                    }
                }
            }
            Event::Read(place, sent) => self.read(now, place, sent),
            Event::Answer(place, sent, closed) => self.answer(now, place, sent, closed),
        }
    }

    /// The origin says what it has; what is new of it is fetched and taken up.
    fn asked(&mut self, now: Time, place: usize) {
        let Some(follow) = self.scenario.places[place].follow else {
            return;
        };
        let (published, cosigned) = self.origin;
        let mut end = now + follow.round_trip.draw(&mut self.random) / 2;
        let new = published - self.places[place].has.0;
        if new > 0 {
            let [proof, updates] = [(); 2].map(|()| follow.round_trip.draw(&mut self.random));
            end += proof + updates;
        }
        for _ in 0..new {
            end += follow.take.draw(&mut self.random);
        }
        self.plan(end, Event::Taken(place, published, cosigned));
    }

    /// A question arrives at the cache, or at the server where there is none.
    fn read(&mut self, now: Time, place: usize, sent: Time) {
        let of = &self.scenario.places[place];
        if let Readers::Open { per_second, .. } = of.readers {
            self.next_reader(place, sent, per_second);
        }
        let here = &mut self.places[place];
        let has = if of.follow.is_some() {
            here.has
        } else {
            self.origin
        };
        let newest = has.0.min(has.1);
        let Some(cache) = of.cache else {
            let closed = newest.checked_sub(1).map(|version| self.closed[version]);
            // Nothing was published yet.
            let closed = closed.unwrap_or(Time::MAX);
            self.plan(now, Event::Answer(place, sent, closed));
            return;
        };
        let to_mirror = cache.round_trip.draw(&mut self.random);
        let mut waited = 0;
        if here.cached.0 < now {
            waited = to_mirror;
            if here.cached.1 != newest {
                here.answers.clear();
            }
            here.cached = (now + seconds(cache.head_age), newest);
        }
        let version = here.cached.1;
        let closed = version
            .checked_sub(1)
            .map_or(Time::MAX, |version| self.closed[version]);
        let key = match of.readers {
            Readers::Open { keys, .. } => keys.draw(&mut self.random),
            Readers::Closed(_) => self.random.next(),
        };
        // A cache asks once for what several readers want at the same time.
        if here.answers.insert(key) {
            self.plan(
                now + waited + to_mirror / 2,
                Event::Answer(place, sent, closed),
            );
        } else {
            if now >= seconds(self.scenario.warm_up) {
                here.seen.hits += 1;
            }
            self.finish(now + waited, place, sent, closed);
        }
    }

    /// A question arrives at the server, and waits for a core.
    fn answer(&mut self, now: Time, place: usize, sent: Time, closed: Time) {
        let of = &self.scenario.places[place];
        let work = of.work.draw(&mut self.random);
        let back = of
            .cache
            .map_or(0, |cache| cache.round_trip.draw(&mut self.random) / 2);
        let here = &mut self.places[place];
        let free = here.free.pop().map_or(now, |Reverse(free)| free.max(now));
        here.free.push(Reverse(free + work));
        if now >= seconds(self.scenario.warm_up) {
            here.seen.busy += work as f64 / 1e9;
        }
        self.finish(free + work + back, place, sent, closed);
    }

    /// The answer is on its way back to the reader.
    fn finish(&mut self, now: Time, place: usize, sent: Time, closed: Time) {
        let of = &self.scenario.places[place];
        let read = now + of.way.draw(&mut self.random) / 2;
        if now >= seconds(self.scenario.warm_up) {
            let seen = &mut self.places[place].seen;
            seen.latency.push((read - sent) as f64 / 1e9);
            if closed < read {
                seen.staleness.push((read - closed) as f64 / 1e9);
            }
        }
        if matches!(of.readers, Readers::Closed(_)) {
            self.ask(place, read);
        }
    }
}

#[cfg(test)]
mod tests;
