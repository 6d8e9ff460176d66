//! The commands that create a dictionary with a recommended scheme.

use authdict::{SchemeName, internals::SchemeKeyFormat};
use comparison::{Load, Scheme, SchemeFamily};

use crate::cli::keygen::MOST_ENTRIES;

/// Returns the commands that create a dictionary of `scheme` for `load`, in order. The error
/// explains why no commands exist.
///
/// Some commands read a file `trace.csv` or `ceremony.json`, which the user has to supply.
pub(super) fn commands(scheme: &Scheme, load: &Load) -> Result<Vec<String>, String> {
    let name = scheme
        .keygen
        .ok_or("of the library; the command line does not offer it")?;
    let known: SchemeName = name.parse().map_err(|_| "not in this build")?;
    let mut keygen = format!("pad keygen --scheme {name}");
    let is_bounded = known.key_format().is_some_and(SchemeKeyFormat::is_bounded);
    if is_bounded {
        if i64::try_from(load.keys).is_ok_and(|keys| keys <= MOST_ENTRIES) {
            keygen.extend([" --entries ", &load.keys.to_string()]);
        } else {
            return Err(format!(
                "of the library; the command line makes keys for at most {MOST_ENTRIES} entries"
            ));
        }
    }
    if scheme.family == SchemeFamily::Directory {
        return Ok(vec![
            keygen,
            "pad directory create directory --key pad.key".into(),
        ]);
    }
    let mut import = "pad import --store dictionary --key pad.key".to_owned();
    // The bundled parameters contain too few powers for frontier schemes.
    let parameters = name.ends_with("-frontier").then(|| {
        for command in [&mut keygen, &mut import] {
            command.push_str(" --parameters parameters");
        }
        format!("pad parameters --scheme {name} --ceremony ceremony.json --out parameters")
    });
    import += " trace.csv";
    Ok(parameters.into_iter().chain([keygen, import]).collect())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use comparison::schemes;

    use super::*;
    use crate::cli::Arguments;

    const LOAD: Load = Load {
        keys: 5000,
        key_bytes: 8,
        value_bytes: 32,
        changes: 1,
        snapshots_per_day: 1.0,
        lookups_per_day: 1.0,
        old_lookups: 0.0,
        servers: 1,
        kept_versions: 1.0,
    };

    #[test]
    fn what_is_printed_is_what_the_command_line_takes() {
        for scheme in schemes() {
            let Ok(commands) = commands(scheme, &LOAD) else {
                assert_eq!(scheme.keygen, None, "{}", scheme.name);
                continue;
            };
            for command in commands {
                let read = Arguments::try_parse_from(command.split(' '));
                assert!(read.is_ok(), "{command}: {read:?}");
            }
        }
    }

    #[test]
    fn the_default_of_the_advice_is_that_of_keygen() {
        let default = comparison::scheme(comparison::advice::DEFAULT).unwrap();
        assert_eq!(default.keygen, Some(SchemeName::RedBlack.name()));
        assert_eq!(default.place, comparison::Place::Store);
    }

    #[test]
    fn keys_for_a_number_of_entries_say_which() {
        let scheme = comparison::scheme("tuple-chain-accumulators-bilinear").unwrap();
        let of = |keys| commands(scheme, &Load { keys, ..LOAD });
        assert_eq!(
            of(5000).unwrap()[0],
            "pad keygen --scheme tuple-chain-accumulators-bilinear --entries 5000"
        );
        assert!(of(40_001).unwrap_err().contains("at most 40000 entries"));
        let tree = comparison::scheme("treap-stored").unwrap();
        assert_eq!(
            commands(tree, &LOAD).unwrap(),
            [
                "pad keygen --scheme treap",
                "pad import --store dictionary --key pad.key trace.csv"
            ]
        );
    }
}
