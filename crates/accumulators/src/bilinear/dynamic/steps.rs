//! Witness updates over changes, one added or removed element at a time.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ff::{Field, Zero, batch_inversion};
use bls12::public::multiple;
use pad_core::Workers;

use crate::{
    bilinear::{Bilinear, multi_scalar::multi_scalar_product},
    change::{Change, require_consecutive},
    error::AccumulateError,
};

/// Kind of a step: an element is removed or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bilinear) enum Kind {
    Removed,
    Added,
}

/// The removal or addition of the element with the given scalar.
struct Step {
    kind: Kind,
    scalar: Fr,
}

/// All removals and additions of consecutive changes, in order, with the values between them.
pub(in crate::bilinear) struct Steps {
    steps: Vec<Step>,
    /// One value per step: the value of the set before an addition, or after a removal.
    points: Vec<G1Affine>,
}

impl Steps {
    /// Collects the steps of `changes`.
    ///
    /// # Errors
    /// [`AccumulateError::ChangeGap`] if changes are not consecutive, or if a change does not have
    /// exactly one value between any two steps. The same error is returned if a change without
    /// steps alters the value.
    pub(in crate::bilinear) fn new(changes: &[Change<Bilinear>]) -> Result<Self, AccumulateError> {
        require_consecutive(changes)?;
        let mut all = Self {
            steps: Vec::new(),
            points: Vec::new(),
        };
        changes.iter().try_for_each(|change| all.append(change))?;
        Ok(all)
    }

    fn append(&mut self, change: &Change<Bilinear>) -> Result<(), AccumulateError> {
        let inner = change.update_data.values();
        let removed = change
            .removed
            .iter()
            .map(|element| (Kind::Removed, element));
        let added = change.added.iter().map(|element| (Kind::Added, element));
        let count = change.removed.len() + change.added.len();
        let fits = if count == 0 {
            inner.is_empty() && change.before == change.after
        } else {
            inner.len() == count - 1
        };
        if !fits {
            return Err(AccumulateError::ChangeGap);
        }
        let befores = std::iter::once(&change.before).chain(inner);
        let afters = inner.iter().chain(std::iter::once(&change.after));
        for ((kind, element), (before, after)) in removed.chain(added).zip(befores.zip(afters)) {
            self.steps.push(Step {
                kind,
                scalar: element.scalar(),
            });
            self.points.push(match kind {
                Kind::Removed => after.point(),
                Kind::Added => before.point(),
            });
        }
        Ok(())
    }

    /// Computes the update of the witness of `element` over all steps. If a step removes or adds
    /// `element` itself, returns the kind of that step as the error.
    ///
    /// Cost: at most six field multiplications per step, and one field inversion in total.
    pub(in crate::bilinear) fn follow(&self, element: Fr) -> Result<WitnessUpdate, Kind> {
        let mut factors = Vec::with_capacity(self.steps.len());
        let mut divisors = Vec::new();
        for step in &self.steps {
            let difference = step.scalar - element;
            if difference.is_zero() {
                return Err(step.kind);
            }
            match step.kind {
                Kind::Removed => divisors.push(difference),
                Kind::Added => factors.push(difference),
            }
        }
        batch_inversion(&mut divisors);
        let (mut factors, mut divisors) = (factors.into_iter().rev(), divisors.into_iter().rev());
        let mut product = Fr::ONE;
        let mut coefficients: Vec<Fr> = self
            .steps
            .iter()
            .rev()
            .filter_map(|step| match step.kind {
                Kind::Added => {
                    let coefficient = product;
                    product *= factors.next()?;
                    Some(coefficient)
                }
                Kind::Removed => {
                    product *= divisors.next()?;
                    Some(-product)
                }
            })
            .collect();
        coefficients.reverse();
        Ok(WitnessUpdate {
            factor: product,
            coefficients,
        })
    }

    /// Returns the new witness: `witness` times the update's factor, plus the weighted values of
    /// the steps.
    pub(in crate::bilinear) fn apply(
        &self,
        witness: G1Affine,
        followed: &WitnessUpdate,
    ) -> G1Projective {
        let own = multiple(witness, &followed.factor);
        if followed.coefficients.len() <= FEW {
            let terms = self.points.iter().zip(&followed.coefficients);
            return terms.fold(own, |sum, (point, coefficient)| {
                if *coefficient == Fr::ONE {
                    sum + point
                } else {
                    sum + multiple(G1Projective::from(*point), coefficient)
                }
            });
        }
        let workers = Workers::sequential();
        own + multi_scalar_product(&self.points, &followed.coefficients, &workers)
    }
}

/// Maximum number of terms that are multiplied one by one. A multi-scalar product of few terms
/// costs as much as six multiplications.
const FEW: usize = 5;

/// Update of a witness: multiplication by `factor`, then addition of the steps' values, each
/// multiplied by one of `coefficients`. The remainder of a non-membership witness is only
/// multiplied by `factor`.
pub(in crate::bilinear) struct WitnessUpdate {
    pub(in crate::bilinear) factor: Fr,
    coefficients: Vec<Fr>,
}
