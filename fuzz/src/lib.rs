//! Functions of the fuzz targets, so that tests can call them too.

pub mod aad;
pub mod accumulators;
pub mod decode_messages;
pub mod flexlist;
pub mod lanes;
pub mod malleability;
pub mod operations;
pub mod stored;
mod target;
pub mod targets;
mod together;
pub mod transparency;
mod trees;
mod tuples;
pub mod verify_proof;
