use pad_core::Workers;

use super::*;
use crate::{author::support, log::Log, scheme::AadCounted, shape::Schedule};

fn log() -> Log<AadCounted> {
    support::log(7, 4, Schedule::Deferred)
}

fn grow(forest: &mut Forest<AadCounted>, size: u8) -> Result<(), AccumulateError> {
    for element in forest.elements.len() / 64..usize::from(size) {
        forest.push(&[u8::try_from(element).unwrap(); 64]);
    }
    forest.build()
}

/// The error of a step is returned once, when the node is due.
#[test]
fn a_job_that_fails_is_an_error_when_it_is_due() {
    let log = log();
    let workers = Workers::sequential();
    let mut forest = Forest::new(log, workers);
    grow(&mut forest, 24).unwrap();
    let due = forest.jobs.all()[0];
    forest
        .jobs
        .add(due, Job::failing(AccumulateError::ElementNotAllowed));
    grow(&mut forest, 31).unwrap();
    let refused = Err(AccumulateError::ElementNotAllowed);
    assert_eq!(grow(&mut forest, 32), refused);
    assert_eq!(forest.size(), 31);
    grow(&mut forest, 32).unwrap();
    assert_eq!(forest.size(), 32);
}
