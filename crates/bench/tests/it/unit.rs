//! Tests of single modules of the library.

#![allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a test: none is negative or reaches 2^53"
)]

mod advice;
mod batch;
mod columns;
mod compare;
mod conclusion;
mod conclusions;
mod contender;
mod contenders;
mod contents;
mod counted;
mod counting;
mod cryptography;
mod figures;
mod goals;
mod instrument;
mod line;
mod locality;
mod lru;
mod machine;
mod macrobenchmark;
mod merkle;
mod page;
mod paper;
mod paper_layout;
mod peers;
mod peers_table;
mod processors;
mod readme;
mod relay;
mod shape;
mod slopes;
mod steady;
mod tables;
mod trace;
mod trial;
