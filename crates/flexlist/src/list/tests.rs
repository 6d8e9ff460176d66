//! Tests of the list: known answers, a model, and malicious servers.

mod adversarial;
mod forge;
mod forms;
mod limits;
mod model;
mod mutations;
mod prunings;
mod replays;
mod savings;
mod vectors;
