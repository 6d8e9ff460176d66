//! Accepted connections: limits on their number, and write time-outs for clients that read slowly.

use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use std::{
    io::{Error, ErrorKind, IoSlice, Result},
    net::SocketAddr,
    sync::Arc,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{
    options::{QUANTUM, Timeouts},
    peers::{Connection, ConnectionSlot, Peers},
};

/// A TCP stream whose writes fail with `TimedOut` if the client reads a response too slowly.
///
/// Reads have no time-out here, because the heads and bodies of requests have their own time-outs.
#[derive(Debug)]
pub(super) struct GuardedStream {
    stream: TcpStream,
    patience: Duration,
    whole: Duration,
    /// Whether the last write has to wait until the client reads more.
    is_blocked: bool,
    stalled: Option<Stall>,
    /// Deadline for the whole response, set when a write could not complete.
    sending: Option<Pin<Box<Sleep>>>,
    connected: ConnectionSlot,
}

/// Deadline for a client that reads too slowly, and the bytes that it has read since the deadline
/// was set.
#[derive(Debug)]
struct Stall {
    deadline: Pin<Box<Sleep>>,
    taken: usize,
}

impl GuardedStream {
    /// Accepts the connection of a peer. Returns `None` if the peer or the server has too many
    /// connections, or the stream cannot be configured.
    ///
    /// Waiting here would queue connections without limit. A closed connection tells the client to
    /// try later.
    pub(super) fn accept(
        stream: TcpStream,
        address: SocketAddr,
        peers: &Arc<Peers>,
        timeouts: &Timeouts,
    ) -> Option<Self> {
        let connected = peers.connect(address)?;
        stream.set_nodelay(true).ok()?;
        Some(Self {
            stream,
            patience: timeouts.write,
            whole: timeouts.whole_answer,
            is_blocked: false,
            stalled: None,
            sending: None,
            connected,
        })
    }

    /// Returns the shared state of the connection.
    pub(super) fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.connected.connection)
    }

    /// Polls the write `attempt`. Fails with `TimedOut` if it is pending and a deadline has passed.
    fn watch(
        &mut self,
        context: &mut Context<'_>,
        attempt: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<Result<usize>>,
    ) -> Poll<Result<usize>> {
        let attempt = attempt(Pin::new(&mut self.stream), context);
        self.is_blocked = attempt.is_pending();
        match attempt {
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
                let (patience, whole) = (self.patience, self.whole);
                let stall = self.stalled.get_or_insert_with(|| Stall {
                    deadline: Box::pin(sleep(patience)),
                    taken: 0,
                });
                let sending = self.sending.get_or_insert_with(|| Box::pin(sleep(whole)));
                if stall.deadline.as_mut().poll(context).is_pending()
                    && sending.as_mut().poll(context).is_pending()
                {
                    return Poll::Pending;
                }
                Poll::Ready(Err(Error::from(ErrorKind::TimedOut)))
            }
        }
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        // Once the client has read all responses, its next request resets the deadlines. Data that
        // a client sends before that does not reset them.
        if !self.is_blocked && !self.connected.connection.has_unsent() {
            self.stalled = None;
            self.sending = None;
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for GuardedStream {
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
