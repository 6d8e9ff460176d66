//! What the fuzz targets do with their input; each is a function, so that tests can call it too.

pub mod aad;
pub mod accumulators;
pub mod decode_messages;
pub mod flexlist;
pub mod malleability;
pub mod operations;
pub mod stored;
pub mod target;
mod together;
pub mod transparency;
pub mod tuples;
pub mod verify_proof;
