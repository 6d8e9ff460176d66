//! Write transactions.

use core::mem::ManuallyDrop;

use redb::{Database, WriteTransaction};

use super::{error::EngineError, guard::caught};

/// Repair strategy when a database is opened after a crash or a failed commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Repairs the database by reading the whole file.
    Full,
    /// Opens without reading the whole file, at the cost of additional data in each commit.
    Quick,
}

/// Runs `work` in one durable write transaction, which commits completely or not at all.
pub(super) fn transact<T, E: From<EngineError>>(
    database: &Database,
    repair: Repair,
    work: impl FnOnce(&WriteTransaction) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = database.begin_write().map_err(EngineError::of)?;
    // A panic is caught before the transaction ends: a second panic during unwinding would abort
    // the process.
    let mut transaction = ManuallyDrop::new(transaction);
    transaction.set_two_phase_commit(true);
    transaction.set_quick_repair(repair == Repair::Quick);
    let done = caught(|| work(&transaction));
    let transaction = ManuallyDrop::into_inner(transaction);
    let done = done?;
    transaction.commit().map_err(EngineError::of)?;
    Ok(done)
}
