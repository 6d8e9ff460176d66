//! An asynchronous client for the runtime tokio.

use std::sync::{Arc, PoisonError, RwLock};

use authdict::{Question, Statement, Version};
use tokio::{sync::Mutex, task::spawn_blocking};

use crate::{client::Client, error::ClientError};

/// A [`Client`] for tokio tasks. It runs the blocking client on other threads. All clones share one
/// view.
///
/// Each call runs on tokio's blocking thread pool, which has 512 threads by default. The pool
/// limits the number of concurrent calls. Slow proofs do not block other tasks.
///
/// A call that has begun continues after its future is dropped, until a server answers or all
/// servers have failed. If such a call advances the view, the view stays advanced. While the view
/// advances, answers are verified against the old view.
///
/// # Panics
/// Asynchronous methods panic outside a tokio runtime.
#[derive(Clone, Debug)]
pub struct AsyncClient {
    /// The client with the current view. Locked only to read or replace the client, and never
    /// during a request.
    client: Arc<RwLock<Client>>,
    /// Lock that an advance of the view holds, because two concurrent advances could verify two
    /// different histories.
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
    /// [`ClientError`]. The view is unchanged after an error.
    pub async fn advance(&self) -> Result<Version, ClientError> {
        let advancing = Arc::clone(&self.advancing).lock_owned().await;
        let client = Arc::clone(&self.client);
        blocking(move || {
            // The lock is held until the view is stored, even if the future is dropped.
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
        self.call(move |client| client.ask(version, &question))
            .await
    }

    /// Returns a blocking client with the current view. Calls of this client block the calling
    /// thread.
    pub fn now(&self) -> Client {
        now(&self.client)
    }

    /// Runs any other method of [`Client`] with the current view:
    /// `client.call(|client| client.oldest())`.
    pub async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Client) -> T + Send + 'static,
    ) -> T {
        let client = self.now();
        blocking(move || work(&client)).await
    }
}

// The client is only replaced as a whole, so the value in a poisoned lock is intact.
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
            // The runtime is shutting down, so this task is dropped.
            Err(_) => core::future::pending().await,
        },
    }
}
