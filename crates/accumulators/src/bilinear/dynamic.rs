//! Changes of sets under the bilinear accumulator: the value after every removal or addition, and
//! witness updates.
//!
//! A change removes and adds one element after the other. Its update data are the values between
//! these steps, and each step updates a witness by one linear equation. For the witness `W` of an
//! element `e`, and the values `V` before and `V'` after a step:
//!
//! * `y` added: `W' = V + (y - e) W`, as `y + s = (e + s) + (y - e)`;
//! * `y` removed: `W' = (W - V') / (y - e)`, the inverse of the first equation.
//!
//! After many steps, the new witness is a linear combination of the old witness and the values. The
//! coefficients are computed by field arithmetic, so the update is one multi-scalar product
//! regardless of the number of changes. Non-membership witnesses use the same equations, and their
//! remainder is multiplied or divided by `y - e`.
//!
//! # Disclosure by the values
//!
//! Each value is `[f(s)]_1` for the polynomial of a set that is public in this library's model.
//! Anyone with the powers can compute it, so it helps a forger no more than the powers do. Security
//! rests on the `q`-strong Diffie-Hellman assumption with the `q` of the powers.
//!
//! Removing an absent element, or removing from the value of another set, would break this
//! argument. The author would publish `[f(s) / (y + s)]_1` with a remainder, which is a forged
//! witness. With the secret key, each value is therefore computed from the exponent of its set,
//! never from another value. A value of another set is refused.
//!
//! For a secret set, non-membership witnesses leak information. Each remainder `f(-e)` is a value
//! of the set's polynomial. The polynomial is monic, so as many remainders as the set has elements
//! reveal it. Issue no non-membership witnesses for a secret set.
//!
//! # Untrusted change logs
//!
//! Change logs are not verified here: a false log produces a witness that does not verify. An
//! update without a result, `None` or [`AccumulateError::ElementAbsent`], is not evidence of a
//! removal. Only the author's statement or a non-membership witness is.
//!
//! Work and memory grow with the number of steps, so bound the length of untrusted logs:
//! [`crate::wire::decode`] takes a limit in bytes.
//!
//! Source: Nguyen 2005, section 3; Damgård & Triandopoulos 2008, section 3.2. On disclosure by
//! remainders: Biryukov, Udovenko & Vitto 2021.

mod steps;

use ark_bls12_381::{G1Affine, G1Projective};
use ark_ec::CurveGroup;
use pad_core::Workers;

use super::{
    Bilinear,
    element::{BilinearElement, scalars},
    polynomial::{self, divide_by_factor, multiply_by_factor},
    public_key::BilinearPublicKey,
    update_data::BilinearUpdateData,
    value::BilinearValue,
    witness::BilinearWitness,
};
use crate::{change::Change, dynamic::Dynamic, error::AccumulateError, plan::Plan};
pub(super) use steps::{Kind, Steps};

impl Dynamic for Bilinear {
    /// Cost: one multi-scalar product of the set's size per element removed or added.
    fn transition(
        key: &BilinearPublicKey,
        plan: &Plan<'_, Self>,
        value: &BilinearValue,
        workers: &Workers,
    ) -> Result<(BilinearValue, BilinearUpdateData), AccumulateError> {
        values_of(&points_of_steps(key, plan, workers)?, value)
    }

    /// Cost for each witness: one multi-scalar product with one term per step. A step removes or
    /// adds one element. After many steps, recomputing all witnesses from the set or with the
    /// secret key is cheaper.
    fn update_witnesses(
        _: &BilinearPublicKey,
        witnesses: &[(BilinearElement, BilinearWitness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<BilinearWitness>>, AccumulateError> {
        let steps = Steps::new(changes)?;
        let updated = workers.map(witnesses, |(element, witness)| {
            match steps.follow(element.scalar()) {
                Ok(followed) => Ok(Some(steps.apply(witness.point(), &followed))),
                Err(Kind::Removed) => Ok(None),
                Err(Kind::Added) => Err(AccumulateError::DuplicateElement),
            }
        });
        let updated: Vec<Option<G1Projective>> = updated.into_iter().collect::<Result<_, _>>()?;
        let points: Vec<G1Projective> = updated.iter().flatten().copied().collect();
        let mut points = G1Projective::normalize_batch(&points).into_iter();
        updated
            .into_iter()
            .map(|kept| {
                kept.and_then(|_| points.next())
                    .map(BilinearWitness::new)
                    .transpose()
            })
            .collect()
    }
}

/// Computes the value of the set after each step of a change, from the published powers. A step
/// removes or adds one element.
fn points_of_steps(
    key: &BilinearPublicKey,
    plan: &Plan<'_, Bilinear>,
    workers: &Workers,
) -> Result<Vec<G1Affine>, AccumulateError> {
    let mut coefficients = polynomial::product(&scalars(plan.former()), workers);
    let mut points = Vec::new();
    for element in plan.removed() {
        coefficients = divide_by_factor(&coefficients, element.scalar()).0;
        points.push(key.parameters().evaluate(&coefficients, workers)?);
    }
    for element in plan.added() {
        multiply_by_factor(&mut coefficients, element.scalar());
        points.push(key.parameters().evaluate(&coefficients, workers)?);
    }
    Ok(G1Projective::normalize_batch(&points))
}

/// Splits the points after each step of a change into the value after the change and the update
/// data. The value after an empty change is `before`.
pub(super) fn values_of(
    points: &[G1Affine],
    before: &BilinearValue,
) -> Result<(BilinearValue, BilinearUpdateData), AccumulateError> {
    let values = points.iter().copied().map(BilinearValue::new);
    let mut values: Vec<BilinearValue> = values.collect::<Result<_, _>>()?;
    let after = values.pop().unwrap_or(*before);
    Ok((after, BilinearUpdateData(values)))
}
