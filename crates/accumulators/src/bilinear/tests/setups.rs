//! Parameters from valid and invalid files in every format. The files are derived from known
//! secrets.

use std::sync::Arc;

use ark_bls12_381::{G1Affine, G1Projective, G2Affine, g1, g2};
use ark_ec::CurveGroup;
use ark_ff::{FftField, Field, PrimeField};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use bls12::point::{self, G1_BYTES, G2_BYTES};
use pad_core::{DecodeError, Untrusted};

use super::*;
use crate::{
    bilinear::{Parameters, ceremony, secret_key},
    error::AccumulateError,
    scheme::PublicKey,
    wire,
};

/// The lists of points of a ceremony with 16 powers in G1 and 5 in G2.
#[derive(Clone)]
struct Lists {
    lagrange: Vec<String>,
    powers_g1: Vec<String>,
    powers_g2: Vec<String>,
}

const POWERS: usize = 16;

fn hex_g1(point: &G1Affine) -> String {
    hex::encode(point::encode::<g1::Config, G1_BYTES>(point))
}

fn hex_g2(point: &G2Affine) -> String {
    hex::encode(point::encode::<g2::Config, G2_BYTES>(point))
}

fn setup(secret: Fr) -> Parameters {
    secret_key::powers_of(&secret, POWERS - 1, 4, &Workers::sequential())
}

fn lists() -> Lists {
    let parameters = setup(scalar(1));
    // The Lagrange polynomials at `s` are the inverse Fourier transform of the powers.
    let domain = Radix2EvaluationDomain::<Fr>::new(POWERS).unwrap();
    let lagrange = parameters.powers_g1().iter().map(|power| (*power).into());
    let mut lagrange: Vec<G1Projective> = lagrange.collect();
    domain.ifft_in_place(&mut lagrange);
    let lagrange = lagrange.iter().map(|point| hex_g1(&point.into_affine()));
    Lists {
        lagrange: lagrange.collect(),
        powers_g1: parameters.powers_g1().iter().map(hex_g1).collect(),
        powers_g2: parameters.powers_g2().iter().map(hex_g2).collect(),
    }
}

impl Lists {
    fn json(&self) -> Vec<u8> {
        let prefixed = |list: &[String]| -> Vec<String> {
            list.iter().map(|digits| format!("0x{digits}")).collect()
        };
        let json = serde_json::json!({
            "g1_monomial": prefixed(&self.powers_g1),
            "g1_lagrange": prefixed(&self.lagrange),
            "g2_monomial": prefixed(&self.powers_g2),
        });
        json.to_string().into_bytes()
    }

    fn text(&self, with_powers: bool) -> String {
        let counts = [POWERS.to_string(), self.powers_g2.len().to_string()];
        let powers: &[String] = if with_powers { &self.powers_g1 } else { &[] };
        let lines = [&counts, &*self.lagrange, &*self.powers_g2, powers];
        lines.concat().join("\n")
    }

    /// Reads these lists in the three formats, and checks that the results are equal.
    fn import(&self) -> Result<Parameters, DecodeError> {
        let workers = workers(2);
        let from_json = ceremony::from_json(&self.json(), "test", &workers);
        let from_text = ceremony::from_text(self.text(true).as_bytes(), "test", &workers);
        assert_eq!(summary(&from_json), summary(&from_text));
        from_json
    }
}

fn summary(parameters: &Result<Parameters, DecodeError>) -> Result<Vec<u8>, DecodeError> {
    let bytes = parameters.as_ref().map(wire::encode);
    bytes.map_err(|error| *error)
}

/// Reads the valid lists after a change to them.
fn refused(change: impl FnOnce(&mut Lists)) -> DecodeError {
    let mut lists = lists();
    change(&mut lists);
    lists.import().unwrap_err()
}

#[test]
fn what_a_machine_keeps_comes_back() {
    let parameters = setup(scalar(1));
    let kept = parameters.to_kept();
    let read = Parameters::from_kept(&kept).unwrap();
    assert_eq!(wire::encode(&read), wire::encode(&parameters));
    assert_eq!(read.fingerprint(), parameters.fingerprint());
    for length in [0, 1, kept.len() / 2, kept.len() - 1] {
        Parameters::from_kept(&kept[..length]).unwrap_err();
    }
    let longer = [&kept[..], &[0]].concat();
    Parameters::from_kept(&longer).unwrap_err();
    // Coordinates that are not those of a point.
    for (place, change) in [(96 + 25, 1), (kept.len() - 1, 1)] {
        let mut damaged = kept.clone();
        damaged[place] ^= change;
        let refused = Parameters::from_kept(&damaged).unwrap_err();
        assert_eq!(refused, DecodeError::PointInvalid);
    }
}

#[test]
fn all_formats_give_the_powers_of_the_ceremony() {
    let (lists, expected) = (lists(), setup(scalar(1)));
    let parameters = lists.import().unwrap();
    assert_eq!(parameters.powers_g1(), expected.powers_g1());
    assert_eq!(parameters.powers_g2(), expected.powers_g2());
    assert_eq!((parameters.capacity(), parameters.subset_limit()), (15, 4));
    assert_eq!(parameters.purpose(), "test");
    let bytes = wire::encode(&parameters);
    let read = wire::decode::<Parameters>(&workers(2), &bytes, 1 << 14).unwrap();
    assert_eq!(wire::encode(read.as_unverified()), bytes);
    // The older files have the Lagrange form only, some of them in the order of reversed bits.
    let older = ceremony::from_text(lists.text(false).as_bytes(), "test", &workers(1)).unwrap();
    assert_eq!(wire::encode(&older), bytes);
    let mut reversed = lists.clone();
    for (index, digits) in lists.lagrange.iter().enumerate() {
        let index = usize::from(u8::try_from(index).unwrap().reverse_bits() >> 4);
        reversed.lagrange[index].clone_from(digits);
    }
    assert_ne!(reversed.lagrange, lists.lagrange);
    let older = ceremony::from_text(reversed.text(false).as_bytes(), "test", &workers(1)).unwrap();
    assert_eq!(wire::encode(&older), bytes);
    let json = serde_json::json!({
        "setup_G1_lagrange": lists.lagrange, "setup_G2": lists.powers_g2, "more": 1,
    });
    let older = ceremony::from_json(json.to_string().as_bytes(), "test", &workers(1)).unwrap();
    assert_eq!(wire::encode(&older), bytes);
}

#[test]
fn points_that_are_not_the_powers_of_one_secret_are_refused() {
    let other = setup(scalar(2));
    let invalid = DecodeError::ParametersInvalid;
    for index in [0, 1, 2, 9, POWERS - 1] {
        let replaced = refused(|lists| lists.powers_g1[index] = hex_g1(&other.powers_g1()[3]));
        assert_eq!(replaced, invalid, "power {index}");
    }
    for index in [0, 1, 2, 4] {
        let replaced = refused(|lists| lists.powers_g2[index] = hex_g2(&other.powers_g2()[3]));
        assert_eq!(replaced, invalid, "power {index} in G2");
    }
    assert_eq!(refused(|lists| lists.powers_g1.swap(3, 4)), invalid);
    assert_eq!(refused(|lists| lists.powers_g2.swap(1, 2)), invalid);
    // All of another secret in one group, and another generator in both.
    let powers: Vec<String> = other.powers_g1().iter().map(hex_g1).collect();
    assert_eq!(refused(|lists| lists.powers_g1 = powers), invalid);
    let scaled = refused(|lists| {
        let first = setup(scalar(1));
        let scaled = first.powers_g1().iter();
        let scaled = scaled.map(|power| hex_g1(&(*power * scalar(3)).into()));
        lists.powers_g1 = scaled.collect();
    });
    assert_eq!(scaled, invalid);
    let negated = refused(|lists| {
        let first = setup(scalar(1));
        let in_g1 = first.powers_g1().iter();
        lists.powers_g1 = in_g1.map(|power| hex_g1(&-*power)).collect();
        let in_g2 = first.powers_g2().iter();
        lists.powers_g2 = in_g2.map(|power| hex_g2(&-*power)).collect();
    });
    assert_eq!(negated, invalid);
    let mut lists = lists();
    lists.lagrange.swap(2, 5);
    let older = ceremony::from_text(lists.text(false).as_bytes(), "test", &workers(1));
    assert_eq!(older.unwrap_err(), invalid);
}

/// Imports files with the powers of `secret`, which are consistent.
fn files_of(secret: Fr) -> Result<Parameters, DecodeError> {
    let parameters = setup(secret);
    let mut lists = lists();
    lists.powers_g1 = parameters.powers_g1().iter().map(hex_g1).collect();
    lists.powers_g2 = parameters.powers_g2().iter().map(hex_g2).collect();
    lists.import()
}

#[test]
fn secrets_that_anybody_finds_are_refused() {
    let guessable = Some(DecodeError::SecretGuessable);
    let (below, most) = ((1_u64 << 19) - 1, 1 << 19);
    for number in [1, 2, 3, 1023, 1024, 1025, 2049, 2050, 77_777, below, most] {
        for secret in [Fr::from(number), -Fr::from(number)] {
            assert_eq!(files_of(secret).err(), guessable, "{number}");
        }
    }
    // The multiplicative group has subgroups of these orders; there are 15 powers beyond the first.
    for order in [2_u64, 3, 4, 6, 8, 11, 12, 16, 19, 22, 24] {
        let exponent = (-Fr::ONE).into_bigint();
        let (quotient, remainder) = num_of(exponent.as_ref(), order);
        assert_eq!(remainder, 0, "{order}");
        let root = Fr::GENERATOR.pow(quotient);
        assert_eq!(root.pow([order]), Fr::ONE);
        let found = files_of(root).err();
        let is_within = order <= 15 || (order % 2 == 0 && order <= 30);
        assert_eq!(found, guessable.filter(|_| is_within), "order {order}");
    }
    // Also of the few powers that a client keeps.
    let client = setup(-Fr::from(5_u64)).for_verification();
    let bytes = wire::encode_body(&client);
    let read = wire::decode_body::<Parameters>(&workers(1), &bytes);
    assert_eq!(read.err(), guessable);
    let beyond = files_of(Fr::from(1_u64 << 21));
    assert!(beyond.is_ok(), "beyond what is looked for");
}

/// Returns the quotient of `number` by `divisor`, and the remainder.
fn num_of(number: &[u64], divisor: u64) -> (Vec<u64>, u64) {
    let mut remainder = 0_u128;
    let mut quotient: Vec<u64> = Vec::new();
    for limb in number.iter().rev() {
        let current = remainder << 64 | u128::from(*limb);
        quotient.push(u64::try_from(current / u128::from(divisor)).unwrap());
        remainder = current % u128::from(divisor);
    }
    quotient.reverse();
    (quotient, u64::try_from(remainder).unwrap())
}

#[test]
fn bad_points_and_digits_are_refused() {
    let with = |digits: &str| refused(|lists| lists.powers_g1[7] = digits.to_owned());
    let result = with(&format!("c0{}", "0".repeat(94)));
    assert_eq!(result, DecodeError::PointIsIdentity);
    assert_eq!(with(&"f".repeat(96)), DecodeError::PointInvalid);
    assert_eq!(with(&"g".repeat(96)), DecodeError::Malformed);
    assert_eq!(with(&"a".repeat(94)), DecodeError::LengthMismatch);
    assert_eq!(with(&"a".repeat(98)), DecodeError::LengthMismatch);
    assert_eq!(with(&"a".repeat(95)), DecodeError::LengthMismatch);
    let identity = format!("c0{}", "0".repeat(190));
    let in_g2 = refused(|lists| lists.powers_g2[1] = identity);
    assert_eq!(in_g2, DecodeError::PointIsIdentity);
}

#[test]
fn files_that_are_too_short_too_long_or_no_files_are_refused() {
    let (lists, workers) = (lists(), workers(1));
    let text = lists.text(true);
    let malformed = DecodeError::Malformed;
    let from_text = |text: &str| ceremony::from_text(text.as_bytes(), "test", &workers);
    let (shorter, _) = text.rsplit_once('\n').unwrap();
    assert_eq!(from_text(shorter).unwrap_err(), malformed);
    let longer = format!("{text}\n{}", lists.powers_g1[0]);
    assert_eq!(from_text(&longer).unwrap_err(), malformed);
    assert_eq!(from_text("").unwrap_err(), malformed);
    assert_eq!(from_text("4096").unwrap_err(), malformed);
    assert_eq!(from_text("-1 65").unwrap_err(), malformed);
    let refused = from_text("18446744073709551615 18446744073709551615").unwrap_err();
    assert_eq!(refused, malformed);
    let refused = from_text("0 0").unwrap_err();
    assert_eq!(refused, DecodeError::ParametersInvalid);
    let from_json = |text: &[u8]| ceremony::from_json(text, "test", &workers).unwrap_err();
    let json = lists.json();
    assert_eq!(from_json(&json[..json.len() - 1]), malformed);
    assert_eq!(from_json(b"{}"), malformed);
    assert_eq!(from_json(br#"{"g2_monomial": []}"#), malformed);
    let empty = br#"{"g1_monomial": [], "g2_monomial": []}"#;
    assert_eq!(from_json(empty), DecodeError::ParametersInvalid);
    let bytes = wire::encode_body(&setup(scalar(1)));
    let read = |bytes: &[u8]| wire::decode_body::<Parameters>(&workers, bytes).unwrap_err();
    assert_eq!(read(&bytes[..bytes.len() - 1]), malformed);
    let refused = read(&[&bytes[..], &[0]].concat());
    assert_eq!(refused, DecodeError::TrailingBytes);
    assert_eq!(read(&[1, b'x', 0xff, 0xff, 0xff, 0xff]), malformed);
    let purpose = ceremony::from_text(text.as_bytes(), "", &workers);
    assert_eq!(purpose.unwrap_err(), DecodeError::ParametersInvalid);
    let purpose = ceremony::from_text(text.as_bytes(), &"x".repeat(65), &workers);
    assert_eq!(purpose.unwrap_err(), DecodeError::ParametersInvalid);
    let too_large = vec![b' '; ceremony::MAX_FILE + 1];
    let limit = ceremony::MAX_FILE;
    assert_eq!(from_json(&too_large), DecodeError::TooLarge { limit });
}

#[test]
fn imported_parameters_accumulate_and_a_client_needs_few_of_them() {
    let (text, workers) = (lists().text(true), workers(1));
    let import = |purpose| {
        let parameters = ceremony::from_text(text.as_bytes(), purpose, &workers).unwrap();
        BilinearPublicKey::new(Arc::new(parameters), b"label")
    };
    let (key, other) = (import("one"), import("two"));
    assert_ne!(key.id(), other.id(), "the purpose is part of the id");
    let elements = names(15);
    let set = ElementSet::<Bilinear>::from_elements(&key, &elements, &workers).unwrap();
    let value = Bilinear::accumulate(&key, &set, &workers).unwrap();
    let witness = Bilinear::witness(&key, &set, &elements[4], &workers).unwrap();
    let client = BilinearPublicKey::new(Arc::new(key.parameters().for_verification()), b"label");
    assert_eq!(client.id(), key.id());
    assert_eq!(client.capacity(), Some(1));
    let bytes = wire::encode(client.parameters());
    let client = wire::decode::<Parameters>(&workers, &bytes, 1000).unwrap();
    let client = client.into_unverified();
    let client = BilinearPublicKey::new(Arc::new(client), b"label");
    let snapshot = verified(&client, value);
    let accepted = Untrusted::new(witness).verify(&snapshot, &elements[4]);
    assert!(accepted.is_ok());
    let refused = Bilinear::accumulate(&client, &set, &workers);
    let too_many = AccumulateError::CapacityExceeded { capacity: 1 };
    assert_eq!(refused, Err(too_many));
}

#[test]
fn words_of_no_points_length_and_too_many_points_are_refused_before_they_are_read() {
    let workers = workers(1);
    let from_text = |text: &str| ceremony::from_text(text.as_bytes(), "test", &workers);
    // Even where no list would reach them, so before all words are collected.
    let short = from_text("0 0 a a a").unwrap_err();
    assert_eq!(short, DecodeError::LengthMismatch);
    let lists = lists();
    let from_json = |g1: &str, points: Vec<String>| {
        let json = serde_json::json!({ g1: points, "setup_G2": lists.powers_g2 });
        ceremony::from_json(json.to_string().as_bytes(), "test", &workers).unwrap_err()
    };
    let limit = ceremony::MAX_POINTS * G1_BYTES;
    let many = vec!["0".repeat(96); ceremony::MAX_POINTS + 1];
    let refused = from_json("g1_monomial", many);
    assert_eq!(refused, DecodeError::TooLarge { limit });
    // A transform of more is not begun.
    let limit = ceremony::MAX_LAGRANGE * G1_BYTES;
    let lagrange = vec!["0".repeat(96); 2 * ceremony::MAX_LAGRANGE];
    let counts = [&lagrange, &lists.powers_g2].map(|list| list.len().to_string());
    let text = [&counts, &*lagrange, &*lists.powers_g2];
    let text = from_text(&text.concat().join(" ")).unwrap_err();
    assert_eq!(text, DecodeError::TooLarge { limit });
    let json = from_json("g1_lagrange", lagrange);
    assert_eq!(json, DecodeError::TooLarge { limit });
}
