//! Tests of all kinds through one interface.

use zeroize::Zeroizing;

#[cfg(feature = "bls")]
use super::super::public_bls;
#[cfg(feature = "rsa")]
use super::super::rsa;
use super::{super::testing::*, *};

/// Returns a key of each kind in this build, without a search for primes.
fn keys() -> Vec<OwnerKey> {
    let generated = [TagKind::HashOnly, TagKind::PrivateMac]
        .map(|kind| OwnerKey::generate(kind, &Workers::sequential()).unwrap());
    let sealed: Vec<(TagKind, Zeroizing<Vec<u8>>)> = vec![
        #[cfg(feature = "rsa")]
        (TagKind::Rsa2048, rsa::tests::key_2048().to_bytes()),
        #[cfg(feature = "rsa")]
        (TagKind::Rsa3072, rsa::tests::key_3072().to_bytes()),
        #[cfg(feature = "bls")]
        (TagKind::PublicBls, public_bls::tests::key().to_bytes()),
    ];
    let sealed = sealed.into_iter().map(|(kind, body)| {
        let sealed = kind.seal(KIND_OWNER_KEY, &body);
        OwnerKey::from_bytes(&sealed).unwrap()
    });
    generated.into_iter().chain(sealed).collect()
}

fn challenged(start: u64, length: u64, offset: u64) -> Challenged {
    let coefficient = u128::from(start).wrapping_mul(u128::MAX / 12345) | 1;
    Challenged {
        start,
        length,
        hits: vec![
            super::super::Hit {
                offset,
                coefficient
            };
            2
        ],
    }
}

#[test]
fn every_kind_audits_and_reads() {
    let workers = Workers::new(2.try_into().unwrap()).unwrap();
    let blocks: Vec<(WriteId, Vec<u8>)> = (0..5)
        .map(|number| {
            (
                write(number),
                bytes(number, 500 + usize::try_from(number).unwrap()),
            )
        })
        .collect();
    for key in keys() {
        let kind = key.kind();
        let key = OwnerKey::from_bytes(&key.to_bytes()).unwrap();
        let server = ServerParameters::from_bytes(&key.server_parameters().to_bytes()).unwrap();
        let verifier = VerifierKey::from_bytes(&key.verifier().to_bytes()).unwrap();
        assert_eq!([key.kind(), server.kind(), verifier.kind()], [kind; 3]);

        let tags = key.tag_all(&blocks, &workers).unwrap();
        assert_eq!(tags, key.tag_all(&blocks, &Workers::sequential()).unwrap());
        let pairs = tags.iter().zip(&blocks);
        let stored: Vec<StoredBlock<'_>> = pairs
            .map(|(tag, (_, data))| StoredBlock { tag, data })
            .collect();
        assert_eq!(server.check_tags(&stored), Ok(()), "{kind}");

        let mut prover = server.prover();
        let mut evidence = Vec::new();
        for (block, start) in stored.iter().zip((0..).step_by(600)) {
            let length = u64::try_from(block.data.len()).unwrap();
            let challenged = challenged(start, length, length - 1);
            prover.absorb(&challenged, block.tag, block.data).unwrap();
            evidence.push((challenged, block.tag.committed.clone()));
        }
        let proof = prover.finish();
        assert_eq!(key.verify(&evidence, &proof), Ok(()), "{kind}");
        assert_eq!(verifier.verify(&evidence, &proof), Ok(()), "{kind}");
        let mut wrong = proof.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert!(key.verify(&evidence, &wrong).is_err(), "{kind}");
        assert!(verifier.verify(&evidence, &wrong).is_err(), "{kind}");
        evidence[2].1.0.truncate(31);
        let malformed = AuditError::MalformedTag { start: 1200 };
        assert_eq!(verifier.verify(&evidence, &proof), Err(malformed));
        assert_eq!(key.verify(&evidence, &proof), Err(malformed));

        let (committed, data) = (stored[0].tag.committed.as_ref(), stored[0].data);
        assert_eq!(kind.check_block(7, committed, data), Ok(()));
        let shorter = kind.check_block(7, committed, &data[1..]);
        assert_eq!(shorter, Err(AuditError::BlockMismatch { start: 7 }));
        let cut = kind.check_block(7, &committed[..31], data);
        assert_eq!(cut, Err(AuditError::MalformedTag { start: 7 }));
        let other = stored[1].tag;
        let wrong = [StoredBlock { tag: other, data }];
        assert_eq!(server.check_tags(&wrong), Err(TagError::BlockMismatch));
        let absorbed = server.prover().absorb(&challenged(0, 3, 0), other, data);
        assert_eq!(absorbed, Err(TagError::BlockMismatch));
    }
}

/// A composed tag binds both committed parts: the root and the tag of two blocks are rejected.
#[test]
fn mixed_tags_are_refused() {
    let key = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential()).unwrap();
    let (first, second) = (bytes(1, 100), bytes(2, 100));
    let mut mixed = key.tag(write(1), &first).unwrap();
    let other = key.tag(write(2), &second).unwrap();
    mixed.committed.0[..32].copy_from_slice(&other.committed.0[..32]);
    assert_ne!(mixed.digest(), key.tag(write(1), &first).unwrap().digest());
    let server = key.server_parameters();
    let stored = [StoredBlock {
        tag: &mixed,
        data: &first,
    }];
    assert_eq!(server.check_tags(&stored), Err(TagError::BlockMismatch));
    // An audit checks only the tag, a read only the root.
    let read = key.kind().check_block(0, mixed.committed.as_ref(), &first);
    assert_eq!(read, Err(AuditError::BlockMismatch { start: 0 }));
}

#[test]
fn names_come_back() {
    for kind in TagKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        let body = codec::encode_body(&kind);
        assert_eq!(codec::decode_body(&body), Ok(kind));
    }
    assert_eq!("rsa-1024".parse::<TagKind>(), Err(TagError::UnknownKind));
    assert_eq!(TagKind::default(), TagKind::PrivateMac);
}

#[test]
fn hostile_bytes_are_refused() {
    use pad_core::DecodeError;

    let malformed = |error| Some(TagError::Malformed(error));
    for key in keys() {
        let sealed = [
            key.to_bytes().to_vec(),
            key.server_parameters().to_bytes(),
            key.verifier().to_bytes().to_vec(),
        ];
        for (index, honest) in sealed.iter().enumerate() {
            let read = |bytes: &[u8]| match index {
                0 => OwnerKey::from_bytes(bytes).err(),
                1 => ServerParameters::from_bytes(bytes).err(),
                _ => VerifierKey::from_bytes(bytes).err(),
            };
            assert_eq!(read(honest), None);
            for length in [0, 5, 7] {
                assert_eq!(read(&honest[..length]), malformed(DecodeError::Malformed));
            }
            let longer = [honest.as_slice(), &[0]].concat();
            assert!(matches!(read(&longer), Some(TagError::Malformed(_))));
            if honest.len() > 8 {
                let shorter = read(&honest[..honest.len() - 1]);
                assert!(matches!(shorter, Some(TagError::Malformed(_))));
            }
            let changed = |place: usize, byte| {
                let mut changed = honest.clone();
                changed[place] = byte;
                changed
            };
            let other_format = malformed(DecodeError::NotThisFormat);
            assert_eq!(read(&changed(0, honest[0] ^ 1)), other_format);
            let unknown = malformed(DecodeError::UnknownFormatVersion(9));
            assert_eq!(read(&changed(4, 9)), unknown);
            assert!(matches!(
                read(&changed(5, honest[5] ^ 1)),
                Some(TagError::Malformed(DecodeError::WrongKind { .. }))
            ));
            let mut other = changed(7, 77);
            assert_eq!(read(&other), Some(TagError::UnknownKind));
            other.resize(KEY_LIMIT + 1, 0);
            let limit = KEY_LIMIT;
            assert_eq!(read(&other), malformed(DecodeError::TooLarge { limit }));
        }
    }
}

#[test]
fn keys_of_one_kind_are_not_read_as_another() {
    let key = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential()).unwrap();
    let mut bytes = key.to_bytes();
    bytes[7] = 1;
    assert_eq!(
        OwnerKey::from_bytes(&bytes).err(),
        Some(TagError::Malformed(pad_core::DecodeError::TrailingBytes))
    );
}

/// Kinds of a disabled feature are rejected by name.
#[test]
fn absent_kinds_are_refused() {
    let absent = TagKind::ALL.into_iter().filter(|kind| match kind {
        TagKind::Rsa2048 | TagKind::Rsa3072 => cfg!(not(feature = "rsa")),
        TagKind::PublicBls => cfg!(not(feature = "bls")),
        TagKind::HashOnly | TagKind::PrivateMac => false,
    });
    for kind in absent {
        let refused = Some(TagError::KindUnavailable(kind));
        let workers = Workers::sequential();
        assert_eq!(OwnerKey::generate(kind, &workers).err(), refused);
        let sealed = kind.seal(KIND_OWNER_KEY, &[]);
        assert_eq!(OwnerKey::from_bytes(&sealed).err(), refused);
    }
}
