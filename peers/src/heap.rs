//! Heap use of the process, counted by the allocator.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Returns the bytes that are allocated now, by requested sizes.
pub fn allocated() -> usize {
    HEAP.allocated()
}
