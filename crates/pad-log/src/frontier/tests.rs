use std::collections::BTreeSet;

use pad_conformance::soak;

use super::*;

/// Strings of bits from the definition.
fn by_definition(elements: &[u8], bits: u16) -> Vec<String> {
    let text = |element: u8, length: u16| -> String {
        let all = format!("{element:08b}");
        all[..usize::from(length)].to_owned()
    };
    let trie: BTreeSet<String> = elements
        .iter()
        .flat_map(|element| (0..=bits).map(|length| text(*element, length)))
        .collect();
    let leaving = trie.iter();
    let leaving = leaving.filter(|inside| inside.len() < usize::from(bits));
    let leaving = leaving.flat_map(|inside| [format!("{inside}0"), format!("{inside}1")]);
    let leaving: BTreeSet<String> = leaving.filter(|string| !trie.contains(string)).collect();
    leaving.into_iter().collect()
}

fn check(elements: &[u8], bits: u16) {
    let bytes: Vec<[u8; 1]> = elements.iter().map(|element| [*element]).collect();
    let slices: Vec<&[u8]> = bytes.iter().map(<[u8; 1]>::as_slice).collect();
    let frontier = Frontier::new(&slices, 0, bits);
    let strings: Vec<String> = frontier
        .iter()
        .map(|one| {
            let (bytes, length) = frontier.bytes(one);
            assert!(bytes[1..].iter().all(|byte| *byte == 0));
            format!("{:08b}", bytes[0])[..usize::from(length)].to_owned()
        })
        .collect();
    assert_eq!(strings, by_definition(elements, bits), "{elements:?}");
    assert_eq!(frontier.len(), strings.len());
    // Every string outside has one prefix in the frontier; no string inside has one.
    for candidate in 0..1_u16 << bits {
        let candidate = u8::try_from(candidate << (8 - bits)).unwrap();
        let text = format!("{candidate:08b}");
        let prefixes = strings.iter().filter(|string| text.starts_with(*string));
        let found = prefixes.count();
        assert_eq!(found, usize::from(!elements.contains(&candidate)));
    }
    for (place, string) in frontier.iter().enumerate() {
        assert!(frontier.iter_from(string).eq(frontier.iter().skip(place)));
    }
}

/// The frontiers of sets of strings of 4 bits must be those of the definition. Covers all sets of
/// up to three strings, and some of the others.
#[test]
fn frontiers_of_all_small_tries_are_those_of_the_definition() {
    let every = soak::size(61, 7);
    for set in 1..1_u32 << 16 {
        let elements = (0..16_u8).filter(|element| set >> element & 1 == 1);
        let elements: Vec<u8> = elements.map(|element| element << 4).collect();
        if set % every == 0 || elements.len() <= 3 {
            check(&elements, 4);
        }
    }
}

#[test]
fn frontiers_of_tries_of_eight_bits_too() {
    for first in (0..=255_u8).step_by(soak::size(23, 5)) {
        for second in (0..=255).step_by(soak::size(7, 3)) {
            let elements: BTreeSet<u8> = [first, second, first ^ second, 77].into();
            let elements: Vec<u8> = elements.into_iter().collect();
            check(&elements, 8);
        }
    }
}

/// Frontiers below a depth that all elements share, which a verifier derives from the values of a
/// key.
#[test]
fn frontiers_below_a_depth_are_the_longer_strings() {
    for depth in [1_u16, 3, 7] {
        let below = 8 - depth;
        let common = 0b1010_1010_u8 & !(u8::MAX >> depth);
        for set in 1..1_u32 << (1 << below).min(10) {
            let elements = (0..10_u8).filter(|element| set >> element & 1 == 1);
            let elements: Vec<u8> = elements.map(|element| common | element).collect();
            let bytes: Vec<[u8; 1]> = elements.iter().map(|element| [*element]).collect();
            let slices: Vec<&[u8]> = bytes.iter().map(<[u8; 1]>::as_slice).collect();
            let frontier = Frontier::new(&slices, depth, 8);
            let strings = frontier.iter().map(|one| {
                let (bytes, length) = frontier.bytes(one);
                format!("{:08b}", bytes[0])[..usize::from(length)].to_owned()
            });
            let expected = by_definition(&elements, 8).into_iter();
            let expected = expected.filter(|string| string.len() > usize::from(depth));
            assert!(strings.eq(expected), "{depth} {elements:?}");
            assert_eq!(frontier.len(), frontier.iter().count());
        }
    }
    // Nothing is below the end of the elements, and no string leaves an empty trie.
    let element: &[u8] = &[7];
    assert_eq!(Frontier::new(&[element], 8, 8).len(), 0);
    assert_eq!(Frontier::new(&[element], 8, 8).iter().count(), 0);
    assert_eq!(Frontier::new(&[], 8, 8).len(), 0);
    assert_eq!(Frontier::new(&[], 8, 8).iter().count(), 0);
}
