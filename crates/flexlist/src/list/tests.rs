//! Tests of the list: known answers, a model, and lying servers.

mod model;
mod savings;
mod vectors;
