//! The figures of 2010, to stand beside ours.
//!
//! They were measured on other hardware, with 28-byte digests, DSA-2048 signatures, and the author's
//! memory included in the process; README.md says what cannot be compared.
//!
//! Source: Crosby & Wallach 2010, sections 5.3, 6 and 7.

/// A row of table 3: 100 000 keys over path copying.
#[derive(Clone, Copy, Debug)]
pub struct SchemeRow {
    /// The scheme, as we call it.
    pub scheme: &'static str,
    /// A look-up's proof.
    pub proof_kilobytes: f64,
    /// Look-ups per second.
    pub lookups_per_second: f64,
    /// The whole process.
    pub megabytes: f64,
}

/// Table 3.
pub const SCHEMES: [SchemeRow; 3] = [
    SchemeRow {
        scheme: "treap",
        proof_kilobytes: 1.96,
        lookups_per_second: 7850.0,
        megabytes: 1077.0,
    },
    SchemeRow {
        scheme: "red-black",
        proof_kilobytes: 1.50,
        lookups_per_second: 10269.0,
        megabytes: 841.0,
    },
    SchemeRow {
        scheme: "skip-list",
        proof_kilobytes: 2.63,
        lookups_per_second: 4956.0,
        megabytes: 1587.0,
    },
];

/// A row of table 4: red-black trees of 100 000 keys, historical look-ups.
#[derive(Clone, Copy, Debug)]
pub struct RepositoryRow {
    /// The repository, as we call it.
    pub repository: &'static str,
    /// Look-ups per second.
    pub lookups_per_second: f64,
    /// The whole process.
    pub megabytes: f64,
}

/// Table 4.
pub const REPOSITORIES: [RepositoryRow; 4] = [
    RepositoryRow {
        repository: "path-copying",
        lookups_per_second: 10269.0,
        megabytes: 841.0,
    },
    RepositoryRow {
        repository: "cache-nowhere",
        lookups_per_second: 2.23,
        megabytes: 182.0,
    },
    RepositoryRow {
        repository: "cache-everywhere",
        lookups_per_second: 8477.0,
        megabytes: 358.0,
    },
    RepositoryRow {
        repository: "cache-median",
        lookups_per_second: 194.0,
        megabytes: 204.0,
    },
];

/// The number of keys behind tables 3 and 4.
pub const KEYS: u64 = 100_000;

/// A row of table 5: kilobytes per second of computing, red-black trees.
#[derive(Clone, Copy, Debug)]
pub struct BandwidthRow {
    /// The repository, as we call it.
    pub repository: &'static str,
    /// The number of keys.
    pub keys: u64,
    /// Updates: author and server.
    pub updates: f64,
    /// Look-ups: server only.
    pub lookups: f64,
}

/// Table 5.
pub const BANDWIDTH: [BandwidthRow; 4] = [
    BandwidthRow {
        repository: "cache-everywhere",
        keys: 10_000,
        updates: 104.0,
        lookups: 12265.0,
    },
    BandwidthRow {
        repository: "cache-median",
        keys: 10_000,
        updates: 105.0,
        lookups: 533.0,
    },
    BandwidthRow {
        repository: "cache-everywhere",
        keys: 100_000,
        updates: 106.0,
        lookups: 12907.0,
    },
    BandwidthRow {
        repository: "cache-median",
        keys: 100_000,
        updates: 106.0,
        lookups: 297.0,
    },
];

/// Insertions per second of the author, 100 000 keys: 730 to 770 (section 6.1).
pub const INSERTIONS_PER_SECOND: (f64, f64) = (730.0, 770.0);

/// Verifications per second of a client, 100 000 keys: 570 to 600 (section 6.1).
pub const VERIFICATIONS_PER_SECOND: (f64, f64) = (570.0, 600.0);

/// An update's bytes (section 6.1).
pub const UPDATE_BYTES: f64 = 150.0;

/// Dollars per hour of computing (section 5.3).
pub const DOLLARS_PER_HOUR: f64 = 0.085;

/// Dollars per gigabyte sent (section 5.3).
pub const DOLLARS_PER_GIGABYTE: f64 = 0.13;

/// Where computing and sending cost the same, in kilobytes per second (section 5.3).
pub const EQUILIBRIUM_KILOBYTES_PER_SECOND: f64 = 190.0;

/// A row of tables 7, 8 and 9: 10 000 keys, but 3 851 of `base-superseding`.
#[derive(Clone, Copy, Debug)]
pub struct TupleRow {
    /// The design, as we call it.
    pub design: &'static str,
    /// Table 7.
    pub inserts_per_second: f64,
    /// Table 7.
    pub author_cryptography_share: f64,
    /// Table 7.
    pub update_kilobytes: f64,
    /// Table 7.
    pub proof_kilobytes: f64,
    /// Table 8.
    pub updates_per_second: f64,
    /// Table 8.
    pub lookups_per_second: f64,
    /// Table 8.
    pub verifications_per_second: f64,
    /// Table 8.
    pub verify_cryptography_share: f64,
    /// Table 9.
    pub update_kilobytes_per_second: f64,
    /// Table 9.
    pub lookup_kilobytes_per_second: f64,
}

/// The number of keys of tables 7, 8 and 9.
pub const TUPLE_KEYS: u64 = 10_000;

/// The row of a design in tables 7, 8 and 9.
pub fn tuple(design: &str) -> Option<&'static TupleRow> {
    TUPLES.iter().find(|row| row.design == design)
}

const TUPLES: [TupleRow; 7] = [
    TupleRow {
        design: "base-superseding",
        inserts_per_second: 0.35,
        author_cryptography_share: 0.88,
        update_kilobytes: 114.46,
        proof_kilobytes: 0.15,
        updates_per_second: 4.2,
        lookups_per_second: 5619.0,
        verifications_per_second: 653.0,
        verify_cryptography_share: 0.91,
        update_kilobytes_per_second: 37.0,
        lookup_kilobytes_per_second: 843.0,
    },
    TupleRow {
        design: "base-lightweight",
        inserts_per_second: 2.67,
        author_cryptography_share: 0.13,
        update_kilobytes: 156.72,
        proof_kilobytes: 0.21,
        updates_per_second: 2.4,
        lookups_per_second: 4781.0,
        verifications_per_second: 594.0,
        verify_cryptography_share: 0.91,
        update_kilobytes_per_second: 201.0,
        lookup_kilobytes_per_second: 1004.0,
    },
    TupleRow {
        design: "spec-superseding",
        inserts_per_second: 6.6,
        author_cryptography_share: 0.85,
        update_kilobytes: 6.44,
        proof_kilobytes: 0.3,
        updates_per_second: 64.8,
        lookups_per_second: 2896.0,
        verifications_per_second: 323.0,
        verify_cryptography_share: 0.91,
        update_kilobytes_per_second: 39.0,
        lookup_kilobytes_per_second: 869.0,
    },
    TupleRow {
        design: "spec-lightweight",
        inserts_per_second: 63.0,
        author_cryptography_share: 0.52,
        update_kilobytes: 3.76,
        proof_kilobytes: 0.42,
        updates_per_second: 104.4,
        lookups_per_second: 2497.0,
        verifications_per_second: 314.0,
        verify_cryptography_share: 0.9,
        update_kilobytes_per_second: 149.0,
        lookup_kilobytes_per_second: 1046.0,
    },
    TupleRow {
        design: "chain-accumulators-rsa",
        inserts_per_second: 62.5,
        author_cryptography_share: 0.79,
        update_kilobytes: 0.14,
        proof_kilobytes: 1.23,
        updates_per_second: 0.9,
        lookups_per_second: 2419.0,
        verifications_per_second: 290.0,
        verify_cryptography_share: 0.89,
        update_kilobytes_per_second: 0.124,
        lookup_kilobytes_per_second: 2975.0,
    },
    TupleRow {
        design: "accumulators-rsa",
        inserts_per_second: 64.7,
        author_cryptography_share: 0.81,
        update_kilobytes: 0.14,
        proof_kilobytes: 1.3,
        updates_per_second: 0.93,
        lookups_per_second: 1991.0,
        verifications_per_second: 205.0,
        verify_cryptography_share: 0.91,
        update_kilobytes_per_second: 0.128,
        lookup_kilobytes_per_second: 2975.0,
    },
    TupleRow {
        design: "red-black",
        inserts_per_second: 753.0,
        author_cryptography_share: 0.91,
        update_kilobytes: 0.15,
        proof_kilobytes: 1.2,
        updates_per_second: 9009.0,
        lookups_per_second: 10221.0,
        verifications_per_second: 628.0,
        verify_cryptography_share: 0.88,
        update_kilobytes_per_second: 104.0,
        lookup_kilobytes_per_second: 12265.0,
    },
];
