//! Panics of the engine, which become errors.

use core::cell::Cell;
use std::{
    collections::BTreeSet,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

/// The result of a call into the engine, or `None` if it panicked on what it read.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    GUARDS.set(GUARDS.get().saturating_add(1));
    let outcome = catch_unwind(AssertUnwindSafe(call));
    GUARDS.set(GUARDS.get().saturating_sub(1));
    outcome.ok()
}

/// Whether a panic of this thread is caught and becomes an error.
pub(super) fn is_panic_caught() -> bool {
    GUARDS.get() > 0
}

/// From now on, panics that are caught show no backtrace on standard error. Instead `tell` is called with
/// the place in the source, once for each place: a damaged database gives one panic for each request.
///
/// This changes the panic hook of the whole process, so it is for programs and not for libraries.
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
    /// The guarded calls that this thread is in.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
}
