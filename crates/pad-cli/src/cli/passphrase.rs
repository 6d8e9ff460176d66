//! Input of passphrases, from a file named by an environment variable or from the terminal.
//!
//! A passphrase is never read from the command line, because other users of the machine can see
//! command lines.

use std::{
    env,
    fs::File,
    io::{self, Read as _, Write as _},
    path::Path,
};

use authdict::{Passphrase, Zeroizing};
use console::Term;

use super::{Failure, Result, files::check_secret};

/// The passphrase that the user is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum PassphrasePrompt<'a> {
    /// The existing passphrase of the key in this file.
    Of(&'a Path),
    /// A new passphrase, for a new key.
    ForNewKey,
    /// A new passphrase, for the key in this file.
    Anew(&'a Path),
}

impl PassphrasePrompt<'_> {
    const fn variable(self) -> &'static str {
        match self {
            Self::Of(_) | Self::ForNewKey => "PAD_PASSPHRASE_FILE",
            Self::Anew(_) => "PAD_NEW_PASSPHRASE_FILE",
        }
    }

    fn prompt(self) -> String {
        let shown = |path: &Path| super::Output::show_text(&path.display().to_string());
        match self {
            Self::Of(path) => format!("passphrase of {}", shown(path)),
            Self::ForNewKey => "new passphrase".into(),
            Self::Anew(path) => format!("new passphrase of {}", shown(path)),
        }
    }
}

/// Reads a passphrase from the file named in the environment, or else from the terminal. A new
/// passphrase must be typed twice.
pub(super) fn ask(asked: PassphrasePrompt<'_>) -> Result<Passphrase> {
    let variable = asked.variable();
    if let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) {
        return from_file(variable, Path::new(&path));
    }
    let passphrase = typed(asked, &asked.prompt())?;
    if !matches!(asked, PassphrasePrompt::Of(_))
        && !typed(asked, "repeat the passphrase")?.is(&passphrase)
    {
        return Err(Failure::input("the two passphrases differ"));
    }
    Ok(passphrase)
}

/// Reads a passphrase: the first line of the file at `path`, which the environment variable
/// `variable` names.
fn from_file(variable: &str, path: &Path) -> Result<Passphrase> {
    check_secret(variable, path)?;
    // The full capacity is allocated at once, so that no copy remains in freed memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST_FILE));
    let limit = u64::try_from(LONGEST_FILE).unwrap_or(u64::MAX);
    let file = File::open(path).map_err(Failure::at(path))?;
    let read = file.take(limit).read_to_end(&mut bytes);
    read.map_err(Failure::at(path))?;
    let line = bytes.split(|byte| *byte == b'\n').next();
    let line = line.unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let unfit = |error: &dyn core::fmt::Display| {
        Failure::Input(format!("{variable} {}: {error}", path.display()))
    };
    let text = core::str::from_utf8(line).map_err(|error| unfit(&error))?;
    Passphrase::new(Zeroizing::new(text.to_owned())).map_err(|error| unfit(&error))
}

fn typed(asked: PassphrasePrompt<'_>, prompt: &str) -> Result<Passphrase> {
    let line = read_line(prompt).map_err(|error| {
        let what = match asked {
            PassphrasePrompt::Of(path) => {
                format!("key file {}: it has a passphrase", path.display())
            }
            PassphrasePrompt::ForNewKey | PassphrasePrompt::Anew(_) => {
                "a passphrase is needed".into()
            }
        };
        Failure::Input(format!(
            "{what}, and there is no terminal to ask for it ({error})"
        ))
        .help(format!(
            "name a file with the passphrase in {}",
            asked.variable()
        ))
    })?;
    Passphrase::new(line).map_err(|error| Failure::Input(error.to_string()))
}

/// Shows a prompt and reads a line on the terminal device, because standard input may be a trace
/// and standard error a file.
fn read_line(prompt: &str) -> io::Result<Zeroizing<String>> {
    #[cfg(unix)]
    let terminal = {
        let tty = File::options().read(true).write(true).open("/dev/tty")?;
        Term::read_write_pair(tty.try_clone()?, tty)
    };
    #[cfg(not(unix))]
    let terminal = Term::stderr();
    if !terminal.is_term() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut shown = &terminal;
    write!(shown, "{prompt}: ")?;
    shown.flush()?;
    terminal.read_secure_line().map(Zeroizing::new)
}

/// Maximum number of bytes read from a passphrase file. A passphrase and a few further lines fit.
const LONGEST_FILE: usize = 4096;
