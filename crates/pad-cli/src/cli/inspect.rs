//! `pad inspect`: prints each step of the check of a proof.

use std::path::PathBuf;

use authdict::{
    Question,
    internals::inspect::{self, Inspection, Line, LineContent, Role},
    verify,
};
use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    Output, PUBLIC_VARIABLE, Result,
    files::{load_public, read_file},
    session::add_caveat,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad inspect price.proof
  pad inspect --public author.key.pub price.proof 'gpt-4o|input_cost_per_token'

The first command shows the steps without checking signatures. The second one
also verifies what is proved.")]
pub(super) struct Inspect {
    /// The author's public key, to verify signatures.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    public: Option<PathBuf>,
    /// A proof, a signed head or an update; - for standard input.
    message: PathBuf,
    /// The key of the proof; with --public the proof is then verified.
    key: Option<String>,
}

impl Inspect {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let public = self.public.as_deref().map(load_public).transpose()?;
        let key = self.key.as_deref().map(|key| output.key(key)).transpose()?;
        let message = read_file(&self.message, inspect::LONGEST)?;
        let (mut step, mut said) = (0_u64, Ok(()));
        let inspected = {
            let mut note = |line: Line| {
                step = step.saturating_add(1);
                if said.is_ok() {
                    let (text, object) = shown(step, &line, output);
                    said = output.say(&text, &object);
                }
            };
            inspect::inspect(public.as_ref(), key.as_ref(), &message, &mut note)
        };
        said?;
        let inspected = inspected?;
        output.end(step);
        match (public, key, inspected.kind.role) {
            (Some(public), Some(key), Role::ProofFile) => {
                let Some(version) = inspected.version else {
                    return end(&inspected, output);
                };
                add_caveat(&public, output);
                let question = Question::Key(key);
                output.statement(verify(&public, version, &question, &message)?)
            }
            _ => end(&inspected, output),
        }
    }
}

fn end(inspected: &Inspection, output: &mut Output) -> Result {
    let Inspection { kind, .. } = inspected;
    let signed = if inspected.is_signed {
        "the author has signed the head"
    } else {
        "signatures were not checked (--public)"
    };
    let followed = match (kind.role, inspected.is_followed) {
        (Role::ProofFile, true) => "the steps lead to the root in the head; ",
        (Role::Evidence, _) => "pad evidence checks it; ",
        _ => "",
    };
    let asked = match (kind.role, kind.number) {
        (Role::ProofFile, 176 | 177) => "; pad directory verify checks it",
        (Role::ProofFile, _) => "; with --public and the requested key, it is verified",
        _ => "",
    };
    let object = json!({
        "kind_number": kind.number,
        "kind_name": kind.name,
        "version": inspected.version.map(authdict::Version::number),
        "signature_checked": inspected.is_signed,
        "root_computed": inspected.is_followed,
        // Without a question, no answer is verified.
        "verified": false,
    });
    output.say(&format!("[{followed}{signed}{asked}]"), &object)
}

fn shown(step: u64, line: &Line, output: &Output) -> (String, Json) {
    let Line { what, shown, says } = line;
    let is_explained = !says.is_empty();
    let explanation = is_explained.then_some(says.as_str());
    let mut object = json!({ "number": step, "what": what, "says": explanation });
    let value = match shown {
        LineContent::Bytes(bytes) => {
            output.add(&mut object, "shown", bytes);
            output.show(bytes)
        }
        LineContent::Text(text) => {
            object["shown"] = text.as_str().into();
            text.clone()
        }
        LineContent::Number(number) => {
            object["shown"] = (*number).into();
            number.to_string()
        }
    };
    let dash = if is_explained { "   " } else { "" };
    (format!("{what:<13}  {value}{dash}{says}"), object)
}
