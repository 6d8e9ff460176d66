//! The bilinear accumulator, recomputed and verified by an independent implementation of BLS12-381.
//!
//! Only bytes pass between the two: points as this crate writes them, scalars as hashes of elements
//! computed here once more.

use std::sync::Arc;

use accumulators::{
    Accumulator, Batch, Element, ElementSet, Scheme, SecretKey, Universal,
    bilinear::{Bilinear, BilinearPublicKey, BilinearSecretKey, Parameters},
    wire,
};
use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar, pairing};
use pad_core::Workers;

/// A point of G1 from this crate's bytes; the other implementation checks curve and subgroup.
fn g1(bytes: &[u8]) -> G1Affine {
    G1Affine::from_compressed(bytes.try_into().unwrap()).unwrap()
}

fn g2(bytes: &[u8]) -> G2Affine {
    G2Affine::from_compressed(bytes.try_into().unwrap()).unwrap()
}

/// The scalar with these big-endian bytes.
fn scalar(bytes: &[u8]) -> Scalar {
    let mut bytes: [u8; 32] = bytes.try_into().unwrap();
    bytes.reverse();
    Scalar::from_bytes(&bytes).unwrap()
}

/// The scalar of an element: 64 bytes modulo the group order.
fn element_scalar<E: Element>(element: &E) -> Scalar {
    let mut bytes = element.digest().expand::<64>();
    bytes.reverse();
    Scalar::from_bytes_wide(&bytes)
}

struct Fixture {
    secret: BilinearSecretKey,
    /// `s`, as the other implementation reads it from the key file.
    s: Scalar,
    /// `[1]_2` and `[s]_2`, from the encoded parameters.
    verifying: [G2Affine; 2],
    set: ElementSet<Bilinear>,
}

fn fixture() -> Fixture {
    let workers = Workers::sequential();
    let secret = BilinearSecretKey::generate(12, 3, b"interop", &workers).unwrap();
    let key_file = secret.to_bytes();
    let parameters = wire::encode_body(secret.public_key().parameters());
    let in_g2 = parameters.len() - 4 * 96;
    let elements = ["ada", "bea", "cleo", "dora", "eva"];
    let set = ElementSet::from_elements(secret.public_key(), &elements, &workers).unwrap();
    Fixture {
        s: scalar(&key_file[key_file.len() - 32..]),
        verifying: [
            g2(&parameters[in_g2..][..96]),
            g2(&parameters[in_g2 + 96..][..96]),
        ],
        set,
        secret,
    }
}

#[test]
fn parameters_are_the_powers_of_the_secret() {
    let Fixture {
        secret,
        s,
        verifying,
        ..
    } = fixture();
    assert_eq!(verifying[0], G2Affine::generator());
    assert_eq!(verifying[1], G2Affine::from(G2Projective::generator() * s));
    let parameters = wire::encode_body(secret.public_key().parameters());
    let first = 1 + usize::from(parameters[0]) + 4;
    let mut power = G1Projective::generator();
    for bytes in parameters[first..].chunks(48).take(13) {
        assert_eq!(g1(bytes), G1Affine::from(power));
        power *= s;
    }
}

#[test]
fn values_and_witnesses_are_recomputed_and_verify() {
    let Fixture {
        secret,
        s,
        verifying,
        set,
    } = fixture();
    let workers = Workers::sequential();
    let key = secret.public_key();
    let scalars: Vec<Scalar> = set.elements().iter().map(element_scalar).collect();
    let product: Scalar = scalars.iter().map(|scalar| scalar + s).product();
    let value = Bilinear::accumulate(key, &set, &workers).unwrap();
    let value = g1(&wire::encode_body(&value));
    assert_eq!(value, G1Affine::from(G1Projective::generator() * product));
    let witnesses = Bilinear::witnesses(key, &set, &workers).unwrap();
    for (witness, element) in witnesses.iter().zip(&scalars) {
        let witness = g1(&wire::encode_body(witness));
        let shifted = G2Affine::from(verifying[1] + verifying[0] * element);
        assert_eq!(pairing(&witness, &shifted), pairing(&value, &verifying[0]));
    }
    let subset = [b"ada".to_vec(), b"cleo".to_vec()];
    let witness = Bilinear::subset_witness(key, &set, &subset, &workers).unwrap();
    let witness = g1(&wire::encode_body(&witness));
    let members = G2Affine::from(verifying[0] * ((scalars[0] + s) * (scalars[2] + s)));
    assert_eq!(pairing(&witness, &members), pairing(&value, &verifying[0]));
}

#[test]
fn witnesses_of_absence_are_recomputed_and_verify() {
    let Fixture {
        secret,
        s,
        verifying,
        set,
    } = fixture();
    let key = secret.public_key();
    let workers = Workers::sequential();
    let value = Bilinear::accumulate(&secret, &set, &workers).unwrap();
    let value = g1(&wire::encode_body(&value));
    let absent = Bilinear::element(key, &set.accumulator().digest_of(b"absent")).unwrap();
    let absent = element_scalar(&absent);
    let witness = Bilinear::non_membership_witness(key, &set, b"absent", &workers).unwrap();
    let bytes = wire::encode_body(&witness);
    let (quotient, remainder) = (g1(&bytes[..48]), scalar(&bytes[48..]));
    let scalars = set.elements().iter().map(element_scalar);
    assert_eq!(remainder, scalars.map(|scalar| scalar - absent).product());
    let shifted = G2Affine::from(verifying[1] + verifying[0] * absent);
    let constant = G1Affine::from(G1Projective::generator() * remainder);
    assert_eq!(
        pairing(&quotient, &shifted) + pairing(&constant, &verifying[0]),
        pairing(&value, &verifying[0])
    );
    assert_eq!(
        shifted,
        G2Affine::from(G2Projective::generator() * (s + absent))
    );
}

#[test]
fn parameters_of_the_other_implementation_are_read() {
    let s = Scalar::from_bytes_wide(&[0x5a; 64]);
    let mut bytes = vec![4];
    bytes.extend_from_slice(b"test");
    let powers: Vec<Scalar> = std::iter::successors(Some(Scalar::one()), |power| Some(power * s))
        .take(6)
        .collect();
    bytes.extend_from_slice(&6_u32.to_be_bytes());
    for power in &powers {
        let point = G1Affine::from(G1Projective::generator() * power);
        bytes.extend_from_slice(&point.to_compressed());
    }
    bytes.extend_from_slice(&2_u32.to_be_bytes());
    for power in &powers[..2] {
        let point = G2Affine::from(G2Projective::generator() * power);
        bytes.extend_from_slice(&point.to_compressed());
    }
    let workers = Workers::sequential();
    let parameters: Parameters = wire::decode_body(&workers, &bytes).unwrap();
    assert_eq!(wire::encode_body(&parameters), bytes);
    let key = BilinearPublicKey::new(Arc::new(parameters), b"other");
    let set = ElementSet::<Bilinear>::from_elements(&key, &["x", "y"], &workers).unwrap();
    let value = Bilinear::accumulate(&key, &set, &workers).unwrap();
    let product: Scalar = set
        .elements()
        .iter()
        .map(|element| element_scalar(element) + s)
        .product();
    assert_eq!(
        g1(&wire::encode_body(&value)),
        G1Affine::from(G1Projective::generator() * product)
    );
}
