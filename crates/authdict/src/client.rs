//! The client of a dictionary: it trusts the author's public key, and no server.

use core::{cmp::Ordering, fmt, marker::PhantomData};
use std::path::PathBuf;

use pad_core::{DecodeError, VerifyError, Version};

use crate::{
    client_view::{
        NotFollowed, RefusedHead, StoredView, ViewAccessError, ViewAccessFault, ViewFile,
    },
    dynamic,
    heads::Heads,
    keys::PublicKey,
    question::{Question, Refusal},
    scheme::{AnyFamily, Asks, Scheme},
    server::Server,
    store::StoreError,
    verifier::Verifier,
};

/// A server that a [`Client`] queries: a [`Server`] in this process, or a server on the network.
///
/// Nothing that a source returns is trusted.
pub trait Source: Heads {
    /// Returns the answer to a question about a version, as a message. An implementation may stop
    /// reading after `most` bytes, because the client refuses a longer answer.
    ///
    /// # Errors
    /// [`Heads::Error`].
    fn answer_message(
        &self,
        version: Version,
        question: &Question,
        most: usize,
    ) -> Result<Vec<u8>, Self::Error>;
}

impl<F> Source for Server<F> {
    fn answer_message(
        &self,
        version: Version,
        question: &Question,
        _: usize,
    ) -> Result<Vec<u8>, Self::Error> {
        self.answer(version, question)
    }
}

/// A client of a dictionary of family `F`.
///
/// A client stores the newest version that it has verified, its *view*. The client refuses an older
/// version offered as the newest, a newer version of another history, and an answer without the
/// author's signatures.
///
/// ```
/// use authdict::{Author, Client, Key, RedBlack, SecretKey, Server, Tree};
///
/// type Prices = Tree<RedBlack>;
///
/// # let folder = tempfile::tempdir()?;
/// # let [key, path, view] =
/// #     ["prices.key", "prices.pad", "prices.view"].map(|name| folder.path().join(name));
/// let secret = SecretKey::create::<Prices>(&key, "prices")?;
/// let mut author = Author::<Prices>::create(&path, &secret)?;
/// author.put("apple", "1.20")?;
/// author.commit()?;
///
/// let server = Server::<Prices>::open(&path, secret.public())?;
/// let mut client = Client::<Prices>::open(&view, secret.public())?;
/// let answer = client.ask(&server, Key::from(b"apple"))?;
/// assert_eq!(answer.value(), Some(&"1.20".try_into()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Client<F = AnyFamily> {
    view: StoredView,
    file: Option<ViewFile>,
    /// The verifier of answers, which knows the newest head of the view.
    verifier: Box<dyn Verifier>,
    family: PhantomData<fn() -> F>,
}

impl<F> fmt::Debug for Client<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("view", &self.view)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// Error returned when a client is opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenClientError {
    /// The public key is for a dictionary of another family ([`StoreError::OtherFamily`]).
    #[error(transparent)]
    Family(StoreError),
    /// The file of the view cannot be read or parsed.
    #[error(transparent)]
    View(#[from] ViewAccessError),
    /// The view in the file at this path was created with another public key.
    #[error("the view {} belongs to another key", .0.display())]
    OtherKey(PathBuf),
    /// The part of the public key for this scheme is missing or malformed, or the scheme is a block
    /// directory, which has a separate client.
    #[error(transparent)]
    Key(#[from] Refusal),
}

/// Error returned for a query to a server; `E` is the error of the [`Source`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError<E> {
    /// The client refuses the heads that the server offers, or the server does not return a head or
    /// a required proof.
    #[error(transparent)]
    Heads(#[from] NotFollowed<E>),
    /// The server returns no answer, because of this error.
    #[error("the server does not answer: {0}")]
    Silent(E),
    /// The client refuses the answer, because the server lies or is broken. [`Client::ask_at`] also
    /// returns this error, with [`Refusal::Ahead`], for a version newer than the view.
    #[error("the answer is rejected: {0}")]
    Refused(RefusedHead),
    /// The file of the view cannot be read or written.
    #[error(transparent)]
    View(#[from] ViewAccessError),
}

impl<E> AskError<E> {
    /// Returns evidence that the author's key has signed two histories, if the answer or the heads
    /// prove this fact. [`crate::evidence::check`] verifies the evidence.
    pub fn evidence(&self) -> Option<&[u8]> {
        match self {
            Self::Heads(NotFollowed::Refused(RefusedHead { evidence, .. }))
            | Self::Refused(RefusedHead { evidence, .. }) => evidence.as_deref(),
            _ => None,
        }
    }
}

impl<E> From<Refusal> for AskError<E> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl<F: Scheme> Client<F> {
    /// Creates a client with an empty view in memory. The view is lost when the client is dropped.
    ///
    /// Time: a check of the scheme's own key, up to many seconds for accumulators.
    ///
    /// # Errors
    /// [`OpenClientError::Family`], [`OpenClientError::Key`].
    pub fn new(public: &PublicKey) -> Result<Self, OpenClientError> {
        Self::of_view(StoredView::new(public.clone()).authenticated(), None)
    }

    /// Opens a client that stores its view in the file `path`. The file is created when the view
    /// first advances. Several processes may share the file. Time: that of [`Client::new`].
    ///
    /// # Errors
    /// [`OpenClientError`].
    pub fn open(path: impl Into<PathBuf>, public: &PublicKey) -> Result<Self, OpenClientError> {
        let file = ViewFile::at(path);
        let view = match file.read()? {
            Some(view) if view.public() != public => {
                return Err(OpenClientError::OtherKey(file.path().to_path_buf()));
            }
            Some(view) => view.authenticated(),
            None => StoredView::new(public.clone()).authenticated(),
        };
        Self::of_view(view, Some(file))
    }

    fn of_view(view: StoredView, file: Option<ViewFile>) -> Result<Self, OpenClientError> {
        F::require(view.public()).map_err(OpenClientError::Family)?;
        Ok(Self {
            verifier: dynamic::client_of(&view)?,
            view,
            file,
            family: PhantomData,
        })
    }
}

impl<F> Client<F> {
    /// Returns the newest version that the client has verified; version 0 before the first.
    pub const fn version(&self) -> Version {
        self.view.version()
    }

    /// Returns the author's public key, which this client trusts.
    pub const fn public(&self) -> &PublicKey {
        self.view.public()
    }

    /// Verifies that the server's latest version continues the history of the view, and stores it
    /// as the new view. A view without a head accepts any version that the author has signed.
    ///
    /// Requests the latest head. If it is newer than the view's head, also requests a consistency
    /// proof of `O(log v)` digests for `v` versions, and from a log an append-only proof.
    ///
    /// # Errors
    /// [`AskError::Heads`] if the server's heads are refused or not returned; [`AskError::Refused`]
    /// if another process has stored a view of another history; [`AskError::View`] if the view's
    /// file cannot be used. The view is unchanged after an error.
    pub fn advance<S: Source + ?Sized>(
        &mut self,
        server: &S,
    ) -> Result<Version, AskError<S::Error>> {
        span!("follow", version = self.version().number());
        let view = match &self.file {
            None => self.view.follow(server)?,
            Some(file) => file.advance(
                |stored| self.beginning(file, stored),
                |view| {
                    let advanced = view.follow(server)?;
                    if view == self.view {
                        return Ok(advanced);
                    }
                    self.joined(server, advanced)
                },
            )?,
        };
        if view != self.view {
            self.verifier = dynamic::client_of(&view)?;
            self.view = view;
        }
        Ok(self.version())
    }

    /// Returns `advanced`, or a newer view, if this client's view advances to the same head along
    /// the heads of `server`. `advanced` is a view of another process, advanced along these heads.
    /// The author may publish meanwhile, so the older of the two views is advanced again, at most
    /// [`MOST_RACES`] times.
    ///
    /// # Errors
    /// [`AskError`] if the heads still differ, or a view cannot advance.
    fn joined<S: Source + ?Sized>(
        &self,
        server: &S,
        mut advanced: StoredView,
    ) -> Result<StoredView, AskError<S::Error>> {
        let mut own = self.view.follow(server)?;
        for _ in 0..MOST_RACES {
            // The author may publish versions during the comparison. The older view then follows
            // the server again.
            match own.version().cmp(&advanced.version()) {
                Ordering::Less => own = own.follow(server)?,
                Ordering::Greater => advanced = advanced.follow(server)?,
                Ordering::Equal => break,
            }
        }
        if own.seen() != advanced.seen() {
            return Err(Refusal::from(VerifyError::Fork(advanced.version())).into());
        }
        Ok(advanced)
    }

    /// Returns the newer of this client's view and `stored`, the view in `file`.
    ///
    /// # Errors
    /// [`AskError::View`] with [`ViewAccessFault::OtherKey`] if the two views contain different
    /// public keys.
    fn beginning<E>(
        &self,
        file: &ViewFile,
        stored: Option<StoredView>,
    ) -> Result<StoredView, AskError<E>> {
        match stored {
            Some(stored) if stored.public() != self.public() => {
                Err(AskError::View(ViewAccessError {
                    path: file.path().to_path_buf(),
                    fault: ViewAccessFault::OtherKey,
                }))
            }
            Some(stored) if stored.version() >= self.version() => Ok(stored),
            _ => Ok(self.view.clone()),
        }
    }

    /// Advances the view to the server's latest version, then queries this version.
    ///
    /// # Errors
    /// [`AskError`].
    pub fn ask<S, Q>(
        &mut self,
        server: &S,
        question: Q,
    ) -> Result<<F as Asks<Q>>::Statement, AskError<S::Error>>
    where
        S: Source + ?Sized,
        F: Asks<Q>,
    {
        let latest = self.advance(server)?;
        self.ask_at(server, latest, question)
    }

    /// Queries a version that is not newer than the client's view.
    ///
    /// An answer about the newest version must match the head in the view. For an answer about an
    /// older version of a log, the server proves that the version is part of the same history. For
    /// other families, the author's signature is enough.
    ///
    /// # Errors
    /// [`AskError`], with [`Refusal::Ahead`] for a version newer than the view.
    pub fn ask_at<S, Q>(
        &self,
        server: &S,
        version: Version,
        question: Q,
    ) -> Result<<F as Asks<Q>>::Statement, AskError<S::Error>>
    where
        S: Source + ?Sized,
        F: Asks<Q>,
    {
        span!("ask", version = version.number());
        let followed = self.version();
        if version > followed {
            return Err(Refusal::Ahead { version, followed }.into());
        }
        let question = F::question(question);
        let most = dynamic::longest_answer(self.public(), &question);
        let answer = server.answer_message(version, &question, most);
        let answer = answer.map_err(AskError::Silent)?;
        if answer.len() > most {
            return Err(Refusal::Decode(DecodeError::TooLarge { limit: most }).into());
        }
        let checked = self.verifier.check_at(version, &question, &answer);
        let statement = checked.map_err(|refusal| {
            let evidence = self.view.accuse_by_answer(&question, &answer);
            AskError::Refused(RefusedHead { refusal, evidence })
        })?;
        self.view
            .check_past(server, (version, &question), &answer)?;
        Ok(F::statement(statement)?)
    }
}

/// The maximum number of times that one of two views is advanced to catch up with the other, while
/// the author publishes versions.
const MOST_RACES: u32 = 4;
