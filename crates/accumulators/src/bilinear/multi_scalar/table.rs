//! Table of all points that a window of the bucket method may add to a bucket.
//!
//! Each point has four variants: itself, its image under the endomorphism, and the negatives of
//! both. Together they have two abscissas and two ordinates.

use alloc::vec::Vec;

use ark_bls12_381::{Fq, G1Affine};
use bls12::affine::Coordinates;

use super::endomorphism::endomorphism;

/// Points with their images and negatives.
#[derive(Debug)]
pub(super) struct Table {
    /// Abscissas of each point and of its image.
    abscissas: Vec<[Fq; 2]>,
    /// Ordinates of each point and of its negative. The image of a point has the negative's
    /// ordinate, and the negated image has the point's.
    ordinates: Vec<[Fq; 2]>,
}

impl Table {
    pub(super) fn new(points: &[G1Affine]) -> Self {
        let abscissas = points.iter().map(|point| [point.x, endomorphism(point).x]);
        Self {
            abscissas: abscissas.collect(),
            ordinates: points.iter().map(|point| [point.y, -point.y]).collect(),
        }
    }

    /// Number of points and images.
    pub(super) fn len(&self) -> usize {
        self.abscissas.as_flattened().len()
    }

    /// Encodes the choice of one variant of a point as a number. For the point at index `i`,
    /// `number` is `2 i` for the point and `2 i + 1` for its image. `negative` selects the
    /// negative.
    pub(super) fn choice(number: u32, negative: bool) -> u32 {
        (number << 1) | u32::from(negative)
    }

    /// Returns the point that [`Self::choice`] encoded, or the identity if the table has no such
    /// point.
    #[inline]
    pub(super) fn choose(&self, choice: u32) -> Coordinates<'_> {
        let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let abscissas = self.abscissas.as_flattened();
        let ordinates = self.ordinates.as_flattened();
        // The image has the opposite ordinate.
        let ordinate = ((choice >> 2) << 1) | (((choice >> 1) ^ choice) & 1);
        match (
            abscissas.get(place(choice >> 1)),
            ordinates.get(place(ordinate)),
        ) {
            (Some(x), Some(y)) => Coordinates { x, y },
            _ => Coordinates::IDENTITY,
        }
    }
}
