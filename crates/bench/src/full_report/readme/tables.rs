//! Declarations of the tables with measurements in documents.

use super::{
    Row::{Cells, Keys, Lines},
    Table,
    Unit::{Bytes, Milliseconds, Seconds, Time},
};
use crate::line::Selection;

/// Selects red-black trees that grew to 10 000 keys, one key per version.
const GROWN: Selection = &[
    ("experiment", "growing"),
    ("keys", "10000"),
    ("scheme", "red-black"),
    ("suite", "sha256-ed25519"),
];
const COPIED: &str = "path-copying";
const REPOSITORIES: &[&str] = &[COPIED, "cache-everywhere", "cache-median", "cache-nowhere"];

/// Measured numbers of keys in stores on disk, as text.
const SIZES: &[&str] = &["10000", "1000000", "10000000"];

/// Trees on disk that are compared: ours, and a third-party one.
const STORED_PEERS: &[&str] = &["stored", "jmt on redb"];

/// Selects tuple dictionaries of 10 000 keys in a steady state, where updates replace keys.
const STEADY: Selection = &[("experiment", "tuple_steady"), ("keys", "10000")];
pub(super) const DESIGNS: &[&str] = &[
    "base-superseding",
    "base-lightweight",
    "spec-superseding",
    "spec-lightweight",
    "spec-lightweight-3",
];

/// Selects builds of a list for the 1 GB file of the FlexDPDP paper.
macro_rules! build {
    ($tags:literal, $threads:literal) => {
        &[
            ("experiment", "flexlist_build"),
            ("blocks", "500000"),
            ("tags", $tags),
            ("threads", $threads),
        ]
    };
}

/// Selects 300 consecutive updates of the same file.
const BATCH: Selection = &[
    ("experiment", "flexlist_multi"),
    ("blocks", "500000"),
    ("order", "consecutive"),
    ("updates", "300"),
];

/// Selects an audit of the same file, with private tags.
const AUDIT: Selection = &[
    ("experiment", "flexlist_audit"),
    ("blocks", "500000"),
    ("tags", "private-mac"),
];

/// Selects an operation of one accumulator.
macro_rules! accumulator {
    ($accumulator:literal, $operation:literal, $n:literal) => {
        &[
            ("accumulator", $accumulator),
            ("operation", $operation),
            ("n", $n),
        ]
    };
}

/// Row with an operation of both accumulators, each next to its primitive.
macro_rules! accumulators {
    ($operation:literal, $n:literal) => {
        Cells(&[
            (
                accumulator!("rsa-3072", $operation, $n),
                "per_element_us",
                Time,
            ),
            (
                accumulator!("rsa-3072", $operation, $n),
                "primitive_us",
                Time,
            ),
            (
                accumulator!("bilinear-bls12-381", $operation, $n),
                "per_element_us",
                Time,
            ),
            (
                accumulator!("bilinear-bls12-381", $operation, $n),
                "primitive_us",
                Time,
            ),
        ])
    };
}

/// Selects appends of all 128 entries of a log in one batch.
macro_rules! append {
    ($scheme:literal) => {
        &[
            ("experiment", "aad_append"),
            ("scheme", $scheme),
            ("n", "128"),
            ("batch", "128"),
        ]
    };
}

/// Selects look-ups of a key with this number of values in a log of 128 entries.
macro_rules! lookup {
    ($scheme:literal, $values:literal) => {
        &[
            ("experiment", "aad_lookup"),
            ("scheme", $scheme),
            ("n", "128"),
            ("values", $values),
            ("schedule", "eager"),
        ]
    };
}

/// Row with a time of look-ups in both logs, each next to its limit.
macro_rules! lookups {
    ($values:literal, $time:literal, $limit:literal) => {
        Cells(&[
            (lookup!("aad-counted", $values), $time, Time),
            (lookup!("aad-counted", $values), $limit, Time),
            (lookup!("aad-frontier", $values), $time, Time),
            (lookup!("aad-frontier", $values), $limit, Time),
        ])
    };
}

/// Row with the bytes of a look-up's proof in both logs.
macro_rules! lookup_bytes {
    ($values:literal) => {
        Cells(&[
            (lookup!("aad-counted", $values), "proof_bytes", Bytes),
            (&[], "", Bytes),
            (lookup!("aad-frontier", $values), "proof_bytes", Bytes),
        ])
    };
}

/// Row with a time of directories of both sizes, each next to its limit.
macro_rules! directory {
    ($experiment:literal, $time:literal, $limit:literal) => {
        Cells(&[
            (
                &[("experiment", $experiment), ("entries", "1000000")],
                $time,
                Time,
            ),
            (
                &[("experiment", $experiment), ("entries", "1000000")],
                $limit,
                Time,
            ),
            (
                &[("experiment", $experiment), ("entries", "10000000")],
                $time,
                Time,
            ),
            (
                &[("experiment", $experiment), ("entries", "10000000")],
                $limit,
                Time,
            ),
        ])
    };
}

/// Row with the costs of a dictionary, ours or a third party's.
macro_rules! peer {
    ($peer:literal, without absence) => {
        Cells(&[
            (
                &[("peer", $peer), ("operation", "snapshot"), ("changes", "1")],
                "us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "prove_present")],
                "median_us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "verify_present")],
                "median_us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "prove_present")],
                "bytes",
                Bytes,
            ),
        ])
    };
    ($peer:literal) => {
        Cells(&[
            (
                &[("peer", $peer), ("operation", "snapshot"), ("changes", "1")],
                "us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "prove_present")],
                "median_us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "verify_present")],
                "median_us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "prove_present")],
                "bytes",
                Bytes,
            ),
            (
                &[("peer", $peer), ("operation", "prove_absent")],
                "median_us",
                Time,
            ),
            (
                &[("peer", $peer), ("operation", "prove_absent")],
                "bytes",
                Bytes,
            ),
        ])
    };
}

#[rustfmt::skip]
pub(super) const TABLES: [Table; 10] = [
    Table {
        name: "trees",
        of: GROWN,
        and: "repository",
        titles: &["", "path copying", "cache everywhere", "cache median", "cache nowhere"],
        rows: &[
            ("proof of an old version, one by one",
                Lines(REPOSITORIES, "prove_us_random_version", Time)),
            ("the same through `prove_many`", Lines(REPOSITORIES, "prove_many_us_random_version",
                Time)),
            ("memory for each version, key, value and signature included",
                Lines(REPOSITORIES, "counted_bytes_per_version", Bytes)),
        ],
    },
    Table {
        name: "roles",
        of: GROWN,
        and: "repository",
        titles: &["the same for all four", "measured",
            "its limit: the bare hashes and signatures in the same run"],
        rows: &[
            ("author: insert, snapshot, sign",
                Keys(COPIED, &["insert_snapshot_us", "author_limit_us"], Time)),
            ("server: apply an update", Keys(COPIED, &["apply_us", "apply_limit_us"], Time)),
            ("client: verify a proof under a known head",
                Keys(COPIED, &["verify_with_known_head_us", "verify_limit_us"], Time)),
            ("proof of a present key, without the head", Keys(COPIED, &["proof_bytes"], Bytes)),
            ("proof of an absent key, without the head",
                Keys(COPIED, &["absent_proof_bytes"], Bytes)),
            ("head as sent (root, history, signature)", Keys(COPIED, &["head_bytes"], Bytes)),
        ],
    },
    Table {
        name: "stored",
        of: &[("experiment", "stored_files"), ("repository", "stored")],
        and: "keys",
        titles: &["", "10 000 keys", "1 000 000 keys", "10 000 000 keys"],
        rows: &[
            ("open the store, look one key up, and verify the answer",
                Lines(SIZES, "open_and_look_up_us", Time)),
            ("open it as its author, and commit one change",
                Lines(SIZES, "open_and_commit_us", Time)),
            ("six synchronisations, which such a commit waits for", Lines(SIZES, "sync_us", Time)),
            ("an answer of a server that stays open, 64 MiB of nodes in memory",
                Lines(SIZES, "prove_us", Time)),
            ("the same with `--cache all`: the latest version in memory",
                Lines(SIZES, "prove_warmed_us", Time)),
            ("most memory of the process that looks one key up",
                Lines(SIZES, "look_up_resident_bytes", Bytes)),
            ("on disk for each key of 16 bytes with a value of 32",
                Lines(SIZES, "file_bytes_per_key", Bytes)),
            ("on disk for each version with one change",
                Lines(SIZES, "file_bytes_per_snapshot", Bytes)),
        ],
    },
    Table {
        name: "stored-beside",
        of: &[("experiment", "stored_files"), ("keys", "1000000")],
        and: "repository",
        titles: &["1 000 000 keys", "stored", "`jmt` on redb"],
        rows: &[
            ("load", Lines(STORED_PEERS, "load_seconds", Seconds)),
            ("open and look one key up", Lines(STORED_PEERS, "open_and_look_up_us", Time)),
            ("most memory of the process that does so",
                Lines(STORED_PEERS, "look_up_resident_bytes", Bytes)),
            ("open and commit one change", Lines(STORED_PEERS, "open_and_commit_us", Time)),
            ("an answer, opened already", Lines(STORED_PEERS, "prove_us", Time)),
            ("on disk for each key", Lines(STORED_PEERS, "file_bytes_per_key", Bytes)),
        ],
    },
    Table {
        name: "tuples",
        of: STEADY,
        and: "design",
        titles: &["", "base, superseding", "base, lightweight", "spec, superseding",
            "spec, lightweight", "the same, 3 generations"],
        rows: &[
            ("author, each snapshot", Lines(DESIGNS, "author_us", Time)),
            ("update as sent", Lines(DESIGNS, "update_bytes", Bytes)),
            ("server, apply", Lines(DESIGNS, "apply_us", Time)),
            ("server, stored for each update", Lines(DESIGNS, "memory_bytes_per_update", Bytes)),
            ("server, prove", Lines(DESIGNS, "prove_us", Time)),
            ("proof", Lines(DESIGNS, "proof_bytes", Bytes)),
        ],
    },
    Table {
        name: "files",
        of: &[],
        and: "",
        titles: &["", "here", "its limit"],
        rows: &[
            ("build the list", Cells(&[
                (build!("none", "1"), "total_ms", Milliseconds),
                (build!("none", "1"), "bare_hashes_ms", Milliseconds)])),
            ("the same on two cores", Cells(&[
                (build!("none", "2"), "total_ms", Milliseconds),
                (build!("none", "2"), "bare_hashes_ms", Milliseconds)])),
            ("build the list with private tags", Cells(&[
                (build!("private-mac", "1"), "total_ms", Milliseconds)])),
            ("the same on two cores", Cells(&[
                (build!("private-mac", "2"), "total_ms", Milliseconds)])),
            ("300 consecutive updates in one batch, server", Cells(&[
                (BATCH, "server.batch_us", Time), (BATCH, "server.limit_us", Time)])),
            ("the same one by one, server", Cells(&[(BATCH, "server.singles_us", Time)])),
            ("300 consecutive updates in one batch, client", Cells(&[
                (BATCH, "client.batch_us", Time), (BATCH, "client.limit_us", Time)])),
            ("the same one by one, client", Cells(&[(BATCH, "client.singles_us", Time)])),
            ("witness of the batch", Cells(&[(BATCH, "witness_bytes", Bytes)])),
            ("prove the list's part of 460 challenges", Cells(&[(AUDIT, "prove_list_us", Time)])),
            ("prove their tags", Cells(&[(AUDIT, "prove_tags_us", Time)])),
            ("verify the list's part of the proof", Cells(&[
                (AUDIT, "verify_list_us", Time), (AUDIT, "verify_list_limit_us", Time)])),
            ("verify its tags", Cells(&[(AUDIT, "verify_tags_us", Time)])),
            ("proof of 460 challenges", Cells(&[(AUDIT, "total_bytes", Bytes)])),
        ],
    },
    Table {
        name: "accumulators",
        of: &[("experiment", "accumulators"), ("threads", "1")],
        and: "",
        titles: &["each element", "RSA", "its limit", "bilinear", "its limit"],
        rows: &[
            ("prime representative; scalar", accumulators!("representatives", "10000")),
            ("accumulate, secret key", accumulators!("accumulate_secret_each", "10000")),
            ("accumulate, public key", accumulators!("accumulate_public", "10000")),
            ("all witnesses, secret key", accumulators!("witnesses_secret", "10000")),
            ("all witnesses of 1000, public key", Cells(&[
                (accumulator!("rsa-3072", "witnesses_public", "1000"), "per_element_us", Time),
                (&[], "", Time),
                (accumulator!("bilinear-bls12-381", "witnesses_public", "1000"), "per_element_us",
                    Time)])),
            ("verify", accumulators!("verify", "1")),
            ("verify a batch of 1000", Cells(&[
                (accumulator!("rsa-3072", "verify_batch", "1000"), "per_element_us", Time),
                (&[], "", Time),
                (accumulator!("bilinear-bls12-381", "verify_batch", "1000"), "per_element_us",
                    Time)])),
        ],
    },
    Table {
        name: "logs",
        of: &[],
        and: "",
        titles: &["", "`aad-counted`", "its limit", "`aad-frontier`", "its limit"],
        rows: &[
            ("append in one batch, each", Cells(&[
                (append!("aad-counted"), "append_us", Time),
                (append!("aad-counted"), "append_limit_us", Time),
                (append!("aad-frontier"), "append_us", Time),
                (append!("aad-frontier"), "append_limit_us", Time)])),
            ("look-up of a key without values: server", lookups!("0", "prove_us", "prove_limit_us")),
            ("the same look-up: client", lookups!("0", "verify_us", "verify_limit_us")),
            ("the same look-up: proof", lookup_bytes!("0")),
            ("look-up of a key with one value: client",
                lookups!("1", "verify_us", "verify_limit_us")),
            ("the same look-up: proof", lookup_bytes!("1")),
        ],
    },
    Table {
        name: "directories",
        of: &[],
        and: "",
        titles: &["entries", "1 000 000", "its limit", "10 000 000", "its limit"],
        rows: &[
            ("one update of a random entry", directory!("directory_update", "update_us", "update_limit_us")),
            ("the same among 128 entries", directory!("directory_update_hot", "update_us", "update_limit_us")),
            ("10 000 updates in a version, each", directory!("directory_batch", "update_us", "update_limit_us")),
            ("prove one entry", directory!("directory_prove", "prove_us", "prove_limit_us")),
            ("verify this proof", directory!("directory_prove", "verify_us", "verify_limit_us")),
        ],
    },
    Table {
        name: "peers",
        of: &[("experiment", "peers"), ("keys", "100000")],
        and: "",
        titles: &["100 000 keys", "commit one change", "prove", "verify", "proof",
            "prove absence", "proof of absence"],
        rows: &[
            ("`red-black path copying` (ours)", peer!("red-black path copying")),
            ("`treap path copying` (ours)", peer!("treap path copying")),
            ("`jmt`", peer!("jmt")),
            ("`eth_trie`", peer!("eth_trie")),
            ("`nomt`", peer!("nomt")),
            ("`monotree`", peer!("monotree", without absence)),
            ("`akd`", peer!("akd", without absence)),
            ("`bilinear accumulator` (ours)", peer!("bilinear accumulator")),
            ("`vb_accumulator`", peer!("vb_accumulator")),
        ],
    },
];
