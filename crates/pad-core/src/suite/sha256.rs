//! SHA-256 whose first block is a domain's tag. The state after this block (the midstate) is
//! precomputed for each domain.
//!
//! `hash(domain, parts)` is plain `SHA-256(tag block ‖ parts)`. The tag block is the tag padded
//! with zeros to 64 bytes. `compress_pair` absorbs exactly one block after the tag block and omits
//! the padding. A collision of `compress_pair` is a collision of SHA-256 on `tag block ‖ block`.

#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "indices are below the length of a block, and lengths are of slices in memory"
)]

use core::slice::from_ref;

use sha2::block_api::compress256;

use crate::digest::Domain;

const BLOCK: usize = 64;

/// The digest of an inner node: one SHA-256 compression, from the domain's midstate, of `left ‖
/// right`, zero-padded to 64 bytes.
#[inline]
pub(super) fn compress_pair<const N: usize>(
    domain: Domain,
    left: &[u8; N],
    right: &[u8; N],
) -> [u8; 32] {
    const { assert!(2 * N <= BLOCK, "two digests fill at most one block") };
    let mut block = [0; BLOCK];
    block[..N].copy_from_slice(left);
    block[N..2 * N].copy_from_slice(right);
    let mut state = midstate(domain);
    compress256(&mut state, from_ref(&block));
    to_bytes(state)
}

/// Returns `SHA-256(tag block ‖ parts)`, where the tag block is the domain's tag, zero-padded to 64
/// bytes.
#[inline]
pub(super) fn hash(domain: Domain, parts: &[&[u8]]) -> [u8; 32] {
    let mut state = midstate(domain);
    let mut block = [0; BLOCK];
    let mut filled = 0;
    let mut length = BLOCK;
    for part in parts {
        length += part.len();
        let mut rest = *part;
        while !rest.is_empty() {
            let taken = rest.len().min(BLOCK - filled);
            block[filled..filled + taken].copy_from_slice(&rest[..taken]);
            filled += taken;
            rest = &rest[taken..];
            if filled == BLOCK {
                compress256(&mut state, from_ref(&block));
                filled = 0;
            }
        }
    }
    block[filled] = 0x80;
    block[filled + 1..].fill(0);
    if filled + 1 + 8 > BLOCK {
        compress256(&mut state, from_ref(&block));
        block.fill(0);
    }
    let bits = u64::try_from(length).unwrap_or(u64::MAX).wrapping_mul(8);
    block[BLOCK - 8..].copy_from_slice(&bits.to_be_bytes());
    compress256(&mut state, from_ref(&block));
    to_bytes(state)
}

#[inline]
fn to_bytes(state: [u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (word, bytes) in state.iter().zip(bytes.as_chunks_mut().0) {
        *bytes = word.to_be_bytes();
    }
    bytes
}

/// Returns the state of SHA-256 after it has absorbed the domain's tag block. A test recomputes
/// every entry of this table.
#[rustfmt::skip] // One word per line would fill two screens.
#[allow(clippy::too_many_lines, reason = "a table, one row for each domain")]
#[inline]
const fn midstate(domain: Domain) -> [u32; 8] {
    match domain {
        Domain::TreeNode => [
            0xe551_f86e, 0xcab5_15e3, 0x7153_31f2, 0x4c6b_453c,
            0xb6ae_f2a7, 0xf516_a136, 0x960b_e1d5, 0xbdcf_d979,
        ],
        Domain::TreeLeaf => [
            0x6793_0d95, 0x4666_2858, 0x0d83_5785, 0x9e54_5c49,
            0x9d4c_3e76, 0xf6c4_bee9, 0x5962_7b7e, 0xb1fc_8a06,
        ],
        Domain::EmptyTree => [
            0x7758_96a9, 0xf599_298c, 0xb5dd_9e3d, 0x23a4_0688,
            0xe03c_5f37, 0x39f8_44ed, 0x4246_8eb3, 0xbbf1_7ebf,
        ],
        Domain::Value => [
            0x0cbe_5b1d, 0xc8e1_a430, 0x9ad4_5031, 0x87ef_7207,
            0xe650_5b31, 0x7c64_525d, 0x87a7_a4e0, 0xb446_57d3,
        ],
        Domain::KeyRank => [
            0xf113_40a8, 0x318e_e9ae, 0x1962_1011, 0x99f6_f626,
            0x34f7_2ae5, 0xe1c1_7ac7, 0x3699_cf86, 0xc497_3fea,
        ],
        Domain::HistoryLeaf => [
            0x501a_e0e7, 0x5abb_deda, 0x2980_16ff, 0x6b79_9e78,
            0xe1ce_1919, 0xabb6_b76f, 0x4b55_0b80, 0x25a2_74ca,
        ],
        Domain::HistoryNode => [
            0x3aaa_cdf0, 0x5993_eeb9, 0x27d7_9c25, 0x2a4f_e9b1,
            0x7c1b_84fa, 0x44f4_d7ba, 0xdf88_17d2, 0xb5c0_42d2,
        ],
        Domain::EmptyHistory => [
            0x98cd_640c, 0xfb78_f08d, 0x2436_ba36, 0xba23_d5ea,
            0x5d66_1fba, 0x3dfd_6eb0, 0x60ee_fcb4, 0x92b6_8f74,
        ],
        Domain::SignedHead => [
            0xe235_88b6, 0x56de_7f5f, 0xb7d3_1630, 0xe9d1_4e70,
            0x84b5_9bc3, 0xa7d4_210e, 0x3adf_4500, 0xee8c_18b7,
        ],
        Domain::DictionaryId => [
            0xb188_3e91, 0xba0f_3828, 0x4eff_0ec8, 0xf369_689c,
            0x6ba5_0e45, 0x35f1_b3f3, 0x0e7b_34ed, 0xb02b_cfe4,
        ],
        Domain::Checkpoint => [
            0xd32f_81e1, 0xa2aa_6e05, 0xaa7a_1a04, 0x5a0b_8ad6,
            0xe28c_332e, 0xdd9b_f8ba, 0xdbdc_24a6, 0x798c_abaa,
        ],
        Domain::AccumulatorId => [
            0x43b4_cd08, 0xf051_f6bf, 0xf730_1077, 0xe725_36b8,
            0x25ad_9072, 0x6a12_5abc, 0x61a1_fff2, 0xad5b_4b1d,
        ],
        Domain::AccumulatorElement => [
            0x663f_32d9, 0x4fce_66d7, 0x7fe9_1c49, 0x279c_81f9,
            0xae00_f8aa, 0xe46d_04a9, 0xe184_37f8, 0xbce1_91e7,
        ],
        Domain::AccumulatorExpand => [
            0x2605_8a0e, 0xfdc2_09ff, 0x246a_da84, 0x85ea_ad0d,
            0x5055_737b, 0xba7d_7e73, 0xa172_410d, 0xa1e3_ec89,
        ],
        Domain::AccumulatorSnapshot => [
            0x5fdb_0677, 0x0fb4_23e4, 0xd976_d220, 0xa594_f8ce,
            0x19fa_9c02, 0xac8f_d00c, 0x8aec_23d7, 0xa4c2_23ef,
        ],
        Domain::AccumulatorTranscript => [
            0xe3be_1f11, 0xf173_d608, 0x0d47_94a1, 0xa341_1b9a,
            0xfefa_3d15, 0xd079_8294, 0x9721_d110, 0x497c_3b9d,
        ],
        Domain::Tuple => [
            0xd814_96c2, 0x3ad9_e3a6, 0x9730_58d0, 0xbd7a_c7f1,
            0x14f9_3c8b, 0x1b09_1573, 0x46ed_06a6, 0x3beb_a446,
        ],
        Domain::TupleStatement => [
            0xcd4f_a28b, 0xc41b_ce51, 0xe645_6ac2, 0x8952_d15b,
            0xce39_c75d, 0xf354_a210, 0xb24a_bf12, 0xd75e_17a0,
        ],
        Domain::TupleOperations => [
            0xff49_ce8e, 0xf020_3d5f, 0xf2b0_629f, 0xd3a6_087f,
            0x8b84_d775, 0xdb6f_a556, 0xd40e_cddd, 0xae52_99a1,
        ],
        Domain::TupleAttachment => [
            0x38d9_4332, 0xe1ca_4ca4, 0xf969_73e0, 0x0e20_db64,
            0x3e75_6e9e, 0xa925_046c, 0xd50e_238a, 0x6d0e_b3f1,
        ],
        Domain::TupleRoot => [
            0x63d4_ef5d, 0xb859_2676, 0x9bb6_5238, 0x6ec0_b6f1,
            0xe59e_abcd, 0x4bd2_8caf, 0x3bd7_77c2, 0xb539_0e8f,
        ],
        Domain::TupleChain => [
            0x8971_b90d, 0xaf92_2e67, 0xe86f_add5, 0x9e3d_8d6a,
            0x1f71_48e9, 0x8181_4544, 0x1492_5ce1, 0xa7ff_aef9,
        ],
        Domain::HashChain => [
            0x9f1f_f810, 0x9839_3a8a, 0xa757_684a, 0x6a6a_41d7,
            0x1191_6933, 0x80ae_df18, 0x2b77_b768, 0x831e_dd39,
        ],
        Domain::HashChainSeed => [
            0xb697_d96f, 0x61d6_10ef, 0x1299_124e, 0x2415_ac5f,
            0x50b4_20cf, 0x800c_19a5, 0xc923_43fb, 0xa921_b726,
        ],
        Domain::AadPrefix => [
            0x5a03_b729, 0x3a3e_939a, 0x1989_2ded, 0xda86_b3ff,
            0xce36_1c85, 0xd4ec_b005, 0x7797_9dbc, 0xa566_6e72,
        ],
        Domain::AadKey => [
            0x81f8_cd74, 0xd174_5f95, 0x95b0_1151, 0x97c1_6bdc,
            0xd85f_85ea, 0x8a10_f033, 0x7fbe_e2e0, 0x5994_5ca6,
        ],
        Domain::AadValue => [
            0xb32a_2a43, 0x4622_f814, 0x4484_1539, 0x3c22_074d,
            0xbfd1_ed15, 0xa502_d333, 0x9d6f_b7f3, 0xfde2_9ae8,
        ],
        Domain::AadElement => [
            0xf519_0383, 0xc5a0_2174, 0x1556_0494, 0xc19e_b746,
            0xb30e_1d64, 0x3b7d_373b, 0x6b3a_a38a, 0xf80f_6d69,
        ],
        Domain::AadLeaf => [
            0xf60a_a6dc, 0xf2d3_23ff, 0x29a7_93fa, 0x9918_bd1f,
            0x9233_c051, 0xd795_1704, 0x2250_4d99, 0x930a_0341,
        ],
        Domain::AadPair => [
            0x35d4_62ea, 0x01da_001a, 0x3773_ea2e, 0x3a79_cfe6,
            0x2795_e10e, 0x8382_8485, 0xa32f_abd8, 0x4342_b791,
        ],
        Domain::AadNode => [
            0xc012_09b3, 0x3239_3977, 0x14f3_58d9, 0x1a5e_621c,
            0x9b16_e747, 0x457c_aa47, 0xb88a_2786, 0x5033_19f0,
        ],
        Domain::AadBag => [
            0xe1ec_d353, 0x38b1_45ab, 0xbdb9_1e0f, 0x31ee_1362,
            0x6042_a039, 0xb1e1_41db, 0x996f_4be2, 0xe93e_996c,
        ],
        Domain::AadRoot => [
            0x3b0e_e287, 0x349a_0def, 0x3583_595a, 0xc84c_d969,
            0xe29a_2f0b, 0x457b_09c3, 0x18e5_b499, 0x6d9e_8d1c,
        ],
        Domain::DirectoryEntry => [
            0x1e31_9996, 0xe3b6_90c7, 0xd095_4847, 0xf9bd_f74b,
            0xb24e_40b7, 0x1f9f_275b, 0x66fc_5190, 0xa82b_8d8e,
        ],
        Domain::DirectoryNode => [
            0xdec3_b0e2, 0x3fb0_5539, 0xbf05_c5e2, 0xdb21_933f,
            0x0b78_f7af, 0x4623_819b, 0xfb54_8919, 0xc74c_3c2a,
        ],
        Domain::DirectoryRoot => [
            0x1c93_ecd5, 0x5ce5_0ded, 0x33c3_4434, 0x0699_f974,
            0x2216_d31a, 0x1f49_669e, 0xc801_b7b9, 0x1139_3492,
        ],
        Domain::BlockFlat => [
            0xe72d_87b3, 0x02b6_4859, 0xdb45_a3b9, 0x3444_0694,
            0xb08f_2a6a, 0x4b0a_4ca0, 0xc903_bccd, 0x1f12_4c32,
        ],
        Domain::BlockLtState => [
            0xbd94_1bf3, 0x15ed_f184, 0x4edd_990a, 0xcc0b_35af,
            0x2394_ac10, 0x92be_6eef, 0x234d_689c, 0x949e_644a,
        ],
        Domain::BlockAd1600 => [
            0xd298_dc42, 0xa180_2ac7, 0x6fbe_6f83, 0xb72b_739d,
            0x2f0d_3f29, 0x7a3f_496e, 0xabab_f534, 0x2fbf_0266,
        ],
        Domain::BlockMu1024 => [
            0xa812_da9a, 0x973a_5724, 0xe6e8_8734, 0x9968_a5af,
            0xb627_0b4e, 0x9d70_e51b, 0xbca8_4082, 0x6080_9716,
        ],
        Domain::BlockMu3072 => [
            0x57ff_c26c, 0xf468_5f2f, 0x620b_d19e, 0xb504_9e5f,
            0x9917_721a, 0x85e5_e613, 0x0018_b591, 0x5bfb_4c4f,
        ],
        Domain::BlockLtHash => [
            0xaec6_04ad, 0xd5fa_8df8, 0x972b_45cd, 0x55ee_a0c7,
            0xc100_23b3, 0xff6d_350e, 0x734d_3359, 0x5d0d_ba77,
        ],
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// SHA-256's initial state (FIPS 180-4, section 5.3.3).
    const INITIAL: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];

    #[test]
    fn midstates_are_the_tag_blocks() {
        for domain in Domain::ALL {
            let mut state = INITIAL;
            compress256(&mut state, &[domain.block()]);
            assert_eq!(midstate(domain), state, "{domain:?}: {state:#010x?}");
        }
    }

    #[test]
    fn hash_is_plain_sha256_of_tag_block_and_parts() {
        let data: [u8; 300] = core::array::from_fn(|i| u8::try_from(i % 251).unwrap());
        for domain in Domain::ALL {
            for length in 0..data.len() {
                let (first, second) = data[..length].split_at(length / 3);
                let expected: [u8; 32] = Sha256::new()
                    .chain_update(domain.block::<64>())
                    .chain_update(&data[..length])
                    .finalize()
                    .into();
                let parts = hash(domain, &[first, second]);
                assert_eq!(parts, expected, "{domain:?} {length}");
            }
        }
    }
}
