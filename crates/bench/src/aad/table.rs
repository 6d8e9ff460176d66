//! The lines of `bench aad`, for people.

use crate::{
    line::{Line, of},
    tables::{Tables, number, text},
};

/// A table for each experiment.
pub fn report(lines: &[Line]) -> String {
    let mut tables = Tables::default();
    let columns = [
        text("n", "n"),
        text("batch", "batch"),
        text("threads", "threads"),
        number("append us", "append_us"),
        number("limit us", "append_limit_us"),
        number("ratio", "append_ratio"),
    ];
    let appended = of(lines, "aad_append");
    tables.section("Appending, each entry", "", &appended, &columns);
    let proof = || {
        [
            number("prove us", "prove_us"),
            number("verify us", "verify_us"),
            number("limit us", "verify_limit_us"),
            number("ratio", "verify_ratio"),
            number("bytes", "proof_bytes"),
        ]
    };
    let mut columns = vec![
        text("n", "n"),
        text("values", "values"),
        text("trees", "trees"),
    ];
    columns.extend(proof());
    tables.section("Look-ups", "", &of(lines, "aad_lookup"), &columns);
    let mut columns = vec![
        text("versions", "pair"),
        text("from", "from"),
        text("to", "n"),
    ];
    columns.extend(proof());
    let grown = of(lines, "aad_append_only");
    tables.section("Append-only proofs", "", &grown, &columns);
    let columns = [
        text("n", "n"),
        number("memory bytes each", "memory_bytes_per_element"),
        text("of which entry", "entry_bytes"),
    ];
    tables.section("Memory", "", &of(lines, "aad_memory"), &columns);
    let columns = [
        text("primitive", "primitive"),
        text("n", "n"),
        number("us", "primitive_us"),
    ];
    let primitives = of(lines, "aad_primitives");
    tables.section("Primitives", "", &primitives, &columns);
    tables.signed(lines)
}
