//! Conversion of engine panics to errors.

use core::cell::Cell;
use std::{
    collections::BTreeSet,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

use super::error::EngineError;

/// Runs `call`, which calls the storage engine. Returns the result, or `None` if `call` panicked.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    GUARDS.set(GUARDS.get().saturating_add(1));
    let outcome = catch_unwind(AssertUnwindSafe(call));
    GUARDS.set(GUARDS.get().saturating_sub(1));
    outcome.ok()
}

/// Runs `call` like [`guarded`]. A panic becomes [`EngineError::Panicked`].
pub(super) fn caught<T, E: From<EngineError>>(call: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    guarded(call).unwrap_or_else(|| Err(EngineError::Panicked.into()))
}

/// Returns whether a panic of this thread would be caught by [`guarded`].
pub(super) fn is_panic_caught() -> bool {
    GUARDS.get() > 0
}

/// Suppresses the backtraces of caught panics. Instead, `tell` is called with the source location,
/// once for each location. A damaged database would otherwise report one panic per request.
///
/// This replaces the panic hook of the whole process, so it is meant for programs, not libraries.
pub fn report_caught_panics(tell: impl Fn(&str) + Send + Sync + 'static) {
    let others = panic::take_hook();
    let told = Mutex::new(BTreeSet::new());
    panic::set_hook(Box::new(move |panic| {
        if !is_panic_caught() {
            return others(panic);
        }
        let place = panic.location().map(ToString::to_string);
        let place = place.unwrap_or_else(|| "at an unknown place".into());
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert(place.clone()) {
            tell(&place);
        }
    }));
}

thread_local! {
    /// Number of nested guarded calls of this thread.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
}
