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
    collections::VecDeque,
    hint::black_box,
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
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{Answer, Version};

use crate::{Each, always, id, is_test, measure, timed, timed_batched};

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
        (_, "aad-frontier") => &[32],
        (SchemeFamily::Log, _) => &[1_000],
        (_, name) if name.contains("-bls") => &[1_000],
        _ if scheme.place == Place::Store => &[10_000],
        _ => &[1_000, 10_000],
    }
}

/// Type-erased dictionary, so that measuring code is compiled once and not for each scheme.
///
/// Each step keeps its result for the next one, so that only the step is timed.
trait Steps {
    /// Server: proves the answer to the next question.
    fn prove(&mut self) -> Outcome<()>;
    /// Makes a proof for `verify`.
    fn make_proof(&mut self);
    /// Client: verifies the first unverified proof.
    fn verify(&mut self) -> Answer;
    /// Makes the next changes, for `publish`.
    fn make_changes(&mut self);
    /// Author: publishes the first unpublished changes, for `apply`.
    fn publish(&mut self) -> Outcome<()>;
    /// Server: applies the first unapplied update.
    fn apply(&mut self) -> Outcome<()>;
    /// Drops published and applied updates.
    fn clear(&mut self);
}

/// A loaded dictionary whose answers were checked, with its next inputs.
struct StepFixture<T: Roles> {
    loaded: LoadedRun<T>,
    scheme: &'static Scheme,
    work: Workload,
    /// Next version of the author.
    version: u64,
    head: T::Head,
    /// Questions, asked in a cycle.
    questions: Vec<(Version, T::Question)>,
    next: usize,
    proofs: VecDeque<(T::Proof, usize)>,
    changes: VecDeque<T::Changes>,
    updates: VecDeque<T::Update>,
    applied: Vec<T::Update>,
}

impl<T: Roles> StepFixture<T> {
    fn new(
        scheme: &'static Scheme,
        keys: u64,
        start: &impl Fn(u64) -> Outcome<T>,
    ) -> Outcome<Self> {
        let work = Workload::updates(keys, 1, 1);
        let loaded = LoadedRun::new(&work, Duration::MAX, start(work.most_entries())?)?;
        let lookups = loaded.lookups(scheme);
        lookups.check()?;
        let questions = lookups.questions(&mut Random::new(7), Age::Latest, QUESTIONS);
        let head = lookups.roles.head(lookups.roles.latest())?;
        Ok(Self {
            loaded,
            scheme,
            work,
            version: 2,
            head,
            questions,
            next: 0,
            proofs: VecDeque::new(),
            changes: VecDeque::new(),
            updates: VecDeque::new(),
            applied: Vec::new(),
        })
    }

    fn proof(&mut self) -> (Outcome<T::Proof>, usize) {
        let place = self.next;
        self.next = (place + 1) % QUESTIONS;
        let (version, question) = &self.questions[place];
        (self.loaded.run.roles.prove(*version, question), place)
    }
}

/// Number of questions in the cycle.
const QUESTIONS: usize = 256;

impl<T: Roles> Steps for StepFixture<T> {
    fn prove(&mut self) -> Outcome<()> {
        black_box(self.proof().0).map(drop)
    }

    fn make_proof(&mut self) {
        let (proof, place) = self.proof();
        let proof = proof.expect("bench: the version exists");
        self.proofs.push_back((proof, place));
    }

    fn verify(&mut self) -> Answer {
        let (proof, place) = self.proofs.pop_front().expect("bench: a proof was made");
        let lookups = self.loaded.lookups(self.scheme);
        let answer = lookups.verify(&self.head, proof, &self.questions[place].1);
        answer.expect("bench: honest proofs verify")
    }

    fn make_changes(&mut self) {
        let operations = self.work.operations(self.version);
        self.version += 1;
        let changes = self.loaded.run.roles.prepare(operations);
        let changes = changes.expect("bench: the scheme can update keys");
        self.changes.push_back(changes);
    }

    fn publish(&mut self) -> Outcome<()> {
        let changes = self.changes.pop_front().expect("bench: changes were made");
        let update = self.loaded.run.roles.publish(changes)?;
        self.updates.push_back(update);
        Ok(())
    }

    fn apply(&mut self) -> Outcome<()> {
        let update = self.updates.pop_front().expect("bench: it was published");
        self.loaded.run.roles.apply(&update)?;
        self.applied.push(update);
        Ok(())
    }

    fn clear(&mut self) {
        self.updates.clear();
        self.applied.clear();
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
        self.run(&|| -> Box<dyn Steps + '_> {
            let prepared = StepFixture::new(scheme, keys, &start);
            Box::new(prepared.expect("bench: honest proofs verify"))
        });
    }
}

impl Benches<'_> {
    fn run<'p>(self, prepare: &dyn Fn() -> Box<dyn Steps + 'p>) {
        // Built when the first requested bench runs.
        let steps = LazyCell::new(|| RefCell::new(prepare()));
        let steps = || steps.borrow_mut();
        let name = id(&[("scheme", &self.scheme.name), ("keys", &self.keys)]);
        let mut time = |group: &str, work: &mut dyn FnMut(&mut criterion::Bencher<'_>)| {
            let each = Each(Throughput::Elements(1), 10);
            measure(self.criterion, group, &name, each, work);
        };
        time("server/prove", &mut |bencher| {
            let mut steps = steps();
            timed(bencher, || steps.prove());
        });
        time("client/verify", &mut |bencher| {
            let verify = |()| always(steps().verify());
            timed_batched(
                bencher,
                || steps().make_proof(),
                verify,
                BatchSize::SmallInput,
            );
        });
        time("server/apply", &mut |bencher| {
            let publish = || {
                let mut steps = steps();
                steps.make_changes();
                steps.publish().expect("bench: a key in memory signs");
            };
            let apply = |()| steps().apply();
            timed_batched(bencher, publish, apply, BatchSize::LargeInput);
            steps().clear();
        });
        // Last, because the server does not receive these updates.
        time("author/snapshot", &mut |bencher| {
            let publish = |()| steps().publish();
            timed_batched(
                bencher,
                || steps().make_changes(),
                publish,
                BatchSize::LargeInput,
            );
            steps().clear();
        });
    }
}
