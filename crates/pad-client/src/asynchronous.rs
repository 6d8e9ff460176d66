//! The client for programs whose other work is in tasks.

use std::sync::{Arc, PoisonError, RwLock};

use pad::{
    KeyRange, RangeContents, Version,
    question::{HeadText, Question, Statement},
    version_notes::VersionNotes,
};
use pad_core::{Key, Untrusted};
use pad_tree::KeyHistory;
use tokio::{sync::Mutex, task::spawn_blocking};

use crate::{client::Client, error::ClientError};

/// A [`Client`] for tasks of tokio: every method is the one of that name there, and all clones have the same view.
///
/// Each call waits, and verifies, in a thread of those that tokio keeps for work that blocks, of which a runtime has 512
/// unless it is told otherwise. So as many servers can be waited for at once, and a proof that takes long to verify does not keep other tasks waiting.
/// A call whose future is dropped goes on until its server answers or its time is over; a view that has advanced then
/// stays there. Answers are checked while the view advances, with the view as it was.
///
/// Methods panic outside a runtime of tokio, as all that begins work there.
#[derive(Clone, Debug)]
pub struct AsyncClient {
    /// Locked for as long as it takes to look at it or to put another one there, never while a server is waited for.
    client: Arc<RwLock<Client>>,
    /// Held by whoever advances: two that advance at once could follow two histories.
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
    /// As [`Client::advance`].
    ///
    /// # Errors
    /// [`ClientError`]: the view is as it was.
    pub async fn advance(&self) -> Result<Version, ClientError> {
        let advancing = Arc::clone(&self.advancing).lock_owned().await;
        let client = Arc::clone(&self.client);
        blocking(move || {
            // Until the view is there: also if nobody waits for it any more.
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

    /// As [`Client::ask`].
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

    /// As [`Client::answer`].
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

    /// As [`Client::head`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn head(&self, version: Version) -> Result<HeadText, ClientError> {
        self.with(move |client| client.head(version)).await
    }

    /// As [`Client::page`].
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

    /// As [`Client::history`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn history(&self, key: Key) -> Result<Untrusted<KeyHistory>, ClientError> {
        self.with(move |client| client.history(&key)).await
    }

    /// As [`Client::notes`].
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

    /// As [`Client::named`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn named(&self, name: String) -> Result<Untrusted<Vec<Version>>, ClientError> {
        self.with(move |client| client.named(&name)).await
    }

    /// As [`Client::oldest`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn oldest(&self) -> Result<Version, ClientError> {
        self.with(Client::oldest).await
    }

    /// The client with the view as it is now: what it is asked, it is asked by the thread that asks.
    pub fn now(&self) -> Client {
        now(&self.client)
    }

    async fn with<T: Send + 'static>(&self, ask: impl FnOnce(&Client) -> T + Send + 'static) -> T {
        let client = self.now();
        blocking(move || ask(&client)).await
    }
}

// It is put there whole, so a poisoned one is as good.
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
            // The runtime is ending, and every task with it.
            Err(_) => core::future::pending().await,
        },
    }
}
