//! Heap memory of this process, counted by its allocator.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Returns the bytes of heap memory that are allocated now, as their sizes were requested.
pub fn allocated() -> usize {
    HEAP.allocated()
}
