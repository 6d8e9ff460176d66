//! Known answers of RFC 9380.

use ark_ec::AffineRepr;
use ark_ff::BigInteger;

use super::*;

/// Builds a message of the RFC: a prefix and `times` copies of a letter.
fn long(prefix: &[u8], letter: u8, times: usize) -> Vec<u8> {
    [prefix, &vec![letter; times]].concat()
}

fn hexadecimal(element: Fq) -> String {
    hex::encode(element.into_bigint().to_bytes_be())
}

#[test]
fn points_are_those_of_the_rfc() {
    // RFC 9380, appendix J.9.1: message, x, y.
    let tag = b"QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";
    let vectors: [(&[u8], &str, &str); 5] = [
        (
            b"",
            "052926add2207b76ca4fa57a8734416c8dc95e24501772c8\
             14278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1",
            "08ba738453bfed09cb546dbb0783dbb3a5f1f566ed67bb6b\
             e0e8c67e2e81a4cc68ee29813bb7994998f3eae0c9c6a265",
        ),
        (
            b"abc",
            "03567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0\
             a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903",
            "0b9c15f3fe6e5cf4211f346271d7b01c8f3b28be689c8429\
             c85b67af215533311f0b8dfaaa154fa6b88176c229f2885d",
        ),
        (
            b"abcdef0123456789",
            "11e0b079dea29a68f0383ee94fed1b940995272407e3bb91\
             6bbf268c263ddd57a6a27200a784cbc248e84f357ce82d98",
            "03a87ae2caf14e8ee52e51fa2ed8eefe80f02457004ba4d4\
             86d6aa1f517c0889501dc7413753f9599b099ebcbbd2d709",
        ),
        (
            &long(b"q128_", b'q', 128),
            "15f68eaa693b95ccb85215dc65fa81038d69629f70aeee0d\
             0f677cf22285e7bf58d7cb86eefe8f2e9bc3f8cb84fac488",
            "1807a1d50c29f430b8cafc4f8638dfeeadf51211e1602a5f\
             184443076715f91bb90a48ba1e370edce6ae1062f5e6dd38",
        ),
        (
            &long(b"a512_", b'a', 512),
            "082aabae8b7dedb0e78aeb619ad3bfd9277a2f77ba7fad20\
             ef6aabdc6c31d19ba5a6d12283553294c1825c4b3ca2dcfe",
            "05b84ae5a942248eea39e1d91030458c40153f3b654ab787\
             2d779ad1e942856a20c438e8d99bc8abfbf74729ce1f7ac8",
        ),
    ];
    for (message, x, y) in vectors {
        let point = hash_to_g1(message, tag);
        let found = (hexadecimal(point.x), hexadecimal(point.y));
        assert_eq!(found, (x.into(), y.into()));
        assert!(point.is_in_correct_subgroup_assuming_on_curve() && !point.is_zero());
    }
}

#[test]
fn expansions_are_those_of_the_rfc() {
    // RFC 9380, appendix K.1: message, 32 bytes, 128 bytes.
    let tag = b"QUUX-V01-CS02-with-expander-SHA256-128";
    let vectors: [(&[u8], &str, &str); 5] = [
        (
            b"",
            "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235",
            "af84c27ccfd45d41914fdff5df25293e221afc53d8ad2ac06d5e3e29485dadbe\
             e0d121587713a3e0dd4d5e69e93eb7cd4f5df4cd103e188cf60cb02edc3edf18\
             eda8576c412b18ffb658e3dd6ec849469b979d444cf7b26911a08e63cf31f9dc\
             c541708d3491184472c2c29bb749d4286b004ceb5ee6b9a7fa5b646c993f0ced",
        ),
        (
            b"abc",
            "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615",
            "abba86a6129e366fc877aab32fc4ffc70120d8996c88aee2fe4b32d6c7b6437a\
             647e6c3163d40b76a73cf6a5674ef1d890f95b664ee0afa5359a5c4e07985635\
             bbecbac65d747d3d2da7ec2b8221b17b0ca9dc8a1ac1c07ea6a1e60583e2cb00\
             058e77b7b72a298425cd1b941ad4ec65e8afc50303a22c0f99b0509b4c895f40",
        ),
        (
            b"abcdef0123456789",
            "eff31487c770a893cfb36f912fbfcbff40d5661771ca4b2cb4eafe524333f5c1",
            "ef904a29bffc4cf9ee82832451c946ac3c8f8058ae97d8d629831a74c6572bd9\
             ebd0df635cd1f208e2038e760c4994984ce73f0d55ea9f22af83ba4734569d4b\
             c95e18350f740c07eef653cbb9f87910d833751825f0ebefa1abe5420bb52be1\
             4cf489b37fe1a72f7de2d10be453b2c9d9eb20c7e3f6edc5a60629178d9478df",
        ),
        (
            &long(b"q128_", b'q', 128),
            "b23a1d2b4d97b2ef7785562a7e8bac7eed54ed6e97e29aa51bfe3f12ddad1ff9",
            "80be107d0884f0d881bb460322f0443d38bd222db8bd0b0a5312a6fedb49c1bb\
             d88fd75d8b9a09486c60123dfa1d73c1cc3169761b17476d3c6b7cbbd727acd0\
             e2c942f4dd96ae3da5de368d26b32286e32de7e5a8cb2949f866a0b80c58116b\
             29fa7fabb3ea7d520ee603e0c25bcaf0b9a5e92ec6a1fe4e0391d1cdbce8c68a",
        ),
        (
            &long(b"a512_", b'a', 512),
            "4623227bcc01293b8c130bf771da8c298dede7383243dc0993d2d94823958c4c",
            "546aff5444b5b79aa6148bd81728704c32decb73a3ba76e9e75885cad9def1d0\
             6d6792f8a7d12794e90efed817d96920d728896a4510864370c207f99bd4a608\
             ea121700ef01ed879745ee3e4ceef777eda6d9e5e38b90c86ea6fb0b36504ba4\
             a45d22e86f6db5dd43d98a294bebb9125d5b794e9d2a81181066eb954966a487",
        ),
    ];
    for (message, short, long) in vectors {
        let found = expand::<1>(&[message], tag);
        assert_eq!(hex::encode(found.as_flattened()), short);
        let found = expand::<4>(&[message], tag);
        assert_eq!(hex::encode(found.as_flattened()), long);
        // Parts are one message.
        let (head, tail) = message.split_at(message.len() / 2);
        assert_eq!(expand::<4>(&[head, tail], tag), expand(&[message], tag));
    }
}

#[test]
fn the_sum_of_hashes_is_the_sum_of_the_hashes() {
    let messages: Vec<[u8; 2]> = (0..20_u8).map(|number| [number % 7, 3]).collect();
    let tag = b"A-TAG-OF-THIS-TEST";
    let hashes = messages.iter().map(|message| hash_to_g1(message, tag));
    let sum: G1Projective = hashes.sum();
    for workers in [Workers::sequential(), Workers::all_cores()] {
        assert_eq!(sum_of_hashes(&messages, tag, &workers), sum);
    }
}
