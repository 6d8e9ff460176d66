//! The paper's figures, to show next to ours.
//!
//! C++ with cashlib on a Xeon E5-2640 of 2.5 GHz (table 2: Core 2 of 2.4 GHz), RSA of 1024 bits and
//! SHA-1. Includes reading blocks from a disk. README.md lists what cannot be compared.
//!
//! Source: Esiner, Küpçü and Özkasap, sections 3.1 and 4.

use super::blocks::Order;

/// The blocks of the paper's file of 1 GB.
pub const BLOCKS: u64 = 500_000;

/// Milliseconds of a build.
///
/// Half a minute for 500 000 blocks on one core (section 3.1); 240 s for 4 million, and 30 s on 12
/// cores (section 4.1).
pub fn build_ms(blocks: u64, threads: usize) -> Option<f64> {
    match (blocks, threads) {
        (BLOCKS, 1) | (4_000_000, 12) => Some(30e3),
        (4_000_000, 1) => Some(240e3),
        _ => None,
    }
}

/// Speed-up by several cores for 500 000 blocks and more (section 4.1, figure 7).
pub fn speed_up(blocks: u64, threads: usize) -> Option<f64> {
    match threads {
        8 if blocks >= BLOCKS => Some(6.0),
        12 if blocks >= BLOCKS => Some(7.7),
        _ => None,
    }
}

/// Hashes as a share of an update, 2 million blocks (section 4.2, figure 8).
pub fn hash_share(blocks: u64) -> Option<f64> {
    (blocks == 2_000_000).then_some(0.9)
}

/// The server's milliseconds at once and one by one (section 4.2, figure 9).
pub fn server_ms(updates: u64, order: Order) -> Option<(f64, f64)> {
    (updates == 300 && order == Order::Consecutive).then_some((13.0, 53.0))
}

/// Client's milliseconds at once and one by one (section 4.3, figure 10); at once: less than that.
pub fn client_ms(updates: u64, order: Order) -> Option<(f64, f64)> {
    (updates == 300 && order == Order::Consecutive).then_some((5.0, 45.0))
}

/// A row of table 2: the server's milliseconds for a batch and its proof, and that proof's
/// kilobytes.
pub fn table_2(updates: u64, order: Order) -> Option<(f64, f64)> {
    match (updates, order) {
        (100, Order::Random) => Some((30.0, 70.0)),
        (10, Order::Random) => Some((10.0, 11.0)),
        (100, Order::Consecutive) => Some((7.0, 17.0)),
        (10, Order::Consecutive) => Some((6.0, 4.0)),
        _ => None,
    }
}

/// An audit (section 4.4).
pub const AUDIT: &str = "Paper, 460 challenges of 500000 blocks, RSA of 1024 bits and SHA-1: list \
    215 KB, tags 58 KB, sum 2 KB, proving 40 ms.";

/// The most clients of figures 11 to 13.
pub const CLIENTS: usize = 50;

/// Requests per second of a loaded server with files of 500 000 blocks and 48 Mbit/s towards its
/// clients.
///
/// Of updates the paper names one figure for either order (section 4.4, figures 11 and 12).
pub fn per_second(request: &str, clients: usize) -> Option<f64> {
    let figure = if request == "audit" {
        21.0
    } else if request.starts_with("update of 100 ") {
        8.0
    } else {
        45.0
    };
    (clients == CLIENTS).then_some(figure)
}

/// Share of changes in the same folder as the others, of 627 commits to a repository of 350 MB. The
/// paper: more than that (section 4.4).
pub const IN_ONE_FOLDER: f64 = 0.99;

/// Commits that change consecutive blocks of a single file (section 4.4).
pub const IN_ONE_RUN: f64 = 0.27;

/// Blocks that a commit changes, mean (section 4.4); Erway et al. found 13 in three other
/// repositories.
pub const BLOCKS_PER_COMMIT: f64 = 57.7;

/// Bytes that a commit sends, mean (section 4.4).
pub const SENT_BYTES_PER_COMMIT: f64 = 77_000.0;

/// Commits that send more than 200 KB, and those that send less than 20 (section 4.4).
pub const ABOVE_200_KILOBYTES: f64 = 0.027;

/// See [`ABOVE_200_KILOBYTES`].
pub const BELOW_20_KILOBYTES: f64 = 0.85;
