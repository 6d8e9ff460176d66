//! The writer thread of the store. Requests that wait at the same time share a transaction (group
//! commit).

use std::{
    io::{self, ErrorKind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use pad_disk::{
    engine::{EngineError, Repair, guarded},
    layer::Reserve,
};
use redb::ReadableTable as _;

use super::{
    StoreError,
    shared::DatabaseHandle,
    tables::{Change, Table, Tables, engine},
};

/// Size of a transaction in bytes above which no further request joins it.
const GROUP_BYTES: usize = 64 << 20;

/// Number of transactions that assume a nearly full disk, after one that found the disk full.
const CAUTION: u32 = 1000;

/// Interval at which the idle writer thread retries pending work: to refill the reserve, or to
/// compact the database when no reader is active.
const IDLE: Duration = Duration::from_secs(1);

fn is_lack_of_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// The purpose of changes of the store, which decides whether they may use the disk space reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The changes make the store larger. They must not use the reserve.
    Growth,
    /// The changes make the store smaller. They may use the reserve.
    Relief,
}

/// The reason for which a transaction failed. Its changes may or may not have been made.
#[derive(Clone, Debug)]
enum Failure {
    NoRoom(String),
    CannotWrite(String),
    Engine(String),
}

/// The changes of one request, and the channel for their outcome.
struct Job {
    changes: Vec<Change>,
    purpose: Purpose,
    done: SyncSender<Result<(), Failure>>,
}

/// Handle of the writer thread. Dropping it ends the thread.
#[derive(Debug)]
pub(super) struct Writer {
    sender: Mutex<Option<Sender<Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread. `reserve` is the size of the disk space reserve in bytes, which is filled
    /// if there is enough space; `None` leaves the file of the reserve as it is.
    ///
    /// # Errors
    /// I/O errors of the operating system, except that there is not enough space.
    pub(super) fn start(
        shared: Arc<DatabaseHandle>,
        reserve: Option<u64>,
    ) -> Result<Self, io::Error> {
        let (sender, receiver) = mpsc::channel();
        let reserve = reserve
            .map(|bytes| shared.database.reserve(bytes))
            .transpose()?;
        let is_full = match reserve.as_ref().map_or(Ok(()), Reserve::fill) {
            Err(error) if is_lack_of_space(&error) => true,
            filled => filled.map(|()| false)?,
        };
        let worker = Worker {
            is_full,
            reserve,
            shared,
            leftovers: Leftovers::Perhaps,
            is_compaction_due: false,
            last_attempt: None,
            caution: 0,
        };
        let thread = thread::Builder::new()
            .name("flexlist-store".into())
            .spawn(move || worker.run(&receiver))?;
        Ok(Self {
            sender: Mutex::new(Some(sender)),
            thread: Some(thread),
        })
    }

    /// Commits changes of the store atomically. They are durable when this function returns. After
    /// an error, the changes may or may not have been made.
    pub(super) fn commit(&self, changes: Vec<Change>, purpose: Purpose) -> Result<(), StoreError> {
        let (done, wait) = mpsc::sync_channel(1);
        let job = Job {
            changes,
            purpose,
            done,
        };
        let sender = self.sender().clone();
        sender
            .and_then(|sender| sender.send(job).ok())
            .and_then(|()| wait.recv().ok())
            .unwrap_or_else(|| Err(Failure::Engine("its thread has ended".into())))
            .map_err(|failure| match failure {
                Failure::NoRoom(what) | Failure::CannotWrite(what) => StoreError::CannotWrite(what),
                Failure::Engine(what) => StoreError::Engine(what),
            })
    }

    /// Makes the writer thread end after the jobs in its queue.
    pub(super) fn stop(&self) {
        self.sender().take();
    }

    fn sender(&self) -> std::sync::MutexGuard<'_, Option<Sender<Job>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // The thread catches panics in transactions. Any other panic could not be reported
            // here.
            let _ = thread.join();
        }
    }
}

/// Whether the store still contains records of removed files, to be deleted in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leftovers {
    /// There are no records, or none that can be read.
    None,
    /// There may be records.
    Perhaps,
    /// Deleting the records failed. The next successful transaction leads to another attempt.
    Stuck,
}

/// The state of the writer thread.
struct Worker {
    shared: Arc<DatabaseHandle>,
    /// The disk space reserve; `None` leaves its file as it is.
    reserve: Option<Reserve>,
    /// Whether the disk space reserve is released or could not be filled. The store then accepts
    /// only changes that make it smaller.
    is_full: bool,
    leftovers: Leftovers,
    /// Whether deleted records of removed files left free space in the database file.
    is_compaction_due: bool,
    /// Time of the last failed attempt to refill the disk space reserve.
    last_attempt: Option<Instant>,
    /// Number of further transactions that assume a nearly full disk, because the disk was full
    /// before.
    caution: u32,
}

impl Worker {
    fn run(mut self, receiver: &Receiver<Job>) {
        loop {
            let job = if self.leftovers == Leftovers::Perhaps {
                receiver.try_recv().map_err(|error| match error {
                    mpsc::TryRecvError::Empty => RecvTimeoutError::Timeout,
                    mpsc::TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                })
            } else if self.is_full || self.is_compaction_due {
                receiver.recv_timeout(IDLE)
            } else {
                receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match job {
                Ok(first) => self.take(first, receiver),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.tidy();
        }
    }

    /// Executes the job `first` together with the jobs that wait behind it in the queue.
    fn take(&mut self, first: Job, receiver: &Receiver<Job>) {
        let mut bytes = size(&first);
        let mut jobs = vec![first];
        while bytes < GROUP_BYTES
            && let Ok(next) = receiver.try_recv()
        {
            bytes = bytes.saturating_add(size(&next));
            jobs.push(next);
        }
        self.carry_out(jobs);
    }

    fn carry_out(&mut self, jobs: Vec<Job>) {
        if self.is_full {
            self.try_to_have_room();
        }
        let is_full = self.is_full;
        let (jobs, refused): (Vec<Job>, Vec<Job>) = jobs
            .into_iter()
            .partition(|job| !is_full || job.purpose == Purpose::Relief);
        answer(refused, &Err(Failure::NoRoom(FULL.into())));
        if jobs.is_empty() {
            return;
        }
        let mut outcome = self.write(&jobs);
        if matches!(outcome, Err(Failure::NoRoom(_))) {
            if jobs.len() > 1 {
                // A large job must not make small jobs fail, so each is tried on its own.
                for job in jobs {
                    self.carry_out(vec![job]);
                }
                return;
            }
            if jobs.iter().all(|job| job.purpose == Purpose::Relief) && !self.is_full {
                self.release_reserve();
                outcome = self.write(&jobs);
            }
        }
        answer(jobs, &outcome);
    }

    /// Commits the changes of `jobs` in one transaction.
    fn write(&mut self, jobs: &[Job]) -> Result<(), Failure> {
        let buries = |change: &Change| matches!(change, Change::Gone { .. });
        let bytes = jobs.iter().map(size).fold(0, usize::saturating_add);
        let changes = jobs.iter().flat_map(|job| &job.changes);
        if changes.clone().any(buries) {
            self.leftovers = Leftovers::Perhaps;
        }
        self.transact(bytes, |tables| {
            for change in changes {
                change.apply(tables)?;
            }
            Ok(())
        })
    }

    /// Runs `act` on the tables in one durable transaction, which writes about `bytes` bytes.
    /// Repairs the database if the transaction fails.
    fn transact<T>(
        &mut self,
        bytes: usize,
        act: impl FnOnce(&Tables<'_>) -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        if self.shared.database.has_failed() {
            // A reader met an error. If reopening fails, the write below reports it.
            drop(self.shared.database.reopen());
        }
        let is_tight = self.is_full || self.caution > 0 || self.shared.is_tight(bytes);
        // With little disk space left, the database must reopen quickly if the next transaction
        // does not fit.
        let repair = if is_tight {
            Repair::Quick
        } else {
            Repair::Full
        };
        let mut has_panicked = true;
        let write = |transaction: &_| {
            let done = act(&Tables(transaction));
            has_panicked = false;
            done
        };
        match self.shared.database.write(repair, write) {
            Ok(done) => {
                self.caution = self.caution.saturating_sub(1);
                if self.leftovers == Leftovers::Stuck {
                    self.leftovers = Leftovers::Perhaps;
                }
                Ok(done)
            }
            Err(StoreError::Io(error)) => {
                let is_space = is_lack_of_space(&error);
                self.recover(is_space);
                let what = error.to_string();
                Err(if is_space {
                    Failure::NoRoom(what)
                } else {
                    Failure::CannotWrite(what)
                })
            }
            Err(StoreError::Interrupted) => {
                self.recover(false);
                Err(Failure::CannotWrite(StoreError::Interrupted.to_string()))
            }
            Err(error) => {
                // After some errors the engine refuses to write until it is reopened. After a
                // panic, it could abort the process when it is closed later.
                if has_panicked || !self.shared.database.can_write() {
                    drop(self.shared.database.trim());
                }
                Err(Failure::Engine(match error {
                    StoreError::Engine(what) => what,
                    error => error.to_string(),
                }))
            }
        }
    }

    /// Reopens the database after an error of the medium. `is_space` tells whether the error was a
    /// lack of disk space.
    fn recover(&mut self, is_space: bool) {
        if !is_space {
            // If reopening fails, the next read or write tries again.
            drop(self.shared.database.reopen());
            return;
        }
        // Some limits, such as quotas, do not show in the free space that the system reports.
        self.caution = CAUTION;
        if self.shared.database.reopen().is_err() {
            // Recovery needs disk space too.
            self.release_reserve();
            drop(self.shared.database.reopen());
        }
        // Space taken by the aborted transaction is free at the end of the file.
        drop(self.shared.database.trim());
    }

    /// Releases the disk space reserve, for recovery and for changes that free space. The disk then
    /// counts as full.
    fn release_reserve(&mut self) {
        // Even if the release fails, the disk counts as full.
        drop(self.reserve.as_ref().map(Reserve::release));
        self.is_full = true;
    }

    /// Refills the disk space reserve if there is enough space. Tries at most once per [`IDLE`].
    fn try_to_have_room(&mut self) {
        if (self.last_attempt).is_some_and(|last| last.elapsed() < IDLE) {
            return;
        }
        if self
            .reserve
            .as_ref()
            .is_none_or(|reserve| reserve.fill().is_ok())
        {
            self.is_full = false;
            self.last_attempt = None;
            return;
        }
        self.last_attempt = Some(Instant::now());
    }

    /// Housekeeping between jobs: deletes some records of removed files, returns free space to the
    /// file system, and refills the reserve.
    fn tidy(&mut self) {
        if self.leftovers == Leftovers::Perhaps {
            self.leftovers = match self.sweep() {
                Ok(true) => Leftovers::Perhaps,
                // A damaged page: another attempt would fail the same way.
                Ok(false) | Err(Failure::Engine(_)) => Leftovers::None,
                // Try again with the space of the reserve. If that fails too, wait for the next
                // successful transaction.
                Err(Failure::NoRoom(_)) if !self.is_full => {
                    self.release_reserve();
                    Leftovers::Perhaps
                }
                Err(Failure::NoRoom(_) | Failure::CannotWrite(_)) => Leftovers::Stuck,
            };
            return;
        }
        if self.is_compaction_due {
            self.is_compaction_due = self.give_back();
        }
        if self.is_full {
            self.try_to_have_room();
        }
    }

    /// Gives the space of removed files back to the file system, as far as possible now. Returns
    /// whether to try again later.
    fn give_back(&mut self) -> bool {
        self.last_attempt = None;
        if !self.shared.is_compaction_quick() {
            // The next opening compacts the database. Until then, only free space at the end is
            // returned.
            drop(self.shared.database.trim());
            return false;
        }
        // On a full disk every page counts.
        let is_worth = self.is_full || self.shared.is_compaction_worth();
        is_worth && matches!(self.shared.database.compact(), Ok(false))
    }

    /// Deletes some records of one removed file, in a transaction. Returns whether there may be
    /// more removed files or records.
    fn sweep(&mut self) -> Result<bool, Failure> {
        if !self.has_leftovers()? {
            return Ok(false);
        }
        let swept = self.transact(0, |tables| match tables.first_doomed()? {
            None => Ok(false),
            Some(file) => tables.sweep(file).map(|()| true),
        })?;
        self.is_compaction_due |= swept;
        Ok(swept)
    }

    /// Returns whether there may be records of removed files. Writes nothing.
    fn has_leftovers(&self) -> Result<bool, Failure> {
        let read = || {
            let transaction = self.shared.database.begin_read()?;
            let rows = transaction.open_table(Table::Doomed.definition());
            let first = rows.map_err(engine)?.first().map_err(engine)?.is_some();
            Ok(first)
        };
        let found = guarded(read).unwrap_or(Err(EngineError::Panicked.into()));
        found.map_err(|error| match error {
            StoreError::Io(error) => Failure::CannotWrite(error.to_string()),
            error => Failure::Engine(error.to_string()),
        })
    }
}

const FULL: &str = "the disk is full";

fn answer(jobs: Vec<Job>, outcome: &Result<(), Failure>) {
    for job in jobs {
        // Sending fails if the request no longer waits. The outcome is then not needed.
        let _ = job.done.send(outcome.clone());
    }
}

fn size(job: &Job) -> usize {
    let bytes = job.changes.iter().map(Change::bytes);
    bytes.fold(0, usize::saturating_add)
}
