//! Construction of one tree node above the blocks' level: in one append, or as a job whose steps
//! are run in several appends.

use std::{fmt, sync::Arc};

use ark_bls12_381::Fr;
use ark_ff::Field;
use bls12::scalar;
use pad_accumulators::{AccumulateError, AccumulatorId, internals::polynomial::Transform};
use pad_core::Digest;

use super::{
    frontier_tree::{FrontierPlan, FrontierTree},
    node::Node,
    steps::{Steps, pause},
    stepwise::{
        Pace, combine, commit_steps, divide_by_root, evaluate, multiply, multiply_steps, pass_steps,
    },
};
use crate::{
    certificate::{PointBytes, product_challenge, second_challenge},
    log::Setup,
    scheme::Scheme,
};

/// The data from which a node above the blocks' level is computed: mainly the polynomials of its
/// two children.
#[derive(Debug)]
pub(super) struct Merge {
    pub(super) id: AccumulatorId,
    pub(super) setup: Setup,
    /// The hash of the children's hashes.
    pub(super) inner: Digest<32>,
    /// The accumulators of the left and the right child.
    pub(super) accumulators: [PointBytes; 2],
    /// The polynomials of the left and the right child.
    pub(super) factors: [Arc<Vec<Fr>>; 2],
}

/// A finished node, with its polynomial and, where it was computed, its frontier.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) node: Node,
    pub(super) polynomial: Arc<Vec<Fr>>,
    /// The frontier of the tree below the node. `None` in counted schemes, for nodes made in one
    /// append, and if [`Job::finish`] skipped the frontier.
    pub(super) frontier: Option<Arc<FrontierTree>>,
}

/// A job that makes a node: first its accumulator and certificate, then, in frontier schemes, its
/// frontier.
///
/// A job owns its inputs and never changes them. A job that is dropped and started again produces
/// an equal node.
pub(super) struct Job {
    stage: Stage,
    total: usize,
    done: usize,
}

enum Stage {
    /// The steps of the node itself. The closure starts the steps of the frontier afterwards, if
    /// the node needs one.
    Merging(FallibleSteps<Made>, Option<BeginFrontier>),
    Frontier(Made, FallibleSteps<FrontierTree>),
    Finished(Result<Made, AccumulateError>),
}

type FallibleSteps<T> = Steps<Result<T, AccumulateError>>;
type BeginFrontier = Box<dyn FnOnce(&Made) -> FallibleSteps<FrontierTree> + Send + Sync>;

impl Job {
    /// Creates the job of the node with the inputs `merge`, and of its frontier if one is given. No
    /// step adds more than `terms` terms of a sum.
    pub(super) fn new<S: Scheme>(
        merge: Merge,
        frontier: Option<FrontierPlan>,
        terms: usize,
    ) -> Self {
        let degree = merge.degree();
        let planned = frontier.as_ref();
        let planned = planned.map_or(0, |plan| plan.steps(degree, terms));
        let pace = Pace::in_steps(terms);
        let making = pace.clone();
        let merging = Steps::new(merge.steps(terms), async move { merge.run(making).await });
        let begin = frontier.map(|plan| -> BeginFrontier {
            Box::new(move |made| {
                let tree = (made.node.accumulator, Arc::clone(&made.polynomial));
                Steps::new(planned, plan.make::<S>(tree, pace))
            })
        });
        Self {
            total: merging.total() + planned,
            stage: Stage::Merging(merging, begin),
            done: 0,
        }
    }

    /// Creates a job for a node that is finished already. It has no steps.
    pub(super) const fn finished(made: Made) -> Self {
        Self {
            stage: Stage::Finished(Ok(made)),
            total: 0,
            done: 0,
        }
    }

    /// Creates a job with a single step, which fails with `error`.
    #[cfg(test)]
    pub(super) fn failing(error: AccumulateError) -> Self {
        let failing = async move {
            pause().await;
            Err(error)
        };
        Self {
            stage: Stage::Merging(Steps::new(1, failing), None),
            total: 1,
            done: 0,
        }
    }

    /// The total number of steps of this job, which is known when the job is created.
    pub(super) const fn total(&self) -> usize {
        self.total
    }

    /// The number of steps that have run so far.
    pub(super) const fn done(&self) -> usize {
        self.done
    }

    /// Runs steps until `steps` of them have run in total since the job was created, or the job is
    /// finished.
    pub(super) fn run_to(&mut self, steps: usize) {
        while self.done < steps && !matches!(self.stage, Stage::Finished(_)) {
            self.step();
        }
    }

    /// Runs all remaining steps and returns the node. Skips the steps of the frontier if
    /// `with_frontier` is false.
    ///
    /// # Errors
    /// [`AccumulateError`] if the parameters have too few powers or hashes have collided.
    pub(super) fn finish(mut self, with_frontier: bool) -> Result<Made, AccumulateError> {
        loop {
            match self.stage {
                Stage::Finished(made) => return made,
                Stage::Frontier(made, _) if !with_frontier => return Ok(made),
                _ => self.step(),
            }
        }
    }

    fn step(&mut self) {
        match &mut self.stage {
            Stage::Merging(steps, begin) => {
                if let Some(merged) = step(steps) {
                    self.stage = match (merged, begin.take()) {
                        (Ok(made), Some(begin)) => {
                            let steps = begin(&made);
                            Stage::Frontier(made, steps)
                        }
                        (merged, _) => Stage::Finished(merged),
                    };
                }
            }
            Stage::Frontier(made, steps) => {
                if let Some(frontier) = step(steps) {
                    let made = made.clone();
                    self.stage = Stage::Finished(frontier.map(|frontier| Made {
                        frontier: Some(Arc::new(frontier)),
                        ..made
                    }));
                }
            }
            Stage::Finished(_) => return,
        }
        self.done += 1;
    }
}

fn step<T>(steps: &mut FallibleSteps<T>) -> Option<Result<T, AccumulateError>> {
    let result = steps.step()?;
    debug_assert!(
        result.is_err() || steps.left() == 0,
        "fewer steps than announced"
    );
    Some(result)
}

impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Job({} of {})", self.done, self.total)
    }
}

impl Made {
    /// Creates a finished node without a frontier.
    pub(super) fn new(node: Node, polynomial: Vec<Fr>) -> Self {
        Self {
            node,
            polynomial: Arc::new(polynomial),
            frontier: None,
        }
    }
}

impl Merge {
    fn degree(&self) -> usize {
        self.factors.iter().map(|factor| factor.len() - 1).sum()
    }

    fn steps(&self, terms: usize) -> usize {
        let [left, right] = self.factors.each_ref().map(|factor| factor.len());
        let length = self.degree() + 1;
        let sums = commit_steps(length, terms) + commit_steps(length - 1, terms);
        1 + multiply_steps(left, right) + sums + pass_steps(left) + 2 * pass_steps(length)
    }

    /// Multiplies the children's polynomials, and computes the node's accumulator and certificate.
    pub(super) async fn run(&self, pace: Pace) -> Result<Made, AccumulateError> {
        let [left, right] = &self.factors;
        let parameters = self.setup.parameters();
        let transform = Transform::for_degree(self.degree());
        pause().await;
        let product = multiply(left, right, &transform).await;
        let accumulator = pace.commit(parameters, &product).await?;
        let [left_accumulator, right_accumulator] = &self.accumulators;
        let accumulators = [left_accumulator, right_accumulator, &accumulator];
        let (mut transcript, z) = product_challenge(self.id, &self.inner, accumulators);
        let a = evaluate(left, z).await;
        let value = scalar::encode(&a);
        let g = second_challenge(&mut transcript, &[value]);
        let multiples: [(&[Fr], Fr); 3] = [(left, Fr::ONE), (&product, g), (right, -(g * a))];
        let combined = combine(&multiples, -a).await;
        let quotient = divide_by_root(&combined, z).await;
        let quotient = pace.commit(parameters, &quotient).await?;
        let node = Node {
            accumulator,
            inner: self.inner,
            value,
            quotient,
        };
        Ok(Made::new(node, product))
    }
}
