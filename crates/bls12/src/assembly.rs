//! Pairings, square roots and subgroup checks of the library [blst], which has assembly for x86-64
//! and `AArch64`.
//!
//! Both libraries represent a coordinate by six limbs of 64 bits, least significant first, of the
//! number times `2^384`.
//!
//! [blst]: https://github.com/supranational/blst

use alloc::vec::Vec;

use ark_bls12_381::{Fq, Fq2, G1Affine, G2Affine};
use ark_ec::AffineRepr as _;
use ark_ff::BigInt;
use blst::{
    MultiPoint as _, blst_fp, blst_fp2, blst_fp12, blst_p1_affine, blst_p2_affine, min_pk, min_sig,
    p2_affines,
};

/// A point of G2, `None` for the identity.
pub(crate) type Second = Option<blst_p2_affine>;

pub(crate) fn second(point: &G2Affine) -> Second {
    let (x, y) = point.xy()?;
    Some(blst_p2_affine {
        x: quadratic(&x),
        y: quadratic(&y),
    })
}

/// A product of pairings, before the last power is taken.
pub(crate) type Product = blst_fp12;

/// Returns whether the product of all pairings `e(left[i], right[i])` is 1.
pub(crate) fn pairs_to_one<const N: usize>(left: [G1Affine; N], right: [Second; N]) -> bool {
    is_one(&product(left, right))
}

/// Computes the product of all pairings `e(left[i], right[i])`.
///
/// The library's loops do not allow for the identity. Its pairings are 1, so they are left out.
pub(crate) fn product<const N: usize>(left: [G1Affine; N], right: [Second; N]) -> Product {
    let pairs = left.iter().zip(right);
    let pairs = pairs.filter_map(|(left, right)| Some((first(left)?, right?)));
    let (first, second): (Vec<_>, Vec<_>) = pairs.unzip();
    if first.is_empty() {
        return Product::default();
    }
    Product::miller_loop_n(&second, &first)
}

/// Returns whether a product of pairings is 1.
pub(crate) fn is_one(product: &Product) -> bool {
    *product == Product::default() || product.final_exp() == Product::default()
}

/// Computes the sum of points of G2, in variable time. Points may be equal or opposite.
pub(crate) fn sum(points: impl IntoIterator<Item = Second>) -> Second {
    let points: Vec<blst_p2_affine> = points.into_iter().flatten().collect();
    if points.is_empty() {
        return None;
    }
    let sum = p2_affines::from(&[points.add()]);
    let sum = sum.as_slice().first().copied();
    sum.filter(|sum| *sum != blst_p2_affine::default())
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

/// Reads a compressed point of G1, which need not be in the subgroup.
pub(crate) fn read_first(bytes: &[u8]) -> Option<G1Affine> {
    let point: blst_p1_affine = min_sig::Signature::uncompress(bytes).ok()?.into();
    if point == blst_p1_affine::default() {
        return Some(G1Affine::identity());
    }
    Some(G1Affine::new_unchecked(number(&point.x), number(&point.y)))
}

/// Reads a compressed point of G2, which need not be in the subgroup.
pub(crate) fn read_second(bytes: &[u8]) -> Option<G2Affine> {
    let point: blst_p2_affine = min_pk::Signature::uncompress(bytes).ok()?.into();
    if point == blst_p2_affine::default() {
        return Some(G2Affine::identity());
    }
    let [x, y] = [point.x, point.y].map(|pair| {
        let [c0, c1] = pair.fp;
        Fq2::new(number(&c0), number(&c1))
    });
    Some(G2Affine::new_unchecked(x, y))
}

/// Returns whether a point of the curve of G1 is in the subgroup.
pub(crate) fn is_first(point: &G1Affine) -> bool {
    first(point).is_none_or(|point| min_sig::Signature::from(point).subgroup_check())
}

/// Returns whether a point of the curve of G2 is in the subgroup.
pub(crate) fn is_second(point: &G2Affine) -> bool {
    second(point).is_none_or(|point| min_pk::Signature::from(point).subgroup_check())
}

const fn number(element: &blst_fp) -> Fq {
    Fq::new_unchecked(BigInt(element.l))
}
