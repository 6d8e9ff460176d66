//! Tests of the checks, and of the documents of the formats.

mod format_document;
mod soundness;

/// The family of the program outside of the workspace.
#[path = "../../../../examples/standalone/pad-conformance/src/author.rs"]
mod author;
#[path = "../../../../examples/standalone/pad-conformance/src/family.rs"]
mod family;
#[path = "../../../../examples/standalone/pad-conformance/src/repository.rs"]
mod repository;
