//! A server that lies: each attack is made by changing real bytes, and handed to a real client.

use std::path::Path;

use pad::selection::SchemeFamily;

use super::{
    dictionary::Published,
    scene::{Attack, Scene},
    tree_attacks, tuple_attacks,
};
use crate::cli::Failure;

/// All attacks on one dictionary: five on a tree, four to six on tuples.
pub(super) fn all(dictionary: &Published<'_>, folder: &Path) -> Result<Vec<Attack>, Failure> {
    let key = dictionary.prices.attacked();
    let scene = Scene {
        dictionary,
        repository: dictionary.author.repository(),
        prices: dictionary.prices,
        key,
    };
    let mut attacks = match dictionary.scheme.family() {
        SchemeFamily::Tuple => tuple_attacks::all(&scene)?,
        _ => tree_attacks::all(&scene, folder)?,
    };
    attacks.push(scene.old_as_new()?);
    Ok(attacks)
}
