//! Asynchronous client for tokio.

use std::sync::{Arc, PoisonError, RwLock};

use authdict::{
    KeyRange, RangeContents, Version,
    question::{HeadText, Question, Statement},
    version_notes::VersionNotes,
};
use pad_core::{Key, Untrusted};
use pad_tree::KeyHistory;
use tokio::{sync::Mutex, task::spawn_blocking};

use crate::{client::Client, error::ClientError};

/// A [`Client`] for tokio tasks: each asynchronous method calls the [`Client`] method of the same
/// name. All clones share one view.
///
/// Each call runs on tokio's blocking thread pool, which has 512 threads by default. That bounds
/// the number of concurrent calls, and slow proofs do not block other tasks.
///
/// A call that has begun continues if its future is dropped, until a server answers or all have
/// failed. If it advances the view, the view stays advanced. While the view advances, answers are
/// verified against the old view.
///
/// # Panics
/// Asynchronous methods panic outside a tokio runtime.
#[derive(Clone, Debug)]
pub struct AsyncClient {
    /// Locked only to read or replace the client, never during a request.
    client: Arc<RwLock<Client>>,
    /// Held while advancing: two concurrent advances could follow two histories.
    advancing: Arc<Mutex<()>>,
}

impl From<Client> for AsyncClient {
    fn from(client: Client) -> Self {
        Self {
            client: Arc::new(RwLock::new(client)),
            advancing: Arc::default(),
        }
    }
}

impl AsyncClient {
    /// Calls [`Client::advance`].
    ///
    /// # Errors
    /// [`ClientError`]; the view is unchanged.
    pub async fn advance(&self) -> Result<Version, ClientError> {
        let advancing = Arc::clone(&self.advancing).lock_owned().await;
        let client = Arc::clone(&self.client);
        blocking(move || {
            // Held until the view is stored, even if the future is dropped.
            let _advancing = advancing;
            let before = now(&client);
            let advanced = before.advanced()?;
            let after = advanced.unwrap_or(before);
            let version = after.view().version();
            *client.write().unwrap_or_else(PoisonError::into_inner) = after;
            Ok(version)
        })
        .await
    }

    /// Calls [`Client::ask`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn ask(
        &self,
        version: Version,
        question: Question,
    ) -> Result<Statement, ClientError> {
        self.with(move |client| client.ask(version, &question))
            .await
    }

    /// Calls [`Client::answer`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn answer(
        &self,
        version: Version,
        question: Question,
    ) -> Result<(Vec<u8>, Statement), ClientError> {
        self.with(move |client| client.answer(version, &question))
            .await
    }

    /// Calls [`Client::head`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn head(&self, version: Version) -> Result<HeadText, ClientError> {
        self.with(move |client| client.head(version)).await
    }

    /// Calls [`Client::page`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn page(
        &self,
        version: Version,
        range: KeyRange,
    ) -> Result<(KeyRange, RangeContents), ClientError> {
        self.with(move |client| client.page(version, &range)).await
    }

    /// Calls [`Client::history`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn history(&self, key: Key) -> Result<Untrusted<KeyHistory>, ClientError> {
        self.with(move |client| client.history(&key)).await
    }

    /// Calls [`Client::notes`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn notes(
        &self,
        first: Version,
        last: Version,
    ) -> Result<Untrusted<VersionNotes>, ClientError> {
        self.with(move |client| client.notes(first, last)).await
    }

    /// Calls [`Client::named`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn named(&self, name: String) -> Result<Untrusted<Vec<Version>>, ClientError> {
        self.with(move |client| client.named(&name)).await
    }

    /// Calls [`Client::oldest`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn oldest(&self) -> Result<Version, ClientError> {
        self.with(Client::oldest).await
    }

    /// Returns a blocking client with the current view. Its calls block the calling thread.
    pub fn now(&self) -> Client {
        now(&self.client)
    }

    async fn with<T: Send + 'static>(&self, ask: impl FnOnce(&Client) -> T + Send + 'static) -> T {
        let client = self.now();
        blocking(move || ask(&client)).await
    }
}

// The client is replaced as a whole, so a poisoned value is intact.
fn now(client: &RwLock<Client>) -> Client {
    client
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, and every task with it.
            Err(_) => core::future::pending().await,
        },
    }
}
