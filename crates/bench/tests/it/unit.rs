//! Tests of single modules of the library.

#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a test: none is negative or reaches 2^53"
)]

mod accumulators;
mod advice;
mod batch;
mod columns;
mod compare;
mod conclusion;
mod conclusions;
mod contenders;
mod contents;
mod counting;
mod cryptography;
mod directory;
mod figures;
mod flexlist;
mod goals;
mod line;
mod machine;
mod page;
mod paper;
mod paper_layout;
mod peers;
mod peers_table;
mod processors;
mod readme;
mod tables;
mod trace;
mod trial;
mod tuple;
mod uplink;
