//! Checks that the published powers in G1 and in G2 are powers of one secret `s`.

use alloc::{vec, vec::Vec};

use ark_bls12_381::{Fr, G1Affine, G2Affine, G2Projective, g1, g2};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::Field;
use bls12::{
    pairing,
    point::{self, G1_BYTES, G2_BYTES},
    public::{self, multiple},
    threads::map_pieces,
};
use pad_core::Workers;

use super::{
    multi_scalar::multi_scalar_product,
    parameters::{Parameters, SCHEME},
};
use crate::{element::AccumulatorId, transcript::Transcript};

impl Parameters {
    /// Returns whether all published powers are powers of the `s` in `[s]_2`, up to components of
    /// small order.
    ///
    /// Such components are detected by [`Parameters::are_in_subgroups`] only.
    ///
    /// All equations `e(P_(i+1), [1]_2) = e(P_i, [s]_2)` are checked together, weighted with the
    /// powers of `rho`, a challenge over all points. The powers in G2 are checked likewise, with
    /// `[s]_1`. False powers that are in the subgroups pass with probability below `q / 2^254` per
    /// attempt, where `s^q` is the highest published power.
    ///
    /// Let `B` be the weighted sum of all but the last power. With `P_q` the last power, the
    /// weighted sum of all but the first is `(B - P_0 + rho^q P_q) / rho`, so one multi-scalar
    /// multiplication gives both.
    pub fn are_consistent(&self, workers: &Workers) -> bool {
        let weights = self.weights();
        let (Some(q), Some(limit)) = (
            weights.get(self.capacity()),
            weights.get(self.subset_limit()),
        ) else {
            return false;
        };
        let (Some(rho), Some(s_g1)) = (weights.get(1), self.powers_g1().get(1)) else {
            return false;
        };
        let (Some((last_g1, rest_g1)), Some((last_g2, rest_g2))) =
            (self.powers_g1().split_last(), self.powers_g2().split_last())
        else {
            return false;
        };
        // Both products take as many weights as there are points.
        let right = multi_scalar_product(rest_g1, &weights, workers);
        let left = right - G1Affine::generator() + multiple(last_g1.into_group(), q);
        let right = multiple(right, rho).into_affine();
        let terms: Vec<(&G2Affine, &Fr)> = rest_g2.iter().zip(&weights).collect();
        let sums = map_pieces(&terms, workers, |terms| {
            let (points, weights): (Vec<G2Affine>, Vec<Fr>) = terms.iter().copied().unzip();
            vec![public::sum(&points, &weights)]
        });
        let right_g2: G2Projective = sums.into_iter().sum();
        let left_g2 = right_g2 - G2Affine::generator() + multiple(last_g2.into_group(), limit);
        let mirrored = [left_g2, multiple(right_g2, rho)].map(CurveGroup::into_affine);
        self.pairs_to_one(left.into_affine(), -right)
            && pairing::pairs_to_one([G1Affine::generator(), -*s_g1], mirrored)
    }

    /// Returns whether all powers are in the subgroups of prime order.
    ///
    /// [`Parameters::are_consistent`] does not detect this: pairings map components of small order
    /// to 1. Time: about 25 microseconds per power, divided among all workers.
    #[doc(hidden)]
    pub fn are_in_subgroups(&self, workers: &Workers) -> bool {
        let g1 = workers.map(self.powers_g1(), |power| {
            power.is_in_correct_subgroup_assuming_on_curve()
        });
        let g2 = workers.map(self.powers_g2(), |power| {
            power.is_in_correct_subgroup_assuming_on_curve()
        });
        g1.into_iter().chain(g2).all(|is_inside| is_inside)
    }

    /// Computes `1, rho, rho^2, ...` where the challenge `rho` is a hash of all powers. The number
    /// of weights is that of the powers in G1 or in G2, whichever is larger.
    fn weights(&self) -> Vec<Fr> {
        let id = AccumulatorId::derive(SCHEME, &self.fingerprint(), b"");
        let mut transcript = Transcript::new(id, "parameters");
        for power in self.powers_g1() {
            transcript.absorb(&point::encode::<g1::Config, G1_BYTES>(power));
        }
        for power in self.powers_g2() {
            transcript.absorb(&point::encode::<g2::Config, G2_BYTES>(power));
        }
        let rho = transcript.challenge_scalar();
        core::iter::successors(Some(Fr::ONE), |power| Some(*power * rho))
            .take(self.powers_g1().len().max(self.powers_g2().len()))
            .collect()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use ark_bls12_381::Fq;

    use super::*;
    use crate::{SecretKey as _, bilinear::BilinearSecretKey};

    /// Adds a point of order 3 to each power but the first, which only
    /// [`Parameters::are_in_subgroups`] detects. Without that check, a malicious store of
    /// parameters could make the author sign a value for which no proof verifies.
    #[test]
    fn components_of_small_order_are_seen() {
        let workers = Workers::sequential();
        let secret = BilinearSecretKey::generate(4, 1, b"", &workers).unwrap();
        let honest = secret.public_key().shared_parameters();
        assert!(honest.are_consistent(&workers) && honest.are_in_subgroups(&workers));
        let small = G1Affine::new_unchecked(Fq::from(0_u64), Fq::from(2_u64));
        assert!(small.is_on_curve());
        assert_eq!((small.into_group() + small).into_affine(), -small);
        let mut powers: Vec<G1Affine> = honest.powers_g1().to_vec();
        for power in powers.iter_mut().skip(1) {
            *power = (power.into_group() + small).into_affine();
        }
        let s_g2 = honest.powers_g2()[1];
        let g2 = honest.powers_g2().to_vec();
        let spoiled = Parameters::assemble(powers, g2, s_g2, honest.purpose());
        assert!(spoiled.are_consistent(&workers));
        assert!(!spoiled.are_in_subgroups(&workers));
    }
}
