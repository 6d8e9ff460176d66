//! Tuple-based persistent authenticated dictionaries.

pub mod author;
pub mod bls;
pub mod chain;
pub mod checkpoint;
pub mod design;
pub mod designs;
pub mod layers;
pub mod proof;
pub mod repository;
pub mod signed;
pub mod speculation;
pub mod statement;
pub mod tuple;
pub mod update;

pub use author::TupleAuthor;
pub use design::{AuthorError, Design, Expectation};
pub use proof::TupleProof;
pub use repository::TupleRepository;
pub use signed::{Bls, Ed25519, Lightweight, Plain, Refresh, Signed, Superseding};
pub use speculation::Speculation;

use pad_core::SchemeId;

/// The number of a design: `0x0200 | kind << 4 | generations`.
pub(crate) const fn scheme_id(kind: u16, generations: usize) -> SchemeId {
    const NUMBERS: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    assert!(generations >= 1 && generations <= tuple::MAX_GENERATIONS);
    SchemeId(0x0200 | kind << 4 | NUMBERS[generations])
}
