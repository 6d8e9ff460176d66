//! The one thread that writes: requests that wait for it at the same time share a transaction.

use std::{
    io::{self, ErrorKind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use disk::engine::{Repair, Reserve, guarded};

use super::{
    StoreError,
    shared::Shared,
    tables::{Change, Tables},
};

/// Above this many bytes no further request joins a transaction.
const GROUP_BYTES: usize = 64 << 20;

/// Transactions that are careful after one found no room.
const CAUTION: u32 = 1000;

/// How often a thread with nothing to do looks whether there is room again, or nobody reads.
const IDLE: Duration = Duration::from_secs(1);

/// What changes are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// They make the store larger.
    Growth,
    /// They make it smaller, and may use the reserve.
    Relief,
}

/// Why changes were not made.
#[derive(Clone, Debug)]
enum Failure {
    NoRoom(String),
    CannotWrite(String),
    Engine(String),
}

/// The changes of one request.
struct Job {
    changes: Vec<Change>,
    purpose: Purpose,
    done: SyncSender<Result<(), Failure>>,
}

enum Order {
    Write(Job),
    Reserve { bytes: u64, done: SyncSender<()> },
}

/// The way to the thread, which ends with it.
#[derive(Debug)]
pub(super) struct Writer {
    sender: Mutex<Option<Sender<Order>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(shared: Arc<Shared>) -> Result<Self, io::Error> {
        let (sender, receiver) = mpsc::channel();
        let worker = Worker {
            reserve: shared.database.reserve(),
            shared,
            is_full: false,
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

    /// Makes changes, all or nothing; they are durable when this returns. After an error only
    /// reading tells whether they are.
    pub(super) fn commit(&self, changes: Vec<Change>, purpose: Purpose) -> Result<(), StoreError> {
        let (done, wait) = mpsc::sync_channel(1);
        let job = Job {
            changes,
            purpose,
            done,
        };
        let sender = self.sender().clone();
        sender
            .and_then(|sender| sender.send(Order::Write(job)).ok())
            .and_then(|()| wait.recv().ok())
            .unwrap_or_else(|| Err(Failure::Engine("its thread has ended".into())))
            .map_err(|failure| match failure {
                Failure::NoRoom(what) | Failure::CannotWrite(what) => StoreError::CannotWrite(what),
                Failure::Engine(what) => StoreError::Engine(what),
            })
    }

    /// Sets so many bytes aside, if there is room.
    pub(super) fn set_reserve(&self, bytes: u64) {
        let (done, wait) = mpsc::sync_channel(1);
        let sender = self.sender().clone();
        let sent = sender.and_then(|sender| sender.send(Order::Reserve { bytes, done }).ok());
        if sent.is_some() {
            // If the thread has ended, every commit says so.
            let _ = wait.recv();
        }
    }

    /// Ends the thread once it has done what it was given.
    pub(super) fn stop(&self) {
        self.sender().take();
    }

    fn sender(&self) -> std::sync::MutexGuard<'_, Option<Sender<Order>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // It catches its panics; another one could not be reported.
            let _ = thread.join();
        }
    }
}

/// Records of removed files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leftovers {
    /// There are none, or none that can be read.
    None,
    /// There may be some.
    Perhaps,
    /// They could not be taken from the store.
    Stuck,
}

/// What the thread knows.
struct Worker {
    shared: Arc<Shared>,
    reserve: Reserve,
    /// Whether the reserve is gone: the store takes only what makes it smaller.
    is_full: bool,
    leftovers: Leftovers,
    /// Whether removed files left free room in the store's file.
    is_compaction_due: bool,
    /// When it was tried last to have the reserve again.
    last_attempt: Option<Instant>,
    /// How many more transactions are made as if the disk were nearly full, because it was.
    caution: u32,
}

impl Worker {
    fn run(mut self, receiver: &Receiver<Order>) {
        loop {
            let order = if self.leftovers == Leftovers::Perhaps {
                receiver.try_recv().map_err(|error| match error {
                    mpsc::TryRecvError::Empty => RecvTimeoutError::Timeout,
                    mpsc::TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                })
            } else if self.is_full || self.is_compaction_due {
                receiver.recv_timeout(IDLE)
            } else {
                receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match order {
                Ok(Order::Write(first)) => self.take(first, receiver),
                Ok(Order::Reserve { bytes, done }) => self.set_reserve(bytes, &done),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.tidy();
        }
    }

    fn set_reserve(&mut self, bytes: u64, done: &SyncSender<()>) {
        self.reserve.set(bytes);
        self.is_full = self.reserve.fill().is_err();
        let _ = done.send(());
    }

    /// Carries out a job and those that wait behind it.
    fn take(&mut self, first: Job, receiver: &Receiver<Order>) {
        let mut bytes = size(&first);
        let mut jobs = vec![first];
        let mut reserve = None;
        while bytes < GROUP_BYTES
            && reserve.is_none()
            && let Ok(next) = receiver.try_recv()
        {
            match next {
                Order::Write(next) => {
                    bytes = bytes.saturating_add(size(&next));
                    jobs.push(next);
                }
                Order::Reserve { bytes, done } => reserve = Some((bytes, done)),
            }
        }
        self.carry_out(jobs);
        if let Some((bytes, done)) = reserve {
            self.set_reserve(bytes, &done);
        }
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
                // The large ones must not take the small ones with them.
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

    /// Writes the changes of these jobs in one transaction.
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

    /// Does something to the tables in one durable transaction, and makes the database good if that
    /// fails.
    fn transact<T>(
        &mut self,
        bytes: usize,
        act: impl FnOnce(&mut Tables<'_>) -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        if self.shared.database.has_failed() {
            // A reader's error; what cannot be opened shows below.
            drop(self.shared.database.reopen());
        }
        let is_tight = self.is_full || self.caution > 0 || self.shared.is_tight(bytes);
        // Near the limit the database has to be open again at once if the next transaction does not fit.
        let repair = if is_tight {
            Repair::Quick
        } else {
            Repair::Full
        };
        let outcome = guarded(|| {
            let write = |transaction: &_| act(&mut Tables::open(transaction)?);
            self.shared.database.write(repair, write)
        });
        match outcome {
            Some(Ok(done)) => {
                self.caution = self.caution.saturating_sub(1);
                if self.leftovers == Leftovers::Stuck {
                    self.leftovers = Leftovers::Perhaps;
                }
                Ok(done)
            }
            Some(Err(StoreError::Io(error))) => {
                let is_space = matches!(
                    error.kind(),
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
                );
                self.recover(is_space);
                let what = error.to_string();
                Err(if is_space {
                    Failure::NoRoom(what)
                } else {
                    Failure::CannotWrite(what)
                })
            }
            Some(Err(StoreError::Interrupted)) => {
                self.recover(false);
                Err(Failure::CannotWrite(StoreError::Interrupted.to_string()))
            }
            Some(Err(error)) => {
                // Some errors leave an engine that refuses to write.
                if !self.shared.database.can_write() {
                    drop(self.shared.database.trim());
                }
                Err(Failure::Engine(error.to_string()))
            }
            None => {
                drop(self.shared.database.trim());
                Err(Failure::Engine("it panicked".into()))
            }
        }
    }

    /// Opens the database again after an error of the medium.
    fn recover(&mut self, is_space: bool) {
        if !is_space {
            // If it fails, the next read or write tries again.
            drop(self.shared.database.reopen());
            return;
        }
        // Not every limit shows in the room that the system tells.
        self.caution = CAUTION;
        if self.shared.database.reopen().is_err() {
            // Recovery needs room too.
            self.release_reserve();
            drop(self.shared.database.reopen());
        }
        // What the broken-off transaction took from the disk is free at the end of the file.
        drop(self.shared.database.trim());
    }

    /// Gives the reserve to what makes room.
    fn release_reserve(&mut self) {
        // If it cannot be released, it is full all the same.
        drop(self.reserve.release());
        self.is_full = true;
    }

    /// Has the reserve again, if there is room; asked often, it does not try each time.
    fn try_to_have_room(&mut self) {
        if (self.last_attempt).is_some_and(|last| last.elapsed() < IDLE) {
            return;
        }
        if self.reserve.fill().is_ok() {
            self.is_full = false;
            self.last_attempt = None;
            return;
        }
        self.last_attempt = Some(Instant::now());
    }

    /// Between the jobs: a few records of removed files go, and room is given back.
    fn tidy(&mut self) {
        if self.leftovers == Leftovers::Perhaps {
            self.leftovers = match self.sweep() {
                Ok(true) => Leftovers::Perhaps,
                // A damaged page: the same would happen again.
                Ok(false) | Err(Failure::Engine(_)) => Leftovers::None,
                // With the reserve, if there is one; else it is tried again after the next job.
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

    /// Gives back to the file system what removed files have left; whether it is to be tried again.
    fn give_back(&mut self) -> bool {
        self.last_attempt = None;
        if !self.shared.is_compaction_quick() {
            // The next opening compacts it: until then what is free at the end of the file has to do.
            drop(self.shared.database.trim());
            return false;
        }
        // On a full disk every page counts.
        let is_worth = self.is_full || self.shared.is_compaction_worth();
        is_worth && matches!(self.shared.database.compact(), Ok(false))
    }

    /// Takes some records of a removed file from the store; whether there may be more.
    fn sweep(&mut self) -> Result<bool, Failure> {
        let swept = self.transact(0, |tables| match tables.first_doomed()? {
            None => Ok(false),
            Some(file) => {
                if !tables.sweep(file.number)? {
                    Change::Swept { file }.apply(tables)?;
                }
                Ok(true)
            }
        })?;
        self.is_compaction_due |= swept;
        Ok(swept)
    }
}

const FULL: &str = "the disk is full";

fn answer(jobs: Vec<Job>, outcome: &Result<(), Failure>) {
    for job in jobs {
        // A request that no longer waits need not know.
        let _ = job.done.send(outcome.clone());
    }
}

fn size(job: &Job) -> usize {
    let bytes = job.changes.iter().map(Change::bytes);
    bytes.fold(0, usize::saturating_add)
}
