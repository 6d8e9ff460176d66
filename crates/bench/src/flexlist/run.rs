//! The experiments one after the other.

use super::{
    FlexlistArguments, Reporter, arguments::FlexlistExperiment, audit, build, hash_share, multi,
    network, replay,
};
use crate::Outcome;

/// Measures what the arguments ask for.
///
/// # Errors
/// What an experiment fails with, or a line that could not be written.
pub fn run(arguments: &FlexlistArguments, reporter: &mut dyn Reporter) -> Outcome<()> {
    let setting = &arguments.setting();
    if arguments.wants(FlexlistExperiment::Build) {
        let (sizes, threads) = (arguments.build_blocks(), arguments.threads());
        build::run(&sizes, &threads, setting, reporter)?;
    }
    if arguments.wants(FlexlistExperiment::HashShare) {
        hash_share::run(&arguments.update_blocks(), setting, reporter)?;
    }
    if arguments.wants(FlexlistExperiment::Multi) {
        multi::run(arguments.blocks(), &arguments.updates(), setting, reporter)?;
    }
    if arguments.wants(FlexlistExperiment::Audit) {
        let (blocks, tags) = (arguments.blocks(), arguments.tags());
        audit::run(blocks, arguments.challenges, &tags, setting, reporter)?;
    }
    if arguments.wants(FlexlistExperiment::Replay) {
        for trace in &arguments.trace {
            replay::run(trace, setting, reporter)?;
        }
    }
    if arguments.wants(FlexlistExperiment::Network) {
        network::run(&arguments.network(), setting, reporter)?;
    }
    Ok(())
}
