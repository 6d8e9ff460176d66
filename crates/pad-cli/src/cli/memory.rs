//! Node caches of served dictionaries.

use std::{fs, path::Path, time::Instant};

use authdict::{CacheSize, NodeCache, internals::AnyStore};
use clap::Args;
use pad_service::Dictionary;
use serde_json::json;

use super::{Failure, Output, Result, progress, quantity};

/// Node cache of a server.
#[derive(Debug, Args)]
pub(super) struct CacheArguments {
    /// Node cache of each dictionary: SIZE, all, or all:SIZE.
    ///
    /// SIZE, such as 64MiB, caches the nodes used last. all holds all nodes of the latest version:
    /// they are read before the server starts, and updated with new versions. all:SIZE does the
    /// same and refuses a dictionary that needs more.
    ///
    /// Plain all may take half of the memory that the system reports free when the dictionary is
    /// opened. While everything is read again, as after a pruning, there are two copies. For
    /// dictionaries kept in a file of nodes.
    #[arg(long, value_name = "SIZE|all|all:SIZE", default_value = "64MiB")]
    #[arg(value_parser = cache_size)]
    cache: CacheSize,
}

impl CacheArguments {
    /// Opens the dictionary in `store`. With `--cache all`, reads its latest version into memory.
    pub(super) fn open(&self, name: &str, store: &Path, output: &mut Output) -> Result<Dictionary> {
        let CacheSize::Warmed { most } = self.cache else {
            return Ok(Dictionary::open_with(store, self.cache)?);
        };
        if AnyStore::is_in_objects(store) {
            return Err(Failure::input("--cache all requires a store in files")
                .help("give a size for a store in objects"));
        }
        let most = match most {
            // While all nodes are read again, two copies are in memory.
            AS_FREE => free_memory().map_or(AS_FREE, |free| free / 2),
            most => most,
        };
        let bar = progress::bar(output, 0, BAR);
        let shown = bar.clone();
        let cache = NodeCache::new(CacheSize::Warmed { most }).with_progress(move |warming| {
            shown.set_length(warming.of);
            shown.set_position(warming.entries);
        });
        let start = Instant::now();
        let opened = Dictionary::open_with(store, cache);
        bar.finish_and_clear();
        let dictionary = opened?;
        if !dictionary.reads_on_demand() {
            // This kind of store is always in memory, so it needs no cache.
            return Ok(dictionary);
        }
        let (seconds, bytes) = (
            start.elapsed().as_secs_f64(),
            dictionary.read(|server| server.memory_bytes()),
        );
        let text = format!(
            "{name}: the nodes of the latest version are in memory, {bytes} bytes, after \
             {seconds:.1} s"
        );
        let object = json!({
            "dictionary_name": name,
            "memory_bytes": bytes,
            "most_bytes": most,
            "seconds": seconds,
        });
        output.say(&text, &object)?;
        Ok(dictionary)
    }
}

/// Marker for a limit that is derived from the free memory when a store is opened.
const AS_FREE: u64 = u64::MAX;

const BAR: &str =
    "{spinner} reading nodes into memory {bar:30} {human_pos} of {human_len} entries, {elapsed}";

fn cache_size(text: &str) -> Result<CacheSize, String> {
    let all = |most| CacheSize::Warmed { most };
    match text.split_once(':') {
        None if text == "all" => Ok(all(AS_FREE)),
        Some(("all", most)) => {
            let most = quantity::memory(most)?;
            Ok(all(u64::try_from(most).unwrap_or(u64::MAX)))
        }
        _ => match quantity::memory(text) {
            Ok(bytes) => Ok(CacheSize::OfBytes(bytes)),
            Err(why) => Err(format!("a size, all or all:SIZE; a size is {why}")),
        },
    }
}

/// Returns the available memory of the system in bytes; `None` if it is unknown.
fn free_memory() -> Option<u64> {
    let said = fs::read_to_string("/proc/meminfo").ok()?;
    let mut lines = said.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_by_hand() {
        assert_eq!(cache_size("64MiB"), Ok(CacheSize::OfBytes(64 << 20)));
        let most = 1 << 30;
        assert_eq!(cache_size("all:1GiB"), Ok(CacheSize::Warmed { most }));
        assert!(matches!(cache_size("all"), Ok(CacheSize::Warmed { most }) if most > 0));
        for text in ["", "al", "all:", "all:0", "none:1GiB", "1KiB"] {
            assert!(cache_size(text).is_err(), "{text}");
        }
    }
}
