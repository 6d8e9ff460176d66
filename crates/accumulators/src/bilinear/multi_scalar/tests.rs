use ark_bls12_381::{Fr, G1Affine, G1Projective, g1};
use ark_ec::{AffineRepr, PrimeGroup, scalar_mul::glv::GLVConfig};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField as _};
use bls12::affine::normalize;
use rand::{RngExt, SeedableRng, rngs::ChaCha20Rng};

use super::{
    endomorphism::{MU, Window, endomorphism},
    *,
};
use crate::{bilinear::tests::random_scalars, testing::workers};

const SEED: u64 = 0x6d75_6c74_695f_7363;

fn random_points(random: &mut ChaCha20Rng, count: usize) -> Vec<G1Affine> {
    let scalars = random_scalars(random, count).into_iter();
    let points = scalars.map(|scalar| double_and_add(G1Projective::generator(), scalar));
    normalize(&points.collect::<Vec<_>>())
}

/// Reference implementation, without the endomorphism and windows.
fn double_and_add(point: G1Projective, scalar: Fr) -> G1Projective {
    let mut sum = G1Projective::ZERO;
    for bit in scalar.into_bigint().to_bits_be() {
        sum.double_in_place();
        if bit {
            sum += point;
        }
    }
    sum
}

fn naive(points: &[G1Affine], scalars: &[Fr]) -> G1Projective {
    let terms = points.iter().zip(scalars);
    let terms = terms.map(|(point, scalar)| double_and_add(point.into_group(), *scalar));
    terms.sum()
}

/// Scalars where a decomposition or a digit is at its limit.
fn special_scalars() -> Vec<Fr> {
    let mu = Fr::from(MU);
    let lambda = g1::Config::LAMBDA;
    let half = Fr::from(MU / 2);
    let mut scalars = vec![Fr::ZERO, lambda, lambda.square(), mu, half, half * mu];
    scalars.push(half + half * mu);
    for near in scalars.clone() {
        for distance in [1_u64, 2, 127, 128, 129, 1 << 32] {
            scalars.push(near + Fr::from(distance));
            scalars.push(near - Fr::from(distance));
        }
    }
    scalars
}

fn check(points: &[G1Affine], scalars: &[Fr], random: &mut ChaCha20Rng) {
    let expected = naive(points, scalars);
    let terms = points.iter().zip(scalars).map(|(point, scalar)| Term {
        point: *point,
        coefficient: Coefficient::from_bytes(random.random()),
        scalar: *scalar,
    });
    let terms: Vec<Term> = terms.collect();
    let coefficients: Vec<Fr> = terms.iter().map(|term| term.coefficient.scalar()).collect();
    let weights = coefficients.iter().zip(scalars).map(|(a, b)| *a * b);
    let weights: Vec<Fr> = weights.collect();
    let pair = PairSum {
        combination: naive(points, &coefficients),
        weighted: naive(points, &weights),
    };
    for threads in 1..=3 {
        let workers = workers(threads);
        assert_eq!(multi_scalar_product(points, scalars, &workers), expected);
        assert_eq!(PairSum::new(&terms, &workers), pair);
    }
}

#[test]
fn sums_equal_double_and_add_for_all_small_sizes() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    for count in 0..=20 {
        let points = random_points(random, count);
        let scalars = random_scalars(random, count);
        check(&points, &scalars, random);
    }
}

#[test]
fn sums_equal_double_and_add_for_several_windows_in_a_batch_and_for_one() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let points = random_points(random, 300);
    let scalars = random_scalars(random, 300);
    check(&points, &scalars, random);
    // Too many for `double_and_add`: known multiples of one point instead.
    let logarithms: Vec<Fr> = (1..=5000).map(|i: u64| Fr::from(i).square()).collect();
    let mut step = G1Projective::generator();
    let mut point = G1Projective::ZERO;
    let points = logarithms.iter().map(|_| {
        point += step;
        step += G1Projective::generator().double();
        point
    });
    let points = normalize(&points.collect::<Vec<G1Projective>>());
    let scalars = random_scalars(random, points.len());
    let sum: Fr = scalars.iter().zip(&logarithms).map(|(a, b)| *a * b).sum();
    let found = multi_scalar_product(&points, &scalars, &Workers::sequential());
    assert_eq!(found, double_and_add(G1Projective::generator(), sum));
}

#[test]
fn sums_are_exact_for_points_that_meet_in_a_bucket() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let point = random_points(random, 1)[0];
    let image = endomorphism(&point);
    let identity = G1Affine::identity();
    let scalars = special_scalars();
    let patterns: [&[G1Affine]; 7] = [
        &[point],
        &[point, -point],
        &[point, point, -point],
        &[identity],
        &[point, identity, -point],
        &[point, image, -image],
        &[point, point, point, point, -point, -point, identity],
    ];
    for pattern in patterns {
        let points = pattern.iter().cycle().take(scalars.len()).copied();
        let points: Vec<G1Affine> = points.collect();
        check(&points, &scalars, random);
        // One and the same scalar puts all of them into one bucket.
        let same = vec![random_scalars(random, 1)[0]; 33];
        check(&points[..33], &same, random);
        check(&points[..33], &[Fr::ONE; 33], random);
        check(&points[..33], &[-Fr::ONE; 33], random);
    }
}

#[test]
fn endomorphism_multiplies_by_mu() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    for point in random_points(random, 3) {
        let expected = double_and_add(point.into_group(), Fr::from(MU));
        assert_eq!(endomorphism(&point).into_group(), expected);
    }
}

#[test]
fn halves_and_digits_give_the_scalar_back() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let mut scalars = special_scalars();
    scalars.extend(random_scalars(random, 2000));
    for scalar in scalars {
        let halves = decompose(&scalar);
        assert_eq!(compose(halves), scalar);
        for half in halves {
            assert!(half.unsigned_abs() <= MU / 2 + 2);
            for width in 4..=16 {
                let base = Fr::from(1_u64 << width);
                let windows: Vec<Window> = Window::covering(HALF_BITS, width).collect();
                let joined = windows.iter().rev().fold(Fr::ZERO, |joined, window| {
                    let digit = window.digit(half);
                    assert!((-(1 << (width - 1))..1 << (width - 1)).contains(&digit));
                    joined * base + Fr::from(digit)
                });
                assert_eq!(joined, Fr::from(half));
            }
        }
    }
}

#[test]
fn words_have_no_more_digits_than_bits() {
    for width in 4..=16 {
        let windows: Vec<Window> = Window::covering(64, width).collect();
        let found = windows.len();
        assert_eq!(found, 64_usize.div_ceil(usize::try_from(width).unwrap()));
        for number in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX] {
            let digits = windows.iter().map(|window| window.digit(number.into()));
            let joined = digits.rev().fold(0_i128, |joined, digit| {
                assert!(digit.unsigned_abs() <= 1 << (width - 1));
                (joined << width) + i128::from(digit)
            });
            assert_eq!(joined, i128::from(number));
        }
    }
}

#[test]
fn coefficients_are_the_signed_words_of_their_bytes() {
    let coefficient = |a: i64, b: i64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&a.to_le_bytes());
        bytes[8..].copy_from_slice(&b.to_le_bytes());
        Coefficient::from_bytes(bytes).scalar()
    };
    let limits = [i64::MIN, -1, 0, 1, i64::MAX];
    for a in limits {
        for b in limits {
            assert_eq!(coefficient(a, b), Fr::from(a) + Fr::from(MU) * Fr::from(b));
        }
    }
}
