//! All families on equal work, in one group for each role: updates of one key.
//!
//! Dictionaries have 10^3 and 10^4 keys. Schemes whose set-up would take longer than seconds have
//! fewer:
//!
//! - Designs with BLS signatures (one for each tuple), designs with accumulators (one witness for
//!   each tuple) and counted logs stop at 10^3.
//! - Frontier logs have 32 entries, because each entry has 512 powers and thousands of terms.
//!
//! Stores on disk, named `-stored`, have 10^4 keys. Their author and server wait for the disk.
//!
//! `bench compare` measures more with these functions, such as bytes.

use std::{
    cell::{LazyCell, RefCell},
    time::Duration,
};

use bench::{
    Outcome,
    measure::{
        LoadedRun,
        contenders::{Visitor, visit},
        lookups::Age,
        roles::Roles,
    },
    secret,
    workload::Random,
};
use comparison::{Place, Scheme, SchemeFamily, Work as _, Workload};
use criterion::{BatchSize, Bencher, Criterion};
use pad_core::Version;

use crate::{id, is_test, measure, timed, timed_batched};

/// Benches every scheme in a group for each role.
pub(crate) fn schemes(criterion: &mut Criterion) {
    secret::reserve(ACCUMULATED);
    for scheme in comparison::schemes() {
        let sizes = if is_test() {
            &[TRIED]
        } else {
            sizes_of(scheme)
        };
        for &keys in sizes {
            let benches = Benches {
                criterion,
                scheme,
                keys,
            };
            visit(scheme.name, benches).expect("bench: the scheme is listed");
        }
    }
}

/// Number of keys where everything runs once, as a test.
const TRIED: u64 = 16;
/// Maximum number of keys for designs with accumulators.
const ACCUMULATED: u64 = 1_000;

fn sizes_of(scheme: &Scheme) -> &'static [u64] {
    match (scheme.family, scheme.name) {
        (SchemeFamily::AccumulatedTuples, _) => &[ACCUMULATED],
        (_, "aad-frontier" | "aad-frontier-stored") => &[32],
        (SchemeFamily::Log, _) => &[1_000],
        (_, name) if name.contains("-bls") => &[1_000],
        _ if scheme.place == Place::Store => &[10_000],
        _ => &[1_000, 10_000],
    }
}

/// A loaded dictionary whose answers were checked, with its next questions and changes.
struct Fixture<T: Roles> {
    loaded: LoadedRun<T>,
    work: Workload,
    /// Next version of the author.
    version: u64,
    head: T::Head,
    /// Questions, asked in a cycle.
    questions: Vec<(Version, T::Question)>,
    next: usize,
}

/// Number of questions in the cycle.
const QUESTIONS: usize = 256;

impl<T: Roles> Fixture<T> {
    fn new(scheme: &Scheme, keys: u64, start: impl Fn(u64) -> Outcome<T>) -> Outcome<Self> {
        let work = Workload::updates(keys, 1, 1);
        let loaded = LoadedRun::new(&work, Duration::MAX, start(work.most_entries())?)?;
        let lookups = loaded.lookups(scheme);
        lookups.check()?;
        let questions = lookups.questions(&mut Random::new(7), Age::Latest, QUESTIONS);
        let head = lookups.roles.head(lookups.roles.latest())?;
        Ok(Self {
            loaded,
            work,
            version: 2,
            head,
            questions,
            next: 0,
        })
    }

    /// Proves the answer to the next question. Also returns the question's index.
    fn prove(&mut self) -> Outcome<(T::Proof, usize)> {
        let place = self.next;
        self.next = (place + 1) % QUESTIONS;
        let (version, question) = &self.questions[place];
        let proof = self.loaded.run.roles.prove(*version, question)?;
        Ok((proof, place))
    }

    /// Returns the changes of the author's next version.
    fn changes(&mut self) -> Outcome<T::Changes> {
        let operations = self.work.operations(self.version);
        self.version += 1;
        self.loaded.run.roles.prepare(operations)
    }
}

/// Benches of one scheme.
struct Benches<'a> {
    criterion: &'a mut Criterion,
    scheme: &'static Scheme,
    keys: u64,
}

impl Visitor for Benches<'_> {
    type Output = ();

    fn visit<T: Roles>(self, start: impl Fn(u64) -> Outcome<T>) {
        let (scheme, keys) = (self.scheme, self.keys);
        // Built when the first requested bench runs.
        let fixture = LazyCell::new(|| {
            let fixture = Fixture::new(scheme, keys, &start);
            RefCell::new(fixture.expect("bench: honest proofs verify"))
        });
        let name = id(&[("scheme", &scheme.name), ("keys", &keys)]);
        let mut time = |group: &str, work: &mut dyn FnMut(&mut Bencher<'_>)| {
            measure(self.criterion, group, &name, (1, 10), work);
        };
        let prove = || fixture.borrow_mut().prove();
        time("server/prove", &mut |bencher| timed(bencher, prove));
        time("client/verify", &mut |bencher| {
            let proof = || prove().expect("bench: the version exists");
            let verify = |(proof, place): (T::Proof, usize)| {
                let fixture = fixture.borrow();
                let (lookups, question) =
                    (fixture.loaded.lookups(scheme), &fixture.questions[place].1);
                lookups.verify(&fixture.head, proof, question)
            };
            timed_batched(bencher, proof, verify, BatchSize::SmallInput);
        });
        let changes = || fixture.borrow_mut().changes();
        let changes = || changes().expect("bench: the scheme can update keys");
        // Updates are results too, so that no time counts that frees them.
        let publish = |changes| fixture.borrow_mut().loaded.run.roles.publish(changes);
        time("server/apply", &mut |bencher| {
            let update = || publish(changes()).expect("bench: a key in memory signs");
            let apply = |update| {
                let applied = fixture.borrow_mut().loaded.run.roles.apply(&update);
                applied.map(|()| update)
            };
            timed_batched(bencher, update, apply, BatchSize::LargeInput);
        });
        // Last, because the server does not receive these updates.
        time("author/snapshot", &mut |bencher| {
            timed_batched(bencher, changes, publish, BatchSize::LargeInput);
        });
    }
}
