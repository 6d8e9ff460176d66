//! Messages with huge numbers.

use pad_accumulators::wire;
use pad_log::{AadCounted, AppendOnlyProof, Growth, InclusionProof, LookupProof, Schedule};

use crate::support::{at_size, distinct, entries, key, log, put, verify};

/// Sets each number of the layout to its limits. The message is refused before it costs memory.
#[test]
fn huge_numbers_are_refused() {
    type Scheme = AadCounted;
    let entries = entries(&log::<Scheme>(8, 4, Schedule::Deferred), &distinct(40));
    let (root, asked) = (at_size(&entries, 40), key("absent"));
    let lookup = wire::encode(&entries.prove_values(40, asked.as_bytes()).unwrap());
    let growth = wire::encode(&entries.prove_append_only(9, 40));
    let inclusion = wire::encode(&entries.prove_inclusion(40, 3));
    let entry = &entries.as_slice()[3];
    for number in [41_u64, 1 << 20, (1 << 48) - 1, 1 << 48, u64::MAX] {
        for place in [8, 16, 24] {
            let changed = |proof: &[u8]| put(proof, place, &number.to_be_bytes());
            let refused = verify::<LookupProof<Scheme>>(&changed(&lookup), &root, &asked);
            assert!(refused.is_err());
            let roots = Growth::new(at_size(&entries, 9), root.clone()).unwrap();
            assert!(verify::<AppendOnlyProof<Scheme>>(&changed(&growth), &roots, &()).is_err());
            assert!(verify::<InclusionProof<Scheme>>(&changed(&inclusion), &root, entry).is_err());
        }
    }
}
