//! Heap memory of this process, counted by its allocator.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Returns the number of currently allocated bytes of heap memory. Counts requested sizes, not the
/// allocator's overhead.
pub fn allocated() -> usize {
    HEAP.allocated()
}
