//! Declarations of the tables with measurements in documents.

use super::{
    Cell,
    Row::{Cells, Keys, Lines},
    Table, Unit,
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

/// Figures of two kinds of lines, each time next to its limit.
const fn pair([one, other]: [Selection; 2], time: &'static str, limit: &'static str) -> [Cell; 4] {
    [
        (one, time, Time),
        (one, limit, Time),
        (other, time, Time),
        (other, limit, Time),
    ]
}

/// Figures of two kinds of lines without limits. The column of the first limit stays empty.
const fn alone([one, other]: [Selection; 2], key: &'static str, unit: Unit) -> [Cell; 3] {
    [(one, key, unit), (&[], "", unit), (other, key, unit)]
}

const RSA_AND_BILINEAR: [Selection; 2] = [
    &[("accumulator", "rsa-3072")],
    &[("accumulator", "bilinear-bls12-381")],
];
const WITH_PRIMITIVE: &[Cell] = &pair(RSA_AND_BILINEAR, "per_element_us", "primitive_us");
const WITHOUT_PRIMITIVE: &[Cell] = &alone(RSA_AND_BILINEAR, "per_element_us", Time);

const LOGS: [Selection; 2] = [&[("scheme", "aad-counted")], &[("scheme", "aad-frontier")]];
const APPENDED: &[Cell] = &pair(LOGS, "append_us", "append_limit_us");
const PROVED: &[Cell] = &pair(LOGS, "prove_us", "prove_limit_us");
const VERIFIED: &[Cell] = &pair(LOGS, "verify_us", "verify_limit_us");
const PROOF: &[Cell] = &alone(LOGS, "proof_bytes", Bytes);
const NO_VALUE: Selection = &[
    ("experiment", "aad_lookup"),
    ("values", "0"),
    ("schedule", "eager"),
];
const ONE_VALUE: Selection = &[
    ("experiment", "aad_lookup"),
    ("values", "1"),
    ("schedule", "eager"),
];

const DIRECTORIES: [Selection; 2] = [&[("entries", "1000000")], &[("entries", "10000000")]];
const UPDATED: &[Cell] = &pair(DIRECTORIES, "update_us", "update_limit_us");

const BATCH: Selection = &[
    ("experiment", "flexlist_multi"),
    ("order", "consecutive"),
    ("updates", "300"),
];
const AUDIT: Selection = &[("experiment", "flexlist_audit"), ("tags", "private-mac")];

/// Costs of a dictionary, ours or a third party's. The last two are about an absent key.
const PEER: &[Cell] = &[
    (&[("operation", "snapshot"), ("changes", "1")], "us", Time),
    (&[("operation", "prove_present")], "median_us", Time),
    (&[("operation", "verify_present")], "median_us", Time),
    (&[("operation", "prove_present")], "bytes", Bytes),
    (&[("operation", "prove_absent")], "median_us", Time),
    (&[("operation", "prove_absent")], "bytes", Bytes),
];
/// Costs as in [`PEER`], without those of an absent key.
const PEER_PRESENT: &[Cell] = PEER.split_at(4).0;

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
            ("peak memory of that process",
                Lines(STORED_PEERS, "look_up_resident_bytes", Bytes)),
            ("open and commit one change", Lines(STORED_PEERS, "open_and_commit_us", Time)),
            ("look one key up in an open store", Lines(STORED_PEERS, "prove_us", Time)),
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
        of: &[("blocks", "500000")],
        and: "",
        titles: &["", "here", "its limit"],
        rows: &[
            ("build the list", Cells(
                &[("experiment", "flexlist_build"), ("tags", "none"), ("threads", "1")],
                &[(&[], "total_ms", Milliseconds), (&[], "bare_hashes_ms", Milliseconds)])),
            ("the same on two cores", Cells(
                &[("experiment", "flexlist_build"), ("tags", "none"), ("threads", "2")],
                &[(&[], "total_ms", Milliseconds), (&[], "bare_hashes_ms", Milliseconds)])),
            ("build the list with private tags", Cells(
                &[("experiment", "flexlist_build"), ("tags", "private-mac"), ("threads", "1")],
                &[(&[], "total_ms", Milliseconds)])),
            ("the same on two cores", Cells(
                &[("experiment", "flexlist_build"), ("tags", "private-mac"), ("threads", "2")],
                &[(&[], "total_ms", Milliseconds)])),
            ("300 consecutive updates in one batch, server", Cells(BATCH,
                &[(&[], "server.batch_us", Time), (&[], "server.limit_us", Time)])),
            ("the same one by one, server", Cells(BATCH, &[(&[], "server.singles_us", Time)])),
            ("300 consecutive updates in one batch, client", Cells(BATCH,
                &[(&[], "client.batch_us", Time), (&[], "client.limit_us", Time)])),
            ("the same one by one, client", Cells(BATCH, &[(&[], "client.singles_us", Time)])),
            ("witness of the batch", Cells(BATCH, &[(&[], "witness_bytes", Bytes)])),
            ("prove the list's part of 460 challenges",
                Cells(AUDIT, &[(&[], "prove_list_us", Time)])),
            ("prove their tags", Cells(AUDIT, &[(&[], "prove_tags_us", Time)])),
            ("verify the list's part of the proof", Cells(AUDIT,
                &[(&[], "verify_list_us", Time), (&[], "verify_list_limit_us", Time)])),
            ("verify its tags", Cells(AUDIT, &[(&[], "verify_tags_us", Time)])),
            ("proof of 460 challenges", Cells(AUDIT, &[(&[], "total_bytes", Bytes)])),
        ],
    },
    Table {
        name: "accumulators",
        of: &[("experiment", "accumulators"), ("threads", "1")],
        and: "",
        titles: &["each element", "RSA", "its limit", "bilinear", "its limit"],
        rows: &[
            ("prime representative; scalar",
                Cells(&[("operation", "representatives"), ("n", "10000")], WITH_PRIMITIVE)),
            ("accumulate, secret key",
                Cells(&[("operation", "accumulate_secret_each"), ("n", "10000")], WITH_PRIMITIVE)),
            ("accumulate, public key",
                Cells(&[("operation", "accumulate_public"), ("n", "10000")], WITH_PRIMITIVE)),
            ("all witnesses, secret key",
                Cells(&[("operation", "witnesses_secret"), ("n", "10000")], WITH_PRIMITIVE)),
            ("all witnesses of 1000, public key",
                Cells(&[("operation", "witnesses_public"), ("n", "1000")], WITHOUT_PRIMITIVE)),
            ("verify", Cells(&[("operation", "verify"), ("n", "1")], WITH_PRIMITIVE)),
            ("verify a batch of 1000",
                Cells(&[("operation", "verify_batch"), ("n", "1000")], WITHOUT_PRIMITIVE)),
        ],
    },
    Table {
        name: "logs",
        of: &[("n", "128")],
        and: "",
        titles: &["", "`aad-counted`", "its limit", "`aad-frontier`", "its limit"],
        rows: &[
            ("append in one batch, each",
                Cells(&[("experiment", "aad_append"), ("batch", "128")], APPENDED)),
            ("look-up of a key without values: server", Cells(NO_VALUE, PROVED)),
            ("the same look-up: client", Cells(NO_VALUE, VERIFIED)),
            ("the same look-up: proof", Cells(NO_VALUE, PROOF)),
            ("look-up of a key with one value: client", Cells(ONE_VALUE, VERIFIED)),
            ("the same look-up: proof", Cells(ONE_VALUE, PROOF)),
        ],
    },
    Table {
        name: "directories",
        of: &[],
        and: "",
        titles: &["entries", "1 000 000", "its limit", "10 000 000", "its limit"],
        rows: &[
            ("one update of a random entry",
                Cells(&[("experiment", "directory_update")], UPDATED)),
            ("the same among 128 entries",
                Cells(&[("experiment", "directory_update_hot")], UPDATED)),
            ("10 000 updates in a version, each",
                Cells(&[("experiment", "directory_batch")], UPDATED)),
            ("prove one entry", Cells(&[("experiment", "directory_prove")],
                &pair(DIRECTORIES, "prove_us", "prove_limit_us"))),
            ("verify this proof", Cells(&[("experiment", "directory_prove")],
                &pair(DIRECTORIES, "verify_us", "verify_limit_us"))),
        ],
    },
    Table {
        name: "peers",
        of: &[("experiment", "peers"), ("keys", "100000")],
        and: "",
        titles: &["100 000 keys", "commit one change", "prove", "verify", "proof",
            "prove absence", "proof of absence"],
        rows: &[
            ("`red-black path copying` (ours)",
                Cells(&[("peer", "red-black path copying")], PEER)),
            ("`treap path copying` (ours)", Cells(&[("peer", "treap path copying")], PEER)),
            ("`jmt`", Cells(&[("peer", "jmt")], PEER)),
            ("`eth_trie`", Cells(&[("peer", "eth_trie")], PEER)),
            ("`nomt`", Cells(&[("peer", "nomt")], PEER)),
            ("`monotree`", Cells(&[("peer", "monotree")], PEER_PRESENT)),
            ("`akd`", Cells(&[("peer", "akd")], PEER_PRESENT)),
            ("`bilinear accumulator` (ours)", Cells(&[("peer", "bilinear accumulator")], PEER)),
            ("`vb_accumulator`", Cells(&[("peer", "vb_accumulator")], PEER)),
        ],
    },
];
