//! Long computations that run step by step.
//!
//! Such a computation is an `async fn` that awaits only [`pause`], after each piece of bounded
//! work. The compiler keeps its state between two steps. There is no asynchronous runtime.
//! [`Steps::step`] polls the computation until its next pause, [`run_to_end`] until its end.

use core::{
    fmt,
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

/// A computation that runs step by step. The number of steps is known before it begins.
pub(super) struct Steps<T> {
    /// The computation, or `None` once it is finished.
    future: Option<Pin<Box<dyn Future<Output = T> + Send + Sync>>>,
    total: usize,
    done: usize,
}

impl<T> Steps<T> {
    /// Wraps a computation that pauses `total` times and then returns. It may pause less often only
    /// if it fails.
    pub(super) fn new(
        total: usize,
        computation: impl Future<Output = T> + Send + Sync + 'static,
    ) -> Self {
        Self {
            future: Some(Box::pin(computation)),
            total,
            done: 0,
        }
    }

    /// The total number of steps, past and remaining.
    pub(super) const fn total(&self) -> usize {
        self.total
    }

    /// The number of remaining steps.
    pub(super) const fn left(&self) -> usize {
        self.total - self.done
    }

    /// Runs one step. Returns the result after the last step.
    pub(super) fn step(&mut self) -> Option<T> {
        loop {
            let future = self.future.as_mut()?;
            if let Poll::Ready(result) = poll(future.as_mut()) {
                self.future = None;
                return Some(result);
            }
            self.done += 1;
            debug_assert!(self.done <= self.total, "more steps than announced");
            if self.done != self.total {
                return None;
            }
        }
    }
}

impl<T> fmt::Debug for Steps<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Steps({} of {})", self.done, self.total)
    }
}

/// Runs a computation to its end, without stopping at pauses, and returns its result.
pub(super) fn run_to_end<T>(computation: impl Future<Output = T>) -> T {
    let mut computation = pin!(computation);
    loop {
        if let Poll::Ready(result) = poll(computation.as_mut()) {
            return result;
        }
    }
}

fn poll<T>(computation: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    computation.poll(&mut Context::from_waker(Waker::noop()))
}

/// Ends the current step of the computation that awaits the returned future.
pub(super) const fn pause() -> Pause {
    Pause { is_over: false }
}

/// Future returned by [`pause`].
#[derive(Debug)]
pub(super) struct Pause {
    is_over: bool,
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.is_over {
            return Poll::Ready(());
        }
        self.is_over = true;
        Poll::Pending
    }
}
