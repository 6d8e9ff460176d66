//! What the process holds of the heap, counted by the allocator.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// The bytes that are allocated now, as they were asked for.
pub fn allocated() -> usize {
    HEAP.allocated()
}
