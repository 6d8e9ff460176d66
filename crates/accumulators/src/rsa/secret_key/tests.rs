use super::*;
use crate::{
    Scheme as _,
    rsa::{
        Rsa,
        test_key::{primes, secret},
    },
};

fn key_of(first: Integer, second: Integer) -> Result<RsaSecretKey, KeyError> {
    RsaSecretKey::from_primes(first, second, RepresentativeRule::Wide, b"test")
}

#[test]
fn the_order_of_the_primes_does_not_matter() {
    let [p, q] = primes();
    let key = key_of(q, p).unwrap();
    assert_eq!(key.to_bytes(), secret().to_bytes());
    assert_eq!(key.public_key().id(), secret().public_key().id());
}

#[test]
fn unsuitable_factors_are_refused() {
    let [p, q] = primes();
    let not_safe = |result| assert!(matches!(result, Err(KeyError::NotSafePrimes)));
    let unsuitable = |result| assert!(matches!(result, Err(KeyError::UnsuitablePrimes)));
    // A prime that is not safe, a composite number, an even one.
    not_safe(key_of(p.clone().next_prime(), q.clone()));
    not_safe(key_of((&p + 2_u32).complete(), q.clone()));
    not_safe(key_of((&p + 1_u32).complete(), q.clone()));
    // Equal, close, of different lengths, short, and without the second highest bit.
    unsuitable(key_of(p.clone(), p.clone()));
    unsuitable(key_of((Integer::from(1) << 900_u32) + &p, p.clone()));
    unsuitable(key_of((&p << 1_u32).complete(), q.clone()));
    unsuitable(key_of((&p >> 1_u32).complete(), (&q >> 1_u32).complete()));
    let low = (Integer::from(1) << 1023_u32) + 7_u32;
    unsuitable(key_of(low, q));
    unsuitable(key_of(Integer::new(), Integer::from(-5)));
}

#[test]
fn keys_survive_as_bytes_and_nothing_else_does() {
    let key = secret();
    let bytes = key.to_bytes();
    let read = RsaSecretKey::from_bytes(&bytes, b"test").unwrap();
    assert_eq!(read.public_key().id(), key.public_key().id());
    let found = Rsa::empty_value(read.public_key());
    assert_eq!(found, Rsa::empty_value(key.public_key()));

    let refused = |bytes: &[u8], expected: DecodeError| {
        let result = RsaSecretKey::from_bytes(bytes, b"test");
        assert!(matches!(result, Err(KeyError::Malformed(error)) if error == expected));
    };
    refused(&bytes[..bytes.len() - 1], DecodeError::Malformed);
    refused(&[&bytes[..], &[0]].concat(), DecodeError::TrailingBytes);
    let too_large = DecodeError::TooLarge { limit: KEY_LIMIT };
    refused(&vec![0; KEY_LIMIT + 1], too_large);
    let mut changed = bytes.to_vec();
    changed[8] = 99;
    refused(&changed, DecodeError::ParametersInvalid);
    // The larger prime first: a second encoding of the same key.
    let (header, primes) = bytes.split_at(11);
    let (smaller, larger) = primes.split_at(128);
    let swapped = [header, larger, smaller].concat();
    refused(&swapped, DecodeError::NonCanonical);
    let mut changed = bytes.to_vec();
    *changed.last_mut().unwrap() ^= 4;
    let result = RsaSecretKey::from_bytes(&changed, b"test");
    assert!(matches!(result, Err(KeyError::NotSafePrimes)));
}

#[test]
fn secrets_do_not_print() {
    let key = secret();
    let text = format!("{key:?}");
    for prime in primes() {
        assert!(!text.contains(&prime.to_string()));
        assert!(!text.contains(&prime.to_string_radix(16)));
    }
    assert!(text.contains("RsaSecretKey"));
}

#[test]
fn labels_share_the_secret_and_separate_the_accumulators() {
    let key = secret();
    let other = key.with_label(b"other");
    assert!(Arc::ptr_eq(&key.factors, &other.factors));
    assert_ne!(key.public_key().id(), other.public_key().id());
}
