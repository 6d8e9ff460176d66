//! The one thread that writes: requests that wait for it at the same time share a transaction.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender, SyncSender},
    },
    thread::{self, JoinHandle},
};

use redb::Database;

use super::{
    StoreError, guarded,
    tables::{Change, Tables, engine},
};

/// Above this many bytes no further request joins a transaction.
const GROUP_BYTES: usize = 64 << 20;

/// The changes of one request.
struct Job {
    changes: Vec<Change>,
    done: SyncSender<Result<(), String>>,
}

/// The way to the thread, which ends with it.
#[derive(Debug)]
pub(super) struct Writer {
    sender: Mutex<Option<Sender<Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(database: Arc<Database>) -> Result<Self, io::Error> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("flexlist-store".into())
            .spawn(move || run(&database, &receiver))?;
        Ok(Self {
            sender: Mutex::new(Some(sender)),
            thread: Some(thread),
        })
    }

    /// Makes changes, all or nothing; they are durable when this returns. After an error only
    /// reading tells whether they are.
    pub(super) fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        let (done, wait) = mpsc::sync_channel(1);
        let sender = self.sender().clone();
        sender
            .and_then(|sender| sender.send(Job { changes, done }).ok())
            .and_then(|()| wait.recv().ok())
            .unwrap_or_else(|| Err("its thread has ended".into()))
            .map_err(StoreError::Engine)
    }

    /// Ends the thread once it has done what it was given.
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
            // It catches its panics; there is nobody to tell of another one.
            let _ = thread.join();
        }
    }
}

fn run(database: &Database, receiver: &Receiver<Job>) {
    while let Ok(first) = receiver.recv() {
        let mut bytes = size(&first);
        let mut jobs = vec![first];
        while bytes < GROUP_BYTES
            && let Ok(next) = receiver.try_recv()
        {
            bytes = bytes.saturating_add(size(&next));
            jobs.push(next);
        }
        let result = guarded(|| write(database, &jobs))
            .unwrap_or_else(|| Err(StoreError::Engine("it panicked".into())))
            .map_err(|error| error.to_string());
        for job in jobs {
            // Who no longer waits need not know.
            let _ = job.done.send(result.clone());
        }
    }
}

fn size(job: &Job) -> usize {
    let bytes = job.changes.iter().map(Change::bytes);
    bytes.fold(0, usize::saturating_add)
}

fn write(database: &Database, jobs: &[Job]) -> Result<(), StoreError> {
    let mut transaction = database.begin_write().map_err(engine)?;
    // Keys and values come from others: the checksum of a torn commit must not be their choice.
    transaction.set_two_phase_commit(true);
    let mut tables = Tables::open(&transaction)?;
    for change in jobs.iter().flat_map(|job| &job.changes) {
        change.apply(&mut tables)?;
    }
    drop(tables);
    transaction.commit().map_err(engine)
}
