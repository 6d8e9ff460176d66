//! Sizes on the command line: numbers with a default for a full run and another for a quick one.

use core::ops::RangeBounds;

use clap::{
    Arg,
    builder::{IntoResettable, RangedU64ValueParser, ValueParser},
};

/// Default on a command line.
type Text = &'static str;

/// Methods of arguments whose values are the sizes of an experiment. The derived command lines call
/// them.
pub(crate) trait SizeArgument: Sized {
    /// Sets the default of a full run, and that of a run with `--quick`.
    fn usually(self, full: Text, quick: Text) -> Self;

    /// Accepts a value that `parser` accepts, with defaults as in [`Self::usually`].
    fn size(self, full: Text, quick: Text, parser: impl IntoResettable<ValueParser>) -> Self;

    /// Accepts a list of such values, separated by commas.
    fn sizes(self, full: Text, quick: Text, parser: impl IntoResettable<ValueParser>) -> Self;

    /// Accepts a list of values that `parser` accepts, with the same default in every run.
    fn list(self, default: Text, parser: impl IntoResettable<ValueParser>) -> Self;
}

impl SizeArgument for Arg {
    fn usually(self, full: Text, quick: Text) -> Self {
        let argument = self.required(false).default_value(full);
        argument.default_value_if("quick", "true", quick)
    }

    fn size(self, full: Text, quick: Text, parser: impl IntoResettable<ValueParser>) -> Self {
        self.value_parser(parser).usually(full, quick)
    }

    fn sizes(self, full: Text, quick: Text, parser: impl IntoResettable<ValueParser>) -> Self {
        self.value_delimiter(',').size(full, quick, parser)
    }

    fn list(self, default: Text, parser: impl IntoResettable<ValueParser>) -> Self {
        let argument = self.value_delimiter(',').value_parser(parser);
        argument.default_value(default)
    }
}

/// Returns a parser of whole numbers in `range`.
pub(crate) fn within(range: impl RangeBounds<u64>) -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(range)
}
