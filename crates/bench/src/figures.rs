//! Plots of a run's result lines, as SVG.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use plotters::{
    chart::ChartBuilder,
    coord::Shift,
    drawing::{DrawingArea, IntoDrawingArea},
    element::{Circle, Rectangle, Text},
    prelude::{
        BLACK, BindKeyPoints, Color, IntoLogRange, RGBColor, SVGBackend, TRANSPARENT, WHITE,
    },
    series::{DashedLineSeries, LineSeries},
    style::{IntoFont, TextStyle},
};

mod declared;

use crate::{
    columns::{Column, Derived},
    costs,
    families::FAMILIES,
    paper::{KEYS, published},
    prelude::*,
    text::{escaped, grouped},
    tree::table::LOOKUPS_PER_UPDATE,
    tuple::table::title_of,
};
use declared::{PLOTS, PlotSpec};

/// A drawn plot.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name of the plot's file, without extension.
    pub name: String,
    /// SVG text. It uses the colours of the surrounding page, light or dark.
    pub svg: String,
}

/// Draws every plot that `lines` allow. Writes them as files into `folder`, and returns the files'
/// paths.
pub fn draw(lines: &[Line], folder: &Path) -> Outcome<Vec<PathBuf>> {
    let figures = figures(lines)?;
    if !figures.is_empty() {
        std::fs::create_dir_all(folder)?;
    }
    let write = |figure: &Figure| {
        let file = folder.join(&figure.name).with_extension("svg");
        std::fs::write(&file, figure.alone())?;
        Ok(file)
    };
    figures.iter().map(write).collect()
}

/// Draws every plot that the result lines allow.
pub fn figures(lines: &[Line]) -> Outcome<Vec<Figure>> {
    let growing = of(lines, "growing");
    let mut figures = Vec::new();
    for (name, mut bars) in [
        ("table3", schemes(&growing)),
        ("table4", repositories(&growing)),
    ] {
        bars.rows
            .retain(|(_, ours, theirs)| [*ours, *theirs].iter().all(|it| AXES.contains(it)));
        if !bars.rows.is_empty() {
            figures.push(Figure::new(name, bars.title, |svg| bars.draw(svg))?);
        }
    }
    let declared = |plot: &'static PlotSpec| {
        let family = FAMILIES.iter().find(|family| family.draws(&plot.name));
        plot.plots(
            family.map_or(nothing as Derived, |family| family.derived),
            lines,
        )
    };
    let mut plots: Vec<(String, Lines)> = PLOTS.iter().flat_map(declared).collect();
    plots.push(("figure6".to_owned(), lookup_costs(&growing)));
    for group in groups(&of(lines, "tuple_lookup_costs"), &["figure"]) {
        plots.push((group[0].text("figure").to_owned(), costs_of(&group)));
    }
    for (name, mut plot) in plots {
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let is_drawn = |(x, y): &(f64, f64)| [*x, *y].iter().all(|it| AXES.contains(it));
        for (_, points) in &mut plot.series {
            points.retain(is_drawn);
        }
        plot.series.retain(|_| is_name);
        if plot.series.iter().any(|(_, points)| !points.is_empty()) {
            figures.push(Figure::new(&name, &plot.title, |svg| plot.draw(svg))?);
        }
    }
    Ok(figures)
}

impl Figure {
    /// Creates a figure from the SVG that `draw` writes. Black and white become colours of the
    /// surrounding page. Screen readers read the `title` of the figure.
    fn new(
        name: &str,
        title: &str,
        draw: impl FnOnce(&mut String) -> Outcome<()>,
    ) -> Outcome<Self> {
        let mut svg = String::new();
        draw(&mut svg)?;
        let role = format!("<svg role=\"img\" aria-label=\"{}\"", escaped(title));
        let svg = svg
            .replacen("<svg", &role, 1)
            .replace("fill=\"#FFFFFF\"", "class=\"ground\"")
            .replace("#000000", "currentColor");
        let name = name.to_owned();
        Ok(Self { name, svg })
    }

    /// Returns the SVG as a standalone file, with colours for light and for dark mode.
    pub fn alone(&self) -> String {
        let head = self.svg.find('>').map_or(0, |end| end + 1);
        let (start, rest) = self.svg.split_at(head);
        format!("{start}\n<style>{COLOURS}</style>{rest}")
    }
}

/// Style sheet of a standalone SVG file.
const COLOURS: &str = "svg{color:#1c1f23}.ground{fill:#fff}\
                       @media(prefers-color-scheme:dark){svg{color:#dfe3e8}.ground{fill:#16191d}}";

/// Line plot with several series over two logarithmic axes.
struct Lines {
    title: String,
    horizontal: &'static str,
    vertical: &'static str,
    series: Vec<Series>,
}

/// Name of a series, and its points (x, y).
type Series = (String, Vec<(f64, f64)>);

/// Bar chart with two bars for each row: our kilobytes and the published ones.
struct Bars {
    title: &'static str,
    /// Name of the published figures in the legend.
    published: &'static str,
    rows: Vec<(String, f64, f64)>,
}

/// Selects the result lines of red-black trees of one suite: the default suite if it was measured,
/// otherwise the suite of the first line.
fn red_black<'a>(lines: &[&'a Line]) -> Vec<&'a Line> {
    let is_default = |line: &&&Line| line.text("suite") == "sha256-ed25519";
    let Some(of_suite) = lines.iter().find(is_default).or(lines.first()) else {
        return Vec::new();
    };
    let is_drawn =
        |line: &&&Line| line.text("scheme") == "red-black" && line.agrees(of_suite, &["suite"]);
    lines.iter().filter(is_drawn).copied().collect()
}

fn schemes(growing: &[&Line]) -> Bars {
    let comparable = growing
        .iter()
        .filter(|line| line.count("keys") == KEYS && line.text("repository") == "path-copying");
    let rows = comparable.filter_map(|line| {
        let theirs = published(line).number("proof_kilobytes")?;
        let name = format!("{} {}", line.text("scheme"), line.text("suite"));
        Some((name, line.figure("proof_bytes") / 1e3, theirs))
    });
    Bars {
        title: "Table 3: proof size at 100 000 keys",
        published: "the paper of 2010",
        rows: rows.collect(),
    }
}

fn repositories(growing: &[&Line]) -> Bars {
    let comparable = red_black(growing).into_iter();
    let comparable = comparable.filter(|line| line.count("keys") == KEYS);
    let rows = comparable.filter_map(|line| {
        let repository = line.text("repository");
        let megabytes = published(line).number("megabytes")?;
        let ours = line.figure("resident_bytes_per_version") / 1e3;
        Some((repository.to_owned(), ours, megabytes * 1e3 / KEYS as f64))
    });
    Bars {
        title: "Table 4: memory per version, red-black, 100 000 keys",
        published: "the paper of 2010, whole process",
        rows: rows.collect(),
    }
}

fn lookup_costs(growing: &[&Line]) -> Lines {
    let drawn = red_black(growing)
        .into_iter()
        .filter(|line| ["cache-everywhere", "cache-median"].contains(&line.text("repository")));
    let series = drawn.map(|line| {
        let cost = |ratio| (ratio, costs::per_lookup(line, ratio) * 1e6);
        let name = format!("{}, {} keys", line.text("repository"), line.count("keys"));
        (name, LOOKUPS_PER_UPDATE.map(cost).to_vec())
    });
    Lines {
        title: "Figure 6: cost per look-up, red-black, prices of 2010".to_owned(),
        horizontal: "look-ups per update",
        vertical: "micro-dollars per look-up",
        series: series.collect(),
    }
}

/// Makes the plot of costs per lookup for figure 7 or 8, with a series for each result line in
/// `group`.
fn costs_of(group: &[&Line]) -> Lines {
    let series = group.iter().map(|line| {
        let points = line.get("points").cloned().unwrap_or_default();
        let points = serde_json::from_value(points).unwrap_or_default();
        (line.text("design").to_owned(), points)
    });
    Lines {
        title: format!("{}: cost per look-up", title_of(group[0].text("figure"))),
        horizontal: "look-ups per update",
        vertical: "micro-dollars per look-up",
        series: series.collect(),
    }
}

/// Creates a white figure that writes to `svg`. Draws its title, and a legend entry for each of
/// `names` below a plot of `height` pixels. Returns the area of the plot.
fn framed<'a>(
    svg: &'a mut String,
    title: &str,
    height: u32,
    names: &[&str],
) -> Outcome<DrawingArea<SVGBackend<'a>, Shift>> {
    let titles = lines_of(title);
    let top = 12 + 22 * u32::try_from(titles.len())?;
    let columns = if names.iter().any(|name| name.len() > 28) {
        1
    } else {
        2
    };
    let rows = u32::try_from(names.len().div_ceil(columns))?;
    let size = (WIDTH, top + height + ENTRY * rows + 12);
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    let (head, rest) = area.split_vertically(top);
    let (plot, legend) = rest.split_vertically(height);
    for (line, y) in titles.iter().zip((10..).step_by(22)) {
        head.draw(&Text::new((*line).to_owned(), (12, y), style(20)))?;
    }
    for (index, name) in names.iter().enumerate() {
        let column = legend.margin(0, 0, i32::try_from(index % columns * 236)? + 12, 0);
        named(&column, index, index / columns, name)?;
    }
    Ok(plot)
}

/// Splits a title that is wider than a figure into two lines.
fn lines_of(title: &str) -> Vec<&str> {
    let end = title.len().min(TITLE);
    let space = title.get(..end).and_then(|start| start.rfind(' '));
    match space {
        Some(space) if title.len() > TITLE => vec![&title[..space], &title[space + 1..]],
        _ => vec![title],
    }
}

/// Returns the style of black text of `size` pixels.
fn style(size: u32) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font()).color(&BLACK)
}

/// Colours of series, distinct on white and on black. Further series use them again, with dashed
/// lines.
const SERIES: [RGBColor; 8] = [
    RGBColor(0x3b, 0x82, 0xf6),
    RGBColor(0xe0, 0x67, 0x2f),
    RGBColor(0x2c, 0xa2, 0x5f),
    RGBColor(0xb0, 0x5c, 0xcf),
    RGBColor(0xb8, 0x86, 0x0b),
    RGBColor(0xe0, 0x45, 0x7b),
    RGBColor(0x17, 0xa2, 0xb8),
    RGBColor(0x8a, 0x8f, 0x98),
];

impl Lines {
    fn draw(&self, svg: &mut String) -> Outcome<()> {
        let points = || self.series.iter().flat_map(|(_, points)| points);
        let (left, right) = bounds(points().map(|point| point.0));
        let (bottom, top) = bounds(points().map(|point| point.1));
        let (across, up) = (left / 1.2..right * 1.2, bottom / 1.5..top * 1.5);
        let (across_marks, up_marks) = (marks(&across), marks(&up));
        let names: Vec<&str> = self.series.iter().map(|(name, _)| name.as_str()).collect();
        let plot = framed(svg, &self.title, PLOT, &names)?;
        let mut chart = ChartBuilder::on(&plot)
            .margin(8)
            .margin_right(18)
            .x_label_area_size(48)
            .y_label_area_size(66)
            .build_cartesian_2d(
                across
                    .log_scale()
                    .with_key_points(across_marks.0)
                    .with_light_points(across_marks.1),
                up.log_scale()
                    .with_key_points(up_marks.0)
                    .with_light_points(up_marks.1),
            )?;
        let mesh = &mut chart.configure_mesh();
        let mesh = mesh.x_desc(self.horizontal).y_desc(self.vertical);
        let tick = |value: &f64| tick(*value);
        let mesh = mesh.x_label_formatter(&tick).y_label_formatter(&tick);
        mesh.label_style(style(16)).draw()?;
        for (index, (_, points)) in self.series.iter().enumerate() {
            let color = SERIES[index % SERIES.len()];
            let (style, points) = (color.stroke_width(2), points.iter().copied());
            if index < SERIES.len() {
                chart.draw_series(LineSeries::new(points.clone(), style))?;
            } else {
                let dashes = DashedLineSeries::new(points.clone(), 6, 4, style);
                chart.draw_series(dashes)?;
            }
            let dots = points.map(|point| Circle::new(point, 3, color.filled()));
            chart.draw_series(dots)?;
        }
        drop(chart);
        Ok(plot.present()?)
    }
}

/// Draws the legend entry of the series number `index` into a `row` of the legend.
fn named(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    index: usize,
    row: usize,
    name: &str,
) -> Outcome<()> {
    let (color, top) = (
        SERIES[index % SERIES.len()],
        8 + i32::try_from(ENTRY)? * i32::try_from(row)?,
    );
    let swatches: &[(i32, i32)] = if index < SERIES.len() {
        &[(0, 16)]
    } else {
        &[(0, 6), (10, 16)]
    };
    for (from, to) in swatches {
        area.draw(&Rectangle::new(
            [(*from, top), (*to, top + 5)],
            color.filled(),
        ))?;
    }
    Ok(area.draw(&Text::new(grouped(name), (24, top - 5), style(16)))?)
}

impl Bars {
    /// Draws the rows one below the other, each with its name above its bars.
    fn draw(&self, svg: &mut String) -> Outcome<()> {
        let (_, end) = bounds(self.rows.iter().flat_map(|row| [row.1, row.2]));
        let rows = u32::try_from(self.rows.len())?;
        let names = ["this report", self.published];
        let plot = framed(svg, self.title, 56 * rows + 76, &names)?;
        let mut chart = ChartBuilder::on(&plot)
            .margin(14)
            .x_label_area_size(48)
            .build_cartesian_2d(0.0..end * 1.05, f64::from(rows)..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(TRANSPARENT)
            .x_labels(6)
            .x_desc("KB")
            .label_style(style(16))
            .draw()?;
        for (row, (name, ours, theirs)) in self.rows.iter().enumerate() {
            let place = row as f64;
            let bar = |from, to, length, color: usize| {
                let corners = [(0.0, place + from), (length, place + to)];
                Rectangle::new(corners, SERIES[color].filled())
            };
            chart.draw_series([bar(0.36, 0.66, *ours, 0), bar(0.66, 0.96, *theirs, 1)])?;
            let name = Text::new(name.clone(), (0.0, place + 0.06), style(16));
            chart.draw_series([name])?;
        }
        drop(chart);
        Ok(plot.present()?)
    }
}

/// Collects the points of `lines` in ascending order. `horizontal` is the key of their horizontal
/// coordinate.
fn points(lines: &[&Line], horizontal: &str, vertical: &Column) -> Vec<(f64, f64)> {
    let point = |line: &&Line| Some((line.number(horizontal)?, vertical.figure(line)?));
    let mut points: Vec<(f64, f64)> = lines.iter().filter_map(point).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

/// Places the marks of a logarithmic axis: those that are labelled with their number, and others.
/// Each is drawn once, while the default marks of `plotters` repeat.
///
/// There is a mark at each multiple 1 to 9 of each power of ten. Labelled are only multiple 1 on a
/// long axis, multiples 1, 2 and 5 on a shorter one, and also 3 and 7 on the shortest.
pub fn marks(range: &Range<f64>) -> (Vec<f64>, Vec<f64>) {
    let decades = (range.end / range.start).log10();
    let digits: &[i32] = match decades {
        _ if decades >= 4.0 => &[1],
        _ if decades >= 1.2 => &[1, 2, 5],
        _ => &[1, 2, 3, 5, 7],
    };
    let (mut numbered, mut others) = (Vec::new(), Vec::new());
    for power in -9..=15 {
        for digit in 1..=9 {
            let text = format!("{digit}e{power}");
            let value: f64 = text.parse().expect("a digit and a power are a number");
            if !(range.start..=range.end).contains(&value) {
                continue;
            }
            if digits.contains(&digit) {
                numbered.push(value);
            } else {
                others.push(value);
            }
        }
    }
    (numbered, others)
}

/// Formats a number as the label of an axis, for example `2k` or `1M`.
pub fn tick(value: f64) -> String {
    match value {
        value if !(1e-6..1e9).contains(&value) => format!("{value:e}"),
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e3 => format!("{}k", value / 1e3),
        value => format!("{value}"),
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Values that fit a logarithmic axis. Points with other values, such as 0 or infinity, are not
/// drawn.
const AXES: Range<f64> = 1e-9..1e15;

/// Width of every figure, in pixels. On a small screen, its texts stay legible.
const WIDTH: u32 = 480;

/// Height of a plot with lines and of a legend entry, in pixels.
const PLOT: u32 = 360;
const ENTRY: u32 = 22;

/// Number of characters of a title that fit the width of a figure.
const TITLE: usize = 54;
