//! Pairings of the library [blst], which has assembly for x86-64 and `AArch64`.
//!
//! Both libraries represent a coordinate by six limbs of 64 bits, least significant first, of the
//! number times `2^384`.
//!
//! [blst]: https://github.com/supranational/blst

use alloc::vec::Vec;

use ark_bls12_381::{Fq, Fq2, G1Affine, G2Affine};
use ark_ec::AffineRepr as _;
use blst::{blst_fp, blst_fp2, blst_fp12, blst_p1_affine, blst_p2_affine};

/// A point of G2, `None` for the identity.
pub(crate) type Second = Option<blst_p2_affine>;

pub(crate) fn second(point: &G2Affine) -> Second {
    let (x, y) = point.xy()?;
    Some(blst_p2_affine {
        x: quadratic(&x),
        y: quadratic(&y),
    })
}

/// Returns whether the product of all pairings `e(left[i], right[i])` is 1.
///
/// The library's loops do not allow for the identity. Its pairings are 1, so they are left out.
pub(crate) fn pairs_to_one<const N: usize>(left: [G1Affine; N], right: [Second; N]) -> bool {
    let pairs = left.iter().zip(right);
    let pairs = pairs.filter_map(|(left, right)| Some((first(left)?, right?)));
    let (first, second): (Vec<_>, Vec<_>) = pairs.unzip();
    first.is_empty()
        || blst_fp12::miller_loop_n(&second, &first).final_exp() == blst_fp12::default()
}

fn first(point: &G1Affine) -> Option<blst_p1_affine> {
    let (x, y) = point.xy()?;
    Some(blst_p1_affine {
        x: element(&x),
        y: element(&y),
    })
}

fn quadratic(pair: &Fq2) -> blst_fp2 {
    blst_fp2 {
        fp: [element(&pair.c0), element(&pair.c1)],
    }
}

const fn element(number: &Fq) -> blst_fp {
    blst_fp { l: number.0.0 }
}
