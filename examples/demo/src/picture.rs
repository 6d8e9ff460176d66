//! The picture of a proof, as SVG: the path from the root of a tree to a leaf.

use core::fmt::Write as _;

use pad_core::{Key, Response, codec};
use pad_tree::{TreeProof, internals::Step};

use crate::{
    dictionary::{Publication, S},
    page::escaped,
    report::Outcome,
};

/// Width of the picture: that of a small screen, so that its texts stay legible there.
const WIDTH: f64 = 358.0;
/// Distance of two levels of the tree.
const LEVEL: f64 = 27.0;

/// Draws the proof of a present key in the latest version of a tree.
///
/// # Errors
/// An error if the key is absent, or if the proof does not verify.
pub(crate) fn proof(published: &Publication<'_>, key: &Key) -> Outcome<String> {
    let version = published.prices.latest();
    let answer = published.dictionary.answer(version, key)?;
    let value = published.dictionary.check(version, key, &answer)?;
    let value = value.value().ok_or("the drawn key is absent")?.to_string();
    let response: Response<S, TreeProof<S, Key>> = codec::decode(&answer, answer.len())?;
    let root = response.head.ok_or("the head is missing")?.head.root;
    // The digests next to the path, from the leaf up: -1 for a left sibling, 1 for a right one.
    let mut siblings = Vec::new();
    response.proof.explain(&root, &mut |step| match step {
        Step::LeftElided { sibling, .. } => siblings.push((-1.0, sibling)),
        Step::RightElided { sibling, .. } => siblings.push((1.0, sibling)),
        _ => {}
    })?;
    siblings.reverse();
    let short = |digest: &[u8]| hex::encode(digest.get(..2).unwrap_or_default());

    // The path turns away from each sibling. It is scaled and shifted to the middle.
    let turns = siblings.iter().scan(0.0, |x, (side, _)| {
        *x -= side;
        Some(*x)
    });
    let turns: Vec<f64> = core::iter::once(0.0).chain(turns).collect();
    let left = turns.iter().copied().fold(0.0, f64::min);
    let right = turns.iter().copied().fold(0.0, f64::max);
    let scale = (WIDTH - 150.0) / (right - left).max(16.0);
    let across = |turn: f64| WIDTH / 2.0 + (turn - f64::midpoint(left, right)) * scale;
    let (mut lines, mut nodes, mut y) = (String::new(), String::new(), 36.0);
    for (ends, (side, digest)) in turns.windows(2).zip(&siblings) {
        let (x, below, next) = (across(ends[0]), y + LEVEL, across(ends[1]));
        let sibling = next + side * 50.0;
        for to in [next, sibling] {
            writeln!(
                lines,
                "<line x1=\"{x:.1}\" y1=\"{y}\" x2=\"{to:.1}\" y2=\"{below}\"/>"
            )?;
        }
        writeln!(
            nodes,
            "<circle cx=\"{x:.1}\" cy=\"{y}\" r=\"5\"/>\
             <rect class=\"sent\" x=\"{:.1}\" y=\"{}\" width=\"48\" height=\"18\" rx=\"3\"/>\
             <text x=\"{sibling:.1}\" y=\"{}\">{}&hellip;</text>",
            sibling - 24.0,
            below - 9.0,
            below + 4.0,
            short(digest.as_ref())
        )?;
        y = below;
    }
    let (middle, end, leaf) = (WIDTH / 2.0, across(turns[turns.len() - 1]), y + 18.0);
    writeln!(
        lines,
        "<line x1=\"{end:.1}\" y1=\"{y}\" x2=\"{middle}\" y2=\"{leaf}\"/>"
    )?;
    let (count, key, height) = (siblings.len(), escaped(&key.to_string()), leaf + 28.0);
    Ok(format!(
        "<figure class=\"proof\"><figcaption><b>A proof</b> The price {value} of {key} in version \
         {version}, in a red-black tree. The server sends the leaf and the {count} digests in \
         dashed boxes. The client hashes from the leaf up, once at each dot. The answer is true if \
         the last digest is the signed root.</figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Path from the signed root \
         to a leaf, with a digest at each level\">\n{lines}\
         <text x=\"{middle}\" y=\"16\">signed root {root}&hellip;</text>\n{nodes}\
         <circle cx=\"{end:.1}\" cy=\"{y}\" r=\"5\"/>\
         <rect class=\"sent\" x=\"1\" y=\"{leaf}\" width=\"{width}\" height=\"26\" rx=\"3\"/>\
         <text x=\"{middle}\" y=\"{base}\">{key} = {value}</text>\n</svg></figure>",
        root = short(root.as_ref()),
        width = WIDTH - 2.0,
        base = leaf + 17.0,
    ))
}
