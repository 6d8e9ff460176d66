use std::sync::mpsc::{self, Receiver, Sender};

use super::*;

/// Steps that are reported one by one, and may have to be allowed.
struct Reporting {
    name: u8,
    left: u8,
    panics: bool,
    allowed: Option<Receiver<()>>,
    told: Sender<u8>,
}

impl Work for Reporting {
    fn step(&mut self) -> bool {
        if self.left == 0 {
            return true;
        }
        if let Some(allowed) = &self.allowed {
            allowed.recv().unwrap();
        }
        assert!(!self.panics, "as the test wants");
        self.left -= 1;
        self.told.send(self.name).unwrap();
        self.left == 0
    }
}

fn work(name: u8, left: u8, told: &Sender<u8>) -> Reporting {
    Reporting {
        name,
        left,
        panics: false,
        allowed: None,
        told: told.clone(),
    }
}

fn background(threads: usize) -> Background<u8, Reporting> {
    Background::new(NonZeroUsize::new(threads).unwrap()).unwrap()
}

#[test]
fn the_most_urgent_is_first_between_any_two_steps() {
    let (told, steps) = mpsc::channel();
    let (allow, allowed) = mpsc::channel();
    let background = background(1);
    let mut first = work(5, 2, &told);
    first.allowed = Some(allowed);
    background.add(5, first);
    while !background.map(|_, _| ()).is_empty() {
        thread::yield_now();
    }
    // The thread has it in hand, and waits to be allowed to go on.
    background.add(3, work(3, 2, &told));
    background.add(1, work(1, 2, &told));
    allow.send(()).unwrap();
    allow.send(()).unwrap();
    let order: Vec<u8> = steps.iter().take(6).collect();
    assert_eq!(order, [5, 1, 1, 3, 3, 5]);
}

#[test]
fn work_is_taken_back_where_it_is() {
    let (told, steps) = mpsc::channel();
    let (allow, allowed) = mpsc::channel();
    let background = background(2);
    let mut waiting = work(1, 3, &told);
    waiting.allowed = Some(allowed);
    background.add(1, waiting);
    allow.send(()).unwrap();
    assert_eq!(steps.recv(), Ok(1));
    // A thread may be at the next step, and is waited for.
    for _ in 0..2 {
        allow.send(()).unwrap();
    }
    let mut work = background.take(1).unwrap().unwrap();
    assert!(background.take(1).is_none());
    assert!(background.keys().is_empty());
    while !work.step() {}
    assert_eq!(work.left, 0);
}

#[test]
fn a_panic_is_an_error_and_the_threads_go_on() {
    let (told, steps) = mpsc::channel();
    let background = background(1);
    let mut panicking = work(1, 2, &told);
    panicking.panics = true;
    background.add(1, panicking);
    background.add(2, work(2, 1, &told));
    assert_eq!(steps.recv(), Ok(2), "after the first one");
    assert_eq!(background.take(1).map(|work| work.is_err()), Some(true));
    assert!(background.take(1).is_none());
    assert!(background.take(2).is_some());
}

#[test]
fn threads_end_when_nobody_needs_them() {
    let (told, steps) = mpsc::channel();
    let background = background(3);
    let shared = Arc::downgrade(&background.shared);
    for name in 0..10 {
        background.add(name, work(name, 100, &told));
    }
    drop(background);
    assert!(shared.upgrade().is_none());
    drop(told);
    assert!(steps.iter().count() <= 1000);
}
