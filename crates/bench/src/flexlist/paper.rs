//! Published figures of `FlexList` and `FlexDPDP`, shown next to the measured ones.
//!
//! The paper measured with C++ and cashlib, RSA of 1024 bits and SHA-1, on a Xeon E5-2640 of 2.5
//! GHz (table 2: Core 2 of 2.4 GHz). Its figures include reading blocks from a disk.
//! `docs/measuring.md` lists what cannot be compared.
//!
//! Source: Esiner, Küpçü and Özkasap, sections 3.1 and 4.

use super::blocks::Order;

/// Number of blocks of the paper's file of 1 GB.
pub const BLOCKS: u64 = 500_000;

/// Returns the paper's milliseconds to build a list; `None` if the paper does not state them.
///
/// The paper states half a minute for 500 000 blocks on one core (section 3.1), and for 4 million
/// blocks 240 s on one core and 30 s on 12 cores (section 4.1).
pub fn build_ms(blocks: u64, threads: usize) -> Option<f64> {
    match (blocks, threads) {
        (BLOCKS, 1) | (4_000_000, 12) => Some(30e3),
        (4_000_000, 1) => Some(240e3),
        _ => None,
    }
}

/// Returns the paper's speed-up of a build by several cores, for 500 000 blocks and more (section
/// 4.1, figure 7).
pub fn speed_up(blocks: u64, threads: usize) -> Option<f64> {
    match threads {
        8 if blocks >= BLOCKS => Some(6.0),
        12 if blocks >= BLOCKS => Some(7.7),
        _ => None,
    }
}

/// Returns the paper's share of hashing in the time of an update, for 2 million blocks (section
/// 4.2, figure 8).
pub fn hash_share(blocks: u64) -> Option<f64> {
    (blocks == 2_000_000).then_some(0.9)
}

/// Returns the paper's milliseconds of a server: for a batch of updates, and for the same updates
/// one by one (section 4.2, figure 9).
pub fn server_ms(updates: u64, order: Order) -> Option<(f64, f64)> {
    (updates == 300 && order == Order::Consecutive).then_some((13.0, 53.0))
}

/// Returns the paper's milliseconds of a client: for a batch of updates, and for the same updates
/// one by one (section 4.3, figure 10). The figure for a batch is an upper bound.
pub fn client_ms(updates: u64, order: Order) -> Option<(f64, f64)> {
    (updates == 300 && order == Order::Consecutive).then_some((5.0, 45.0))
}

/// Returns a row of the paper's table 2: the server's milliseconds for a batch and its proof, and
/// the kilobytes of the proof.
pub fn table_2(updates: u64, order: Order) -> Option<(f64, f64)> {
    match (updates, order) {
        (100, Order::Random) => Some((30.0, 70.0)),
        (10, Order::Random) => Some((10.0, 11.0)),
        (100, Order::Consecutive) => Some((7.0, 17.0)),
        (10, Order::Consecutive) => Some((6.0, 4.0)),
        _ => None,
    }
}

/// Note with the paper's figures of an audit (section 4.4).
pub const AUDIT: &str = "Paper, 460 challenges of 500000 blocks, RSA of 1024 bits and SHA-1: list \
    215 KB, tags 58 KB, sum 2 KB, proving 40 ms.";

/// Largest number of clients in the paper's figures 11 to 13.
pub const CLIENTS: usize = 50;

/// Returns the paper's requests per second of a loaded server with files of 500 000 blocks and 48
/// Mbit/s towards its clients.
///
/// For updates the paper states one figure for consecutive and random blocks (section 4.4, figures
/// 11 and 12).
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

/// Lower bound of the share of changed files that are in their commit's main folder. The paper
/// counted 627 commits to a repository of 350 MB (section 4.4).
pub const IN_ONE_FOLDER: f64 = 0.99;

/// Share of commits that change consecutive blocks of a single file (section 4.4).
pub const IN_ONE_RUN: f64 = 0.27;

/// Mean number of blocks that a commit changes (section 4.4). Erway et al. found 13 in three other
/// repositories.
pub const BLOCKS_PER_COMMIT: f64 = 57.7;

/// Mean number of bytes that a commit sends (section 4.4).
pub const SENT_BYTES_PER_COMMIT: f64 = 77_000.0;

/// Share of commits that send more than 200 KB (section 4.4).
pub const ABOVE_200_KILOBYTES: f64 = 0.027;

/// Share of commits that send less than 20 KB (section 4.4).
pub const BELOW_20_KILOBYTES: f64 = 0.85;
