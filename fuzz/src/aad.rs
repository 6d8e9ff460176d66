//! Append-only logs: any bytes as proofs, changed proofs, and operations compared with a list.
//!
//! Input: the mode (1 byte, modulo 3), then
//! * mode 0, bytes: scheme and query (1 byte each), and the body of an answer
//! * mode 1, changes: scheme, query, and another query whose message is spliced in (1 byte each),
//!   then changes of four bytes each
//! * mode 2, operations: two bytes each, operation and key

use std::sync::{Arc, LazyLock};

use pad_accumulators::bilinear::Parameters;
use pad_conformance::{
    Random,
    aad::{
        Lookups, Roles,
        hostile::{self, Answer},
        laws, parameters,
        roles::{key, random_entry},
    },
};
use pad_core::codec::ENVELOPE_LENGTH;
use pad_log::{AadCounted, AadFrontier, AasCounted, AasFrontier, Log, Schedule, Setup, Shape};

/// Capacity for trees of 16 elements with 512 roots each.
const CAPACITY: usize = 1 << 13;
/// Maximum number of operations of an input.
const OPERATIONS: usize = 60;

static PARAMETERS: LazyLock<Arc<Parameters>> = LazyLock::new(|| parameters::parameters(CAPACITY));

/// The honest answers of a log of each scheme, and the address of the log. The log is never freed.
/// The stored address prevents a leak report.
static ANSWERS: [LazyLock<(Vec<Answer<'static>>, usize)>; 4] = [
    LazyLock::new(answers::<AadCounted>),
    LazyLock::new(answers::<AasCounted>),
    LazyLock::new(answers::<AadFrontier>),
    LazyLock::new(answers::<AasFrontier>),
];

fn log<S: Lookups>() -> Log<S> {
    let shape = Shape::new(4, Schedule::Eager).expect("a shape");
    Log::new("fuzz".into(), Setup::new(Arc::clone(&PARAMETERS), shape))
}

/// Makes honest answers about a log with more elements than one tree contains.
fn answers<S: Lookups>() -> (Vec<Answer<'static>>, usize) {
    let roles = hostile::roles(&log::<S>(), 1);
    let at = roles.at(roles.latest());
    let (roles, at) = Box::leak(Box::new((roles, at)));
    let address = core::ptr::from_ref(roles).addr();
    (hostile::answers(roles, at), address)
}

/// Makes all logs, which takes longer than the time limit of an input.
pub fn prepare() {
    for answers in &ANSWERS {
        LazyLock::force(answers);
    }
}

/// Runs one input.
pub fn run(data: &[u8]) {
    match data {
        [what, operations @ ..] if what % 3 == 2 => play(operations),
        [what, scheme, question, rest @ ..] => {
            let (answers, _) = &*ANSWERS[usize::from(*scheme) % ANSWERS.len()];
            let answer = &answers[usize::from(*question) % answers.len()];
            let message = if what % 3 == 0 {
                [&answer.message[..ENVELOPE_LENGTH], rest].concat()
            } else {
                changed(answers, answer, rest)
            };
            if (answer.is_accepted)(&message) {
                assert_eq!(message, answer.message, "a second message is accepted");
            }
        }
        _ => {}
    }
}

/// Applies changes to an honest message.
fn changed(answers: &[Answer<'_>], answer: &Answer<'_>, changes: &[u8]) -> Vec<u8> {
    let mut message = answer.message.clone();
    let [other, changes @ ..] = changes else {
        return message;
    };
    let other = &answers[usize::from(*other) % answers.len()].message;
    for change in changes.as_chunks::<4>().0.iter().take(16) {
        apply(*change, &mut message, other);
    }
    message
}

/// Applies one change: kind, position (2 bytes), and value.
fn apply([what, high, low, value]: [u8; 4], message: &mut Vec<u8>, other: &[u8]) {
    let place = usize::from(u16::from_be_bytes([high, low])) % (message.len() + 1);
    // The length of a point, or of a scalar or hash.
    let length = if value % 2 == 0 { 48 } else { 32 };
    let end = (place + length).min(message.len());
    match what % 8 {
        0 => message.truncate(place),
        1 => message.insert(place, value),
        2 => drop(message.drain(place..end)),
        3 => {
            let from = other.get(place..).unwrap_or_default();
            let copied = from.len().min(end - place);
            message[place..place + copied].copy_from_slice(&from[..copied]);
        }
        4 => {
            message.truncate(place);
            message.extend_from_slice(other.get(place..).unwrap_or_default());
        }
        5 if end + length <= message.len() => message[place..end + length].rotate_left(length),
        6 => message[place..end].fill(0),
        _ => {
            if let Some(byte) = message.get_mut(place) {
                *byte = value;
            }
        }
    }
}

/// Appends in batches, queries, and compares the answers with a list.
fn play(operations: &[u8]) {
    let mut roles = Roles::new(&log::<AadCounted>());
    for (what, which) in operations
        .as_chunks::<2>()
        .0
        .iter()
        .take(OPERATIONS)
        .map(|[a, b]| (*a, *b))
    {
        let version = u64::from(which) % (roles.latest() + 1);
        match what % 8 {
            0..4 => roles.append(random_entry::<AadCounted>(&mut Random::new(which.into()))),
            4 => roles.publish(),
            5 => laws::check_look_up(&roles, version, &key(u64::from(what / 8))),
            6 => {
                let entry = random_entry::<AadCounted>(&mut Random::new((what / 8).into()));
                laws::check_inclusion(&roles, version, &entry);
            }
            _ => laws::check_growth(&roles, version.min(u64::from(what / 8)), version),
        }
    }
}

/// Returns inputs of every mode for the committed corpus: honest messages, changes of them, and
/// random operations.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (scheme, answers) in (0_u8..).zip(&ANSWERS) {
        for (question, answer) in (0_u8..).zip(&answers.0).step_by(3) {
            let body = &answer.message[ENVELOPE_LENGTH..];
            let name = format!("{scheme}-{question}");
            seeds.push((
                format!("bytes-{name}"),
                [&[0, scheme, question], body].concat(),
            ));
            let changes = Random::new(question.into()).bytes(5);
            let input = [&[1, scheme, question], &changes[..]].concat();
            seeds.push((format!("changes-{name}"), input));
        }
    }
    for seed in 0..4 {
        let operations = Random::new(seed).bytes(2 * OPERATIONS);
        seeds.push((
            format!("operations-{seed}"),
            [&[2], &operations[..]].concat(),
        ));
    }
    seeds
}
