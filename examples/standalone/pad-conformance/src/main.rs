//! A family of dictionaries in two pages, and wrong copies of it, under the checks of
//! `pad-conformance`.

mod author;
mod family;
mod repository;

use std::panic;

use pad_conformance::{check_family, check_soundness};
use pad_core::Key;

use crate::family::{
    AnswersWithTheNext, ForgetsValues, List, Sound, TrustsEmptyLists, TrustsSubsets,
};

fn main() {
    check_family::<List<Sound>>();
    println!("the sound family passes");
    // Each refused answer of the wrong families is a panic that names the forgery.
    panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    require_refusal(check_soundness::<List<ForgetsValues>, Key>);
    require_refusal(check_soundness::<List<TrustsEmptyLists>, Key>);
    require_refusal(check_soundness::<List<AnswersWithTheNext>, Key>);
    require_refusal(check_soundness::<List<TrustsSubsets>, Key>);
    println!("four wrong families are refused");
}

/// Panics unless the check `check` refuses a family.
fn require_refusal(check: fn()) {
    assert!(panic::catch_unwind(check).is_err(), "a wrong family passes");
}
