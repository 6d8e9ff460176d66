use ark_bls12_381::{Fq, Fr, G1Projective};
use ark_ec::{AffineRepr as _, CurveGroup, PrimeGroup};
use ark_ff::{BigInteger, PrimeField};

use super::*;

/// Adders for both kinds of arithmetic. The second one is the first without vector instructions.
fn adders() -> [Adder; 2] {
    let scalar = Adder {
        lanes: lanes::Buffers::unused(),
        ..Adder::default()
    };
    [Adder::default(), scalar]
}

/// Points with extreme coordinates, multiples of the generator, the identity, and points outside of
/// the subgroup.
fn points() -> Vec<G1Affine> {
    let generator = G1Projective::generator();
    let multiples = (1..40_u64).map(|number| generator * Fr::from(number).pow([9]));
    let mut points = normalize(&multiples.collect::<Vec<_>>());
    // The least and the greatest abscissas, in the library's representation and by value.
    let least = (0..40_u64).map(Fq::from);
    let greatest = (1..40_u64).map(|number| -Fq::from(number));
    let low = (0..40_u64).map(|number| Fq::new_unchecked(number.into()));
    let high = (1..40_u64).map(|number| {
        let mut words = Fq::MODULUS;
        words.sub_with_borrow(&number.into());
        Fq::new_unchecked(words)
    });
    let abscissas = least.chain(greatest).chain(low).chain(high);
    points.extend(abscissas.filter_map(|x| G1Affine::get_point_from_x_unchecked(x, false)));
    points.push(G1Affine::identity());
    points
}

#[test]
fn sums_of_all_pairs_are_those_of_the_library() {
    let points = points();
    assert!(points.len() > 80);
    for shift in 0..points.len() {
        let mut others = points.clone();
        others.rotate_left(shift);
        // Opposite points and equal points, in between.
        if let Some((last, rest)) = others.split_last_mut() {
            *last = -points[points.len() - 1];
            rest[shift % rest.len()] = -points[shift % rest.len()];
        }
        let sums = points.iter().zip(&others);
        let sums: Vec<G1Projective> = sums.map(|(left, right)| *left + right).collect();
        let expected = G1Projective::normalize_batch(&sums);
        for mut adder in adders() {
            let mut sums = points.clone();
            adder.add_each(&mut sums, &others);
            assert_eq!(sums, expected, "shift {shift}");
        }
    }
}

#[test]
fn few_and_many_points_are_doubled_in_place() {
    let points = points();
    let least = lanes::LEAST;
    for count in [0, 1, least - 1, least, least + 1, points.len()] {
        let expected = points[..count].iter();
        let expected = expected.map(|point| (*point + point).into_affine());
        let expected: Vec<G1Affine> = expected.collect();
        for mut adder in adders() {
            let mut doubles = points[..count].to_vec();
            adder.double_each(&mut doubles);
            assert_eq!(doubles, expected);
        }
    }
}

#[test]
fn batches_longer_than_the_buffers_are_split() {
    let generator = G1Affine::generator();
    let points = vec![generator; 2 * BATCH + 3];
    let double = G1Affine::from(generator + generator);
    let triple = G1Affine::from(double + generator);
    for mut adder in adders() {
        let mut sums = points.clone();
        adder.double_each(&mut sums);
        assert_eq!(sums, vec![double; points.len()]);
        adder.add_each(&mut sums, &points);
        assert_eq!(sums, vec![triple; points.len()]);
    }
}

#[test]
fn segments_are_summed_each_on_its_own() {
    let points = points();
    for lengths in [
        vec![0, 1, 2, 3, 0, 7, 17, 0],
        vec![40, 41],
        vec![1; 30],
        vec![points.len()],
    ] {
        let mut rest = &points[..];
        let expected: Vec<G1Affine> = lengths
            .iter()
            .map(|length| {
                let (segment, after) = rest.split_at(*length);
                rest = after;
                let sum: G1Projective =
                    segment.iter().map(|point| G1Projective::from(*point)).sum();
                sum.into_affine()
            })
            .collect();
        for mut adder in adders() {
            assert_eq!(adder.sum_segments(&points, &mut lengths.clone()), expected);
        }
    }
}
