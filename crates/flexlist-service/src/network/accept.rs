//! Connections: how many, and how long one may keep the server waiting.

use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use std::{
    io::{Error, ErrorKind, IoSlice, Result},
    sync::Arc,
};

use axum_server::accept::Accept;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Sleep, sleep},
};

use super::options::QUANTUM;

/// Accepts a bounded number of connections, each of them [`Guarded`], and hands them on to `inner`.
#[derive(Clone, Debug)]
pub(super) struct Bounded<A> {
    inner: A,
    free: Arc<Semaphore>,
    write: Duration,
}

impl<A> Bounded<A> {
    pub(super) fn new(inner: A, connections: usize, write: Duration) -> Self {
        Self {
            inner,
            free: Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS))),
            write,
        }
    }
}

impl<A, S> Accept<TcpStream, S> for Bounded<A>
where
    A: Accept<Guarded, S>,
    A::Future: Send + 'static,
    A::Stream: Send + 'static,
    A::Service: Send + 'static,
{
    type Stream = A::Stream;
    type Service = A::Service;
    type Future = Pin<Box<dyn Future<Output = Result<(A::Stream, A::Service)>> + Send>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        // To wait here would queue connections without a bound; to close tells the client to wait.
        let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() else {
            return Box::pin(async { Err(Error::from(ErrorKind::ConnectionRefused)) });
        };
        if let Err(error) = stream.set_nodelay(true) {
            return Box::pin(async { Err(error) });
        }
        let guarded = Guarded {
            stream,
            patience: self.write,
            stalled: None,
            _permit: permit,
        };
        Box::pin(self.inner.accept(guarded, service))
    }
}

/// A connection whose writes fail with `TimedOut` when the client takes too little of what is sent.
///
/// Reads need no clock here: the heads and bodies of requests have theirs.
#[derive(Debug)]
pub(super) struct Guarded {
    stream: TcpStream,
    patience: Duration,
    stalled: Option<Stall>,
    _permit: OwnedSemaphorePermit,
}

/// Since when the client has not kept up, and what it took since then.
#[derive(Debug)]
struct Stall {
    deadline: Pin<Box<Sleep>>,
    taken: usize,
}

impl Guarded {
    /// Lets `attempt` write, and watches how it goes.
    fn watch(
        &mut self,
        context: &mut Context<'_>,
        attempt: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        match attempt(Pin::new(&mut self.stream), context) {
            Poll::Ready(Ok(written)) => {
                if let Some(stall) = &mut self.stalled {
                    stall.taken = stall.taken.saturating_add(written);
                    if stall.taken >= QUANTUM {
                        self.stalled = None;
                    }
                }
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let patience = self.patience;
                let stall = self.stalled.get_or_insert_with(|| Stall {
                    deadline: Box::pin(sleep(patience)),
                    taken: 0,
                });
                ready!(stall.deadline.as_mut().poll(context));
                Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
            }
        }
    }
}

impl AsyncRead for Guarded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        // The next request: the answer before it has been taken.
        if buffer.filled().len() > before {
            self.stalled = None;
        }
        outcome
    }
}

impl AsyncWrite for Guarded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.watch(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.watch(context, |stream, context| {
            stream.poll_write_vectored(context, slices)
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
