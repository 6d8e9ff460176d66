//! False answers of servers (lies): changed bytes of true answers, given to a real client.

use pad_core::{Operation, Value, Version};

use crate::{
    dictionary::{Dictionary, Refusal},
    prices::{Prices, keys},
    report::{Lie, Outcome, lies},
};

/// Length of the signature at the end of a head, in bytes.
const SIGNATURE: usize = 64;

/// Returns the first snapshot, with another value for the key that false answers are about.
pub(crate) fn forged(prices: &Prices) -> Vec<Operation> {
    let ([key, ..], mut operations) = (keys(), prices.snapshots[0].1.clone());
    operations.push(Operation::Put(key, Value::from(b"0.0")));
    operations
}

/// Gives false answers about a dictionary to a client. The client must reject each of them for its
/// content, not as undecodable. `liar` contains the snapshot [`forged`], signed with another key.
pub(crate) fn tell(
    honest: &dyn Dictionary,
    liar: &dyn Dictionary,
    prices: &Prices,
) -> Outcome<Vec<Lie>> {
    let (first, latest, [key, other, ..]) = (Version::new(1), prices.latest(), keys());
    let (mut changed, other) = (honest.answer(latest, &key)?, honest.answer(latest, &other)?);
    // An answer is an envelope, a byte for the head, the head, and the proof.
    let head = honest.head(latest)?.len() + 1;
    let (genuine, mut forged) = (honest.answer(first, &key)?, liar.answer(first, &key)?);
    let old = [&changed[..head], &genuine[head..]].concat();
    let signed = head - SIGNATURE..head;
    forged[signed.clone()].copy_from_slice(&genuine[signed]);
    let before = prices.last().keys().rfind(|before| **before < key);
    let absent = [before.ok_or("no key is before it")?.as_bytes(), &[0]].concat();
    let hidden = honest.answer(latest, &absent.try_into()?)?;
    let value = prices.value(latest, &key).ok_or("the key is not there")?;
    let value = value.as_bytes();
    let mut shown = changed.windows(value.len());
    let place = shown.rposition(|bytes| bytes == value);
    changed[place.ok_or("the value is not shown")?] ^= 1;

    let check = |version, answer: &[u8]| match honest.check(version, &key, answer) {
        Err(Refusal::Decode(reason)) => Err(format!("a lie cannot be read: {reason}")),
        checked => Ok(checked),
    };
    let heads = [&*honest.head(latest)?, &honest.head(first)?];
    Ok(lies! {
        "changed value": "changed a bit of the value in its answer", check(latest, &changed)?;
        "another key": "answered with the true proof of another key", check(latest, &other)?;
        "hidden key": "denied the key with a true proof that another key is absent",
            check(latest, &hidden)?;
        "old proof": "combined the latest head with the proof of version 1",
            check(latest, &old)?;
        "forged root": "attached the author's signature to a forged dictionary",
            check(first, &forged)?;
        "old version as new": "offered version 1, truly signed, as the latest",
            honest.follow(heads);
    })
}
