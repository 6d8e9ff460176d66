//! Notes and keys: vectors from the specification and from others, limits, and hostile bytes.

use transparency_log::{
    Note,
    note::{
        Algorithm, CosignatureV1, Ed25519, KeyError, KeyName, LONGEST_NOTE, MOST_SIGNATURES,
        NoteError, NoteSigner, Signature, SignerKey, VerifierKey,
    },
};

use crate::support::{
    NaiveLog, log_key, mutations, other_log_key, text_mutations, time, witness_key,
};

/// The example of the Go package golang.org/x/mod/sumdb/note.
const PETER_PUBLIC: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const PETER_SECRET: &str =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const PETER_TEXT: &str = "If you think cryptography is the answer to your problem,\n\
    then you don't know what your problem is.\n";
const PETER_LINE: &str = "\u{2014} PeterNeumann \
    x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";

/// The example of `signed-note`.
const QUASIMODO: &str = "Ognuno sta solo sul cuor della terra\n\
    trafitto da un raggio di sole:\n\ned \u{e8} subito sera.\n\n\
    \u{2014} quasimodo.example/salvatore \
    NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";

fn peter() -> VerifierKey {
    PETER_PUBLIC.parse().unwrap()
}

#[test]
fn the_example_of_the_go_package_is_read_verified_and_signed() {
    let signed = format!("{PETER_TEXT}\n{PETER_LINE}\n");
    let note = Note::parse(signed.as_bytes()).unwrap();
    assert_eq!(note.encode(), signed);
    let opened = note.open(&[peter()]).unwrap();
    assert_eq!(opened.text, PETER_TEXT);
    assert_eq!(opened.signed[0].name.as_str(), "PeterNeumann");
    assert_eq!(opened.signed[0].time, None);

    let signer: NoteSigner = PETER_SECRET.parse().unwrap();
    assert_eq!(signer.to_secret_text(), PETER_SECRET);
    assert_eq!(signer.verifier().to_string(), PETER_PUBLIC);
    assert_eq!(signer.sign(PETER_TEXT).to_string(), PETER_LINE);
    let shown = format!("{signer:?}");
    assert!(!shown.contains("PRIVATE"), "the secret is shown");
}

#[test]
fn the_example_of_the_specification_is_read() {
    let note = Note::parse(QUASIMODO.as_bytes()).unwrap();
    assert_eq!(note.encode(), QUASIMODO);
    assert!(note.unverified_text().ends_with("subito sera.\n"));
    let lines = note.unverified_text().lines().count();
    assert_eq!(lines, 4, "an empty line is part of the text");
    let [signature] = note.signatures() else {
        panic!("one signature")
    };
    assert_eq!(signature.name().as_str(), "quasimodo.example/salvatore");
    assert_eq!(signature.id().to_string(), "367ba04b");
    assert_eq!(signature.as_bytes().len(), 64);
}

#[test]
fn no_mutation_of_a_note_says_anything_else() {
    let note = NaiveLog::new(9).cosigned(9, 1_700_000_000);
    let keys = [log_key().verifier(), witness_key(1).verifier()];
    let text = note.unverified_text().to_owned();
    let (mut read, mut opened) = (0, 0);
    for changed in mutations(note.encode().as_bytes()) {
        let Ok(parsed) = Note::parse(&changed) else {
            continue;
        };
        read += 1;
        // Parsing drops a repeated signature, so the encoding may be shorter.
        if parsed.encode().as_bytes() != changed {
            assert!(parsed.encode().len() < changed.len());
        }
        // A signature may be missing or by an unknown key; the remaining ones sign the same text.
        if let Ok(found) = parsed.open(&keys) {
            assert_eq!(found.text, text);
            opened += 1;
        }
    }
    assert!(read > 100 && opened > 10, "{read} {opened}");
}

#[test]
fn signatures_of_other_notes_and_keys_prove_nothing() {
    let (short, long) = (NaiveLog::new(3).note(3), NaiveLog::new(4).note(4));
    let mut spliced = Note::new(short.unverified_text()).unwrap();
    let [known, other] = [log_key(), other_log_key()].map(|key| [key.verifier()]);
    assert_eq!(spliced.open(&known), Err(NoteError::NoKnownKey));
    spliced.add(long.signatures()[0].clone()).unwrap();
    let wrong = NoteError::WrongSignature(log_key().name().clone());
    assert_eq!(spliced.open(&known), Err(wrong.clone()));
    // An additional valid signature does not help.
    spliced.add(short.signatures()[0].clone()).unwrap();
    assert_eq!(spliced.open(&known), Err(wrong));
    assert_eq!(spliced.open(&other), Err(NoteError::NoKnownKey));
}

/// A cosignature must not verify as a note signature, nor the other way round. The signatures of
/// both types by one key cover different bytes.
#[test]
fn a_cosignature_is_no_signature_and_the_other_way_round() {
    let secret = [9; 32];
    let name: KeyName = "both.example".parse().unwrap();
    let note_key = SignerKey::<Ed25519>::new(name.clone(), &secret);
    let cosigner = SignerKey::<CosignatureV1>::new(name, &secret);
    assert_ne!(note_key.verifier().id(), cosigner.verifier().id());
    let checkpoint = NaiveLog::new(5).checkpoint(5);
    let text = checkpoint.text();
    let signature = note_key.sign(&text);
    let cosignature = cosigner.cosign(&checkpoint, time(5));
    for (signature, key) in [
        (&signature, cosigner.verifier()),
        (&cosignature, note_key.verifier()),
    ] {
        // The same with the other key's id.
        let mut signed = key.id().number().to_be_bytes().to_vec();
        signed.extend_from_slice(signature.as_bytes());
        let line = format!("\u{2014} both.example {}", base64(&signed));
        let signature = Signature::parse_line(&line).unwrap();
        assert!(signature.claims(&key));
        let mut note = Note::new(text.clone()).unwrap();
        note.add(signature).unwrap();
        let refused = note.open(std::slice::from_ref(&key));
        assert!(matches!(refused, Err(NoteError::WrongSignature(_))));
    }
}

#[test]
fn times_are_what_was_signed_and_have_an_end() {
    let checkpoint = NaiveLog::new(5).checkpoint(5);
    let key = witness_key(1).verifier();
    for seconds in [0, 1, 1_679_315_147, u64::MAX >> 1] {
        let mut note = Note::new(checkpoint.text()).unwrap();
        let cosignature = witness_key(1).cosign(&checkpoint, time(seconds));
        note.add(cosignature).unwrap();
        let opened = note.open(std::slice::from_ref(&key)).unwrap();
        assert_eq!(opened.signed[0].time, Some(time(seconds)));
    }
    assert_eq!(transparency_log::Timestamp::from_seconds(1 << 63), None);
}

/// Refuses two known keys of one name with equal ids. Such keys can be found, because ids are
/// short.
#[test]
fn known_keys_with_one_name_and_id_are_refused() {
    let [first, second] = [52_634_u64, 156_688].map(|number| {
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&number.to_be_bytes());
        NoteSigner::new("twins.example".parse().unwrap(), &secret)
    });
    let keys = [first.verifier(), second.verifier()];
    assert_eq!(keys[0].id(), keys[1].id());
    assert_ne!(keys[0], keys[1]);
    let mut note = Note::new("text\n").unwrap();
    note.add(first.sign("text\n")).unwrap();
    let ambiguous = NoteError::AmbiguousKey(first.name().clone());
    assert_eq!(note.open(&keys), Err(ambiguous));
    let wrong = NoteError::WrongSignature(first.name().clone());
    assert_eq!(note.open(&keys[1..]), Err(wrong));
    // A duplicate key counts once.
    let twice = [first.verifier(), first.verifier()];
    assert_eq!(note.open(&twice).unwrap().signed.len(), 1);
}

#[test]
fn notes_have_limits() {
    let text = "x\n";
    let signature = |number: u8| {
        let name = format!("n{number}").parse().unwrap();
        NoteSigner::new(name, &[number; 32]).sign(text)
    };
    let mut note = Note::new(text).unwrap();
    for number in 0..u8::try_from(MOST_SIGNATURES).unwrap() {
        note.add(signature(number)).unwrap();
        note.add(signature(number)).unwrap();
    }
    let count = note.signatures().len();
    assert_eq!(count, MOST_SIGNATURES, "equal ones are one");
    assert_eq!(Note::parse(note.encode().as_bytes()).unwrap(), note);
    assert_eq!(note.add(signature(200)), Err(NoteError::TooManySignatures));
    let longer = format!("{}{}", note.encode(), signature(200).line());
    let refused = Note::parse(longer.as_bytes());
    assert_eq!(refused, Err(NoteError::TooManySignatures));
    let long = format!("{}\n", "x".repeat(LONGEST_NOTE));
    assert_eq!(Note::new(long.clone()), Err(NoteError::TooLong));
    assert_eq!(Note::parse(long.as_bytes()), Err(NoteError::TooLong));
    // Signatures of unknown types may have any length.
    let line = format!("\u{2014} quantum {}\n", base64(&[7; 5000]));
    Note::parse(format!("{text}\n{line}").as_bytes()).unwrap();
}

#[test]
fn what_is_no_note_is_refused_by_name() {
    let parse = |note: &str| Note::parse(note.as_bytes()).map(|_| ());
    let line = "\u{2014} a AAAAAAA=\n";
    assert_eq!(parse(&format!("x\n\n{line}")), Ok(()));
    assert_eq!(parse(""), Err(NoteError::Unsigned));
    assert_eq!(parse("x\n"), Err(NoteError::Unsigned));
    assert_eq!(parse(&format!("x\n{line}")), Err(NoteError::Unsigned));
    assert_eq!(parse("x\n\n"), Err(NoteError::SignatureLine));
    assert_eq!(Note::parse(b"x\xff\n\n"), Err(NoteError::Text));
    assert_eq!(Note::new("x"), Err(NoteError::Text));
    for control in ["\r", "\t", "\0", "\u{1b}"] {
        let refused = parse(&format!("x{control}\n\n{line}"));
        assert_eq!(refused, Err(NoteError::Text));
    }
    for wrong in [
        "\u{2014} a AAAAAAA=",
        "- a AAAAAAA=\n",
        "\u{2014} a AAAAAAA=\nx\n",
        "\u{2014}  a AAAAAAA=\n",
        "\u{2014} a  AAAAAAA=\n",
        "\u{2014} a AAAAAAA= \n",
        "\u{2014} a+b AAAAAAA=\n",
        "\u{2014} a\u{a0}b AAAAAAA=\n",
        "\u{2014} a AAAAAAA\n",
        // Non-zero trailing bits, and another alphabet.
        "\u{2014} a AAAAAAB=\n",
        "\u{2014} a AAAA_-A=\n",
        // An id without a signature.
        "\u{2014} a AAAAAA==\n",
        "\u{2014} a AAAA\n",
    ] {
        let refused = parse(&format!("x\n\n{wrong}"));
        assert_eq!(refused, Err(NoteError::SignatureLine), "{wrong:?}");
    }
}

#[test]
fn keys_have_one_form() {
    for changed in text_mutations(PETER_PUBLIC) {
        assert!(changed.parse::<VerifierKey>().is_err(), "{changed:?}");
    }
    for changed in text_mutations(PETER_SECRET) {
        assert!(changed.parse::<NoteSigner>().is_err(), "{changed:?}");
    }
    let refused = |key: &str| key.parse::<VerifierKey>().unwrap_err();
    // From the tests of the Go package: a wrong length and an unknown type, with ids that fit.
    let long = "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==";
    assert!(matches!(refused(long), KeyError::Material | KeyError::Form));
    let unknown = "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert_eq!(refused(unknown), KeyError::Type(0x65));
    assert_eq!(refused("PeterNeumann"), KeyError::Form);
    for (part, other) in [("c74f20a3", "C74F20A3"), ("PeterNeumann", "Peter")] {
        assert_eq!(refused(&PETER_PUBLIC.replace(part, other)), KeyError::Id);
    }
    let secret = PETER_SECRET.parse::<SignerKey<CosignatureV1>>();
    assert_eq!(secret.unwrap_err(), KeyError::Type(1));
    // A point of small order verifies signatures of any message.
    let name: KeyName = "weak".parse().unwrap();
    let mut point = [0; 32];
    point[0] = 1;
    let weak = VerifierKey::new(name, Algorithm::Ed25519, &point);
    assert_eq!(weak, Err(KeyError::Material));
    // Coordinates from 2^255 - 19 on are coordinates of other points, which have their own
    // encodings.
    for low in 0xed..=0xff {
        let mut point = [0xff; 32];
        (point[0], point[31]) = (low, 0x7f);
        let name: KeyName = "twice".parse().unwrap();
        let twice = VerifierKey::new(name, Algorithm::CosignatureV1, &point);
        assert_eq!(twice, Err(KeyError::Material), "{low:x}");
    }
    let name = "n".repeat(KeyName::LONGEST + 1);
    assert_eq!(name.parse::<KeyName>(), Err(KeyError::Name));
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
