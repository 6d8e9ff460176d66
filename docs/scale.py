"""Writes the tables and pictures of docs/scale.md, with the standard library alone.

Coefficients come from the shipped report and from a recorded run of three processes, assumptions from a file. A plan counts machines,
bytes and dollars. A simulation runs batches, witnesses, mirrors, caches and readers: first those of the recorded run, then the plan's.
"""

import argparse, functools, heapq, html, itertools, json, re, sys, time, tomllib
from bisect import bisect_right
from math import ceil, exp, expm1, floor, inf, log, log1p, log2, log10
from pathlib import Path
from random import Random
from statistics import linear_regression, median

HERE = Path(__file__).resolve().parent
ASSUMPTIONS, TEXTS, RUN = HERE / "scale/assumptions.toml", HERE / "scale/texts.toml", HERE / "scale/run.jsonl"
REPORT, PRICES = HERE / "report/measurements.jsonl", HERE / "../crates/comparison/data/prices.json"
DAY, MONTH_HOURS, BLOCK = 86_400.0, 730.0, 4096.0
LARGEST_UPDATE, UPDATE_CORES = 64 * 2**20, 2  # what servers take unless they are told otherwise; the cores of measured updates
NODES_IN_MEMORY, WITHIN = 0.8, 0.25  # the share of memory that holds nodes; the share by which a simulated figure may miss the run
SHARES = {10: "a tenth under", 50: "half under", 90: "9 of 10 under", 99: "99 of 100 under"}
COLOURS = "#3b82f6", "#e0672f", "#2ca25f", "#b05ccf", "#b8860b", "#8a8f98"
LEFT, RIGHT, TOP, BOTTOM = 66, 468, 44, 330  # the edges of a plot, in pixels
SENT, INTERVALS = ("to readers", "to caches", "to mirrors"), (1, 3, 10, 60, 300)  # seconds of a batch that are compared

def ensure(holds, message):
    if not holds:
        raise ValueError(message)

def listed(value):
    return value if isinstance(value, list) else [value]

def assumptions(text, book, bounds):
    """Parses assumptions, and refuses those that make no plan. All keys of the shipped ones are needed, and no other is known."""
    read, shipped = tomllib.loads(text), tomllib.loads(ASSUMPTIONS.read_text())
    ensure(read.keys() == shipped.keys(), f"the tables are not {', '.join(shipped)}")
    for table, of, known in [(table, of, known) for table in shipped for known in listed(shipped[table])[:1] for of in listed(read[table])]:
        odd = ", ".join(sorted(of.keys() ^ known.keys()))
        ensure(not odd, f"{table}: missing or unknown: {odd}")
        for key, value in [(key, value) for key in of for value in listed(of[key])]:
            (least, most), name = bounds.get(key, (0, 1e5)), key in ("name", "entries")
            holds = isinstance(value, str) if name else isinstance(value, (int, float)) and least <= value <= most
            ensure(holds, f"{table}.{key} is {value}, and not " + ("a name" if name else f"from {least:g} to {most:g}"))
    total, witnesses, entries = sum(of["share"] for of in read["continents"]), read["witnesses"], read["prices"]["entries"]
    ensure(abs(total - 1) < 1e-6, f"the shares of the continents add up to {total:g}, and not to 1")
    ensure(witnesses["quorum"] <= len(witnesses["round_trips_ms"]), "the quorum is larger than the number of witnesses")
    ensure(len(entries) >= 2, "prices.entries names fewer than two")
    ensure(book.keys() >= set(entries), f"prices.entries: {', '.join(set(entries) - book.keys())} is not in {PRICES.name}")
    return read

# Coefficients: measured figures, and their continuation beyond the sizes that were measured.
def recorded(lines):
    """The recorded run, by experiment; `busy` has the fewest connections that keep all cores busy, two for each."""
    run = {line["experiment"].removeprefix("scale_"): line for line in lines}
    ensure(run.keys() == {"run", "batch", "staleness", "look_ups"}, f"{RUN.name}: not the lines of a run: {', '.join(run)}")
    run["look_ups"] = [line for line in lines if line["experiment"] == "scale_look_ups"]
    ensure(run["look_ups"][0]["connections"] == 1, f"{RUN.name}: no look-ups over one connection")
    run["busy"] = next((line for line in run["look_ups"] if line["connections"] >= 2 * run["run"]["cores"]), run["look_ups"][0])
    return run

def fit(points):
    """The line of least squares over the levels of a tree: its constant, its slope, and its largest miss."""
    across, up = [log2(keys) for keys, _ in points], [figure for _, figure in points]
    slope, constant = linear_regression(across, up)
    return constant, slope, max(abs((constant + slope * x) / y - 1) for x, y in zip(across, up))

def straight(points, keys):
    """The value at `keys` of the line through the last two points."""
    constant, slope, _ = fit(points[-2:])
    return constant + slope * log2(keys)

def changed_nodes(keys, changes):
    """The number of inner nodes that `changes` of random keys change in a perfect tree."""
    changed = lambda nodes: nodes * -expm1(changes * log1p(-1 / nodes))
    total, nodes = 1.0, 2.0
    while nodes * 2 <= keys:
        total, nodes = total + changed(nodes), nodes * 2
    return total + changed(keys / 2) * (log2(keys) - log2(nodes))  # the last level is full as far as the keys go

class Lines:
    """The lines of the report that say all of `says`."""
    def __init__(self, report, **says):
        self.of = [(number, line) for number, line in enumerate(report, 1) if all(line.get(key) == says[key] for key in says)]
        ensure(self.of, f"{REPORT.name}: no line of {says}")
        self.numbers = ", ".join(str(number) for number, _ in self.of)

    def points(self, figure):
        return sorted((line["keys"], line[figure]) for _, line in self.of if figure in line)

    def median(self, figure):
        return median(value for _, value in self.points(figure))

def coefficients(report, run, keys):
    """The coefficients of `texts.toml`, and what their sources name."""
    stored, memory = Lines(report, experiment="stored_files", repository="stored"), Lines(report, experiment="stored")
    answers = Lines(report, experiment="compare", scheme="red-black-path-copying", changes=1, reason=None, workload="updates")
    primitives = Lines(report, experiment="primitives", suite="sha256-ed25519").of[0]
    constant, slope, worst = fit(stored.points("file_bytes_per_snapshot"))
    updates = [(count, 1e6 / rate) for count, rate in stored.points("updates_per_second")]
    loads = [(count, seconds / count * 1e6) for count, seconds in stored.points("load_seconds")]
    prove, level = stored.points("prove_us"), fit(answers.points("proof_bytes"))[1]
    proved = min(prove, key=lambda point: abs(log(point[0] / run["run"]["keys"])))[1]
    batch, one, shown = run["batch"], run["look_ups"][0], lambda points: ", ".join(f"{figure:.1f}" for _, figure in points)
    sources = {"stored": stored.numbers, "memory": memory.numbers, "answers": answers.numbers, "primitives": primitives[0],
               "worst": worst * 100, "level": level, "connections": run["busy"]["connections"],
               "updates": shown(updates), "loads": shown(loads), "prove": shown(prove)}
    return sources, {
        "key_bytes": stored.points("file_bytes_per_key")[-1][1], "node_bytes": slope, "version_bytes": constant,
        "update_bytes": batch["update_bytes"] / batch["changes"], "update_us": straight(updates, keys),
        "steep_us": exp(straight([(count, log(us)) for count, us in updates], keys)), "load_us": straight(loads, keys),
        "export_us": batch["export_ms"] * 1e3 / batch["changes"], "prove_us": straight(prove, keys),
        "http_us": max(run["busy"]["server_us"] - proved, 0), "verify_us": answers.points("verify_us")[-1][1],
        "answer_bytes": one["answer_bytes"] + level * log2(keys / run["run"]["keys"]), "header_bytes": one["header_bytes"],
        "cosign_us": primitives[1]["verify_signature_us"] + primitives[1]["sign_us"] + stored.median("sync_us") / 6,
        "commit_us": stored.median("open_and_commit_us"), "reads": memory.points("reads_latest")[-1][1]}

def stored_bytes(of, keys, changes):
    """The bytes that a version with `changes` adds to a store."""
    leaf = of["key_bytes"] - of["node_bytes"]  # a key of a first version has one inner node
    return of["version_bytes"] - leaf + leaf * changes + of["node_bytes"] * changed_nodes(keys, changes)

# The plan: machines, bytes, dollars, and the limit that is reached first.
@functools.cache
def key_groups(keys, exponent):
    """First keys, weights and numbers of keys by a power law, in groups of which each is a thousandth as wide as its rank."""
    groups, first = [], 1.0
    while (width := min(max(floor(first / 1000), 1), keys - first + 1)) > 0:
        groups.append((first, (first + (width - 1) / 2) ** -exponent, width))
        first += width
    return groups, list(itertools.accumulate(weight * width for _, weight, width in groups))

def hit_share(keys, exponent, questions):
    """The share of independent questions that a cache had before."""
    groups, sums = key_groups(keys, exponent)
    return 1 - sum(width * -expm1(-questions * weight / sums[-1]) for _, weight, width in groups) / questions

class Plan:
    def __init__(self, of, assumed):
        self.of, self.assumed, load, machine = of, assumed, assumed["load"], assumed["machine"]
        self.seconds = assumed["author"]["batch_seconds"]
        self.changes = load["updates_per_second"] * self.seconds
        self.version_bytes = stored_bytes(of, load["keys"], self.changes)
        self.tree_bytes = load["keys"] * of["key_bytes"]
        self.kept_bytes = self.version_bytes * assumed["author"]["kept_days"] * DAY / self.seconds
        self.disk_bytes, self.update_bytes = 2 * (self.tree_bytes + self.kept_bytes), self.changes * of["update_bytes"]
        # Nodes are scattered over the disk, one to a block: the worst case.
        self.reads = max(log2(load["keys"]) - log2(machine["memory_gigabytes"] * 1e9 * NODES_IN_MEMORY / BLOCK), 0)
        self.answer_bytes = (of["answer_bytes"] + of["header_bytes"]) * (1 + assumed["network"]["overhead"])
        self.answer_us = of["http_us"] * assumed["network"]["tls"] + of["prove_us"]
        self.version_seconds, self.steep_seconds = ((self.changes * of[us] + of["commit_us"]) / 1e6 for us in ("update_us", "steep_us"))
        self.mirror_seconds = self.version_seconds + self.changes * of["export_us"] / 1e6
        self.continents = [self.needs(continent) for continent in assumed["continents"]]
        self.machines = 2 + sum(needs["servers"] for needs in self.continents)

    def needs(self, continent):
        load, machine, caches = self.assumed["load"], self.assumed["machine"], self.assumed["caches"]
        lookups, used = load["lookups_per_second"] * continent["share"], machine["used"]
        asked = caches["places"] and lookups / caches["places"] * self.seconds
        hits = hit_share(load["keys"], caches["exponent"], asked) if asked else 0.0
        misses, updating = lookups * (1 - hits), UPDATE_CORES * self.version_seconds / self.seconds
        reading, network = load["updates_per_second"] * self.reads, machine["network_gigabits"] * 1e9 / 8
        cores, disk = machine["cores"], machine["disk_reads_per_second"]
        wants = misses * self.answer_us / 1e6, misses * self.reads, misses * self.answer_bytes
        # One server's room for look-ups: never nothing, so that a plan says how much is missing.
        has = max(cores * used - updating, cores / 100), max(disk * used - reading, disk / 100), network * used
        most, because = max((want / one, name) for want, one, name in zip(wants, has, ["cores", "disk reads", "network"]))
        servers = max(ceil(most), self.assumed["mirrors"]["least"])
        return {
            "name": continent["name"], "lookups": lookups, "hits": hits, "servers": servers,
            "because": "one may fail" if ceil(most) <= self.assumed["mirrors"]["least"] else because,
            "cores": (wants[0] / servers + updating) / cores, "disk": (wants[1] / servers + reading) / disk,
            "network": wants[2] / servers / network, "to readers": lookups * self.answer_bytes,
            "to caches": misses * self.answer_bytes if asked else 0.0,
            "to mirrors": servers * load["updates_per_second"] * self.of["update_bytes"]}

    def dollars(self, prices):
        """Dollars a month by part."""
        gigabyte, machine, hours = prices.get("bytes_per_gigabyte", 1e9), self.assumed["machine"], MONTH_HOURS
        sent = {part: sum(needs[part] for needs in self.continents) for part in SENT}
        return {part: a_second * hours * 3600 / gigabyte * prices["egress_per_gigabyte"] for part, a_second in sent.items()} | {
            "disks": self.machines * self.disk_bytes / gigabyte * prices["storage_per_gigabyte_month"],
            "cores": self.machines * machine["cores"] * hours * prices["compute_per_core_hour"],
            "memory": self.machines * machine["memory_gigabytes"] * 1e9 / gigabyte * prices.get("memory_per_gigabyte_month", 0)}

    def limits(self):
        """The share of each limit that is used, and its name; the most used one first."""
        most = {part: max(needs[part] for needs in self.continents) for part in ["disk", "cores", "network"]}
        written = self.version_bytes / self.seconds + (self.tree_bytes + self.kept_bytes) / DAY
        return sorted(((used, name) for name, used in {
            "author": self.steep_seconds / self.seconds, "straight": self.version_seconds / self.seconds,
            "mirror": self.mirror_seconds / self.seconds, **most, "update": self.update_bytes / LARGEST_UPDATE,
            "writing": written / self.assumed["machine"]["disk_write_megabytes_per_second"] / 1e6,
            "witness": self.of["cosign_us"] / 1e6 / self.seconds}.items()), reverse=True)

# The simulation. Nothing acts on a part before it: events of the author, mirrors, caches and servers are run part by part.
class Simulation(Random):
    """A stream of random numbers. A time is a pair: its least, and the mean of an exponentially distributed time on top of it."""
    def draw(self, delay):
        return delay[0] - delay[1] * log(1 - self.random()) if delay[1] else delay[0]

    def author(self, span, batch, publish, witnesses=(), quorum=0):
        """When each version is closed, when the origin has it, and from when a quorum has cosigned it or a later one."""
        closed, published, cosigned, now = [], [], [], 0.0
        while now < span:
            closed.append(now)
            published.append(now + self.draw(publish))
            waits = [0.0, *sorted(map(self.draw, witnesses)), *[inf] * quorum]
            cosigned.append(published[-1] + waits[quorum])
            now = max(published[-1], now + batch)  # an author publishes one batch after the other
        return closed, published, list(itertools.accumulate(reversed(cosigned), min))[::-1]

    def mirror(self, span, published, cosigned, pause, trip, take):
        """From when a mirror answers from each version. It asks for the head, and where it is new for a proof and for updates."""
        has, known, now = 0, [], pause * self.random()
        while now < span:
            new, cosigned_now = bisect_right(published, now) - has, bisect_right(cosigned, now)
            end = now + self.draw(trip) / 2
            if new:
                end += self.draw(trip) + self.draw(trip) + sum(self.draw(take) for _ in range(new))
            has, known = has + new, known + [end] * (cosigned_now - len(known))
            now = end + pause + self.draw(trip) / 2
        return known

    def readers(self, between, closed, known, rate, way, head=None, cores=1, work=(0.0, 0.0), keys=None):
        """Ages of what is read and times of look-ups, both ascending, and the share that a cache answers.
        Readers ask at random moments. `head`: for how long a cache keeps it, and its way to the server. `work`: of a core for an answer.
        """
        draw, asks, answered, waiting, (now, end) = self.draw, [], [], [], between
        while (now := now + draw((0.0, 1 / rate))) < end:
            asks.append((now + draw(way) / 2, now))
        until, version, kept = -1.0, 0, set()
        for now, sent in sorted(asks):
            if head is None:
                waiting.append((now, sent, bisect_right(known, now)))
                continue
            trip, waited = draw(head[1]), 0.0
            if until < now:
                newest, waited, until = bisect_right(known, now), trip, now + head[0]
                version, kept = newest, kept if newest == version else set()
            key = keys() if keys else 0
            if key in kept:
                answered.append((now + waited, sent, version))
            else:  # a cache asks once for what several readers want at the same time
                kept.add(key)
                waiting.append((now + waited + trip / 2, sent, version))
        hits, free = len(answered) / max(len(asks), 1), [0.0] * cores
        for now, sent, version in sorted(waiting):
            done = max(free[0], now) + draw(work)
            heapq.heapreplace(free, done)
            answered.append((done + (draw(head[1]) / 2 if head else 0.0), sent, version))
        read = [(now + draw(way) / 2, sent, version) for now, sent, version in answered]
        return sorted(now - closed[of - 1] for now, _, of in read if of), sorted(now - sent for now, sent, _ in read), hits

    def popular(self, keys, exponent):
        """A key by a power law."""
        groups, sums = key_groups(keys, exponent)
        first, _, width = groups[bisect_right(sums, self.random() * sums[-1])]
        return first + floor(self.random() * width)

def connections(number, cores, work, span=1.0, warm_up=0.2):
    """Look-ups a second and their times of connections that ask again when they have their answer."""
    asks, free, times = [0.0] * number, [0.0] * cores, []
    while asks[0] < span:
        done = max(free[0], asks[0]) + work
        heapq.heapreplace(free, done)
        times.append((done, done - heapq.heapreplace(asks, done)))
    times = sorted(took for done, took in times if done >= warm_up)
    return len(times) / (span - warm_up), times

def world(plan, number, batches=100, stage=4, busy=False):
    """What readers of a continent see with all parts up to a stage; `busy` has all readers of one of its caches."""
    run, assumed, needs, seconds = Simulation(1), plan.assumed, plan.continents[number], plan.seconds
    caches, witnesses, machine, share = assumed["caches"], assumed["witnesses"], assumed["machine"], max(assumed["caches"]["places"], 1)
    way = lambda milliseconds: (milliseconds / 1e3, milliseconds / 1e3 * assumed["network"]["varying"])
    # The author's time for a version, and the origin's; the update goes over the network between them once.
    publish = 2 * plan.version_seconds + plan.update_bytes * 8 / (machine["network_gigabits"] * 1e9) if stage >= 1 else 0.0
    begin = max(2 * seconds, 2 * (seconds + 3 * plan.mirror_seconds))  # the first versions have come all the way
    end = begin + seconds * (batches + 3 * busy)
    quorum, trips = witnesses["quorum"] if stage >= 2 else 0, [way(trip) for trip in witnesses["round_trips_ms"]]
    closed, published, known = run.author(end, seconds, (publish, 0.0), trips, quorum)
    pause, trip = assumed["mirrors"]["pause_seconds"], way(assumed["continents"][number]["round_trip_ms"])
    if stage >= 3:
        known = run.mirror(end, published, known, pause, trip, (plan.mirror_seconds, 0.0))
    head = (caches["head_seconds"], way(caches["mirror_round_trip_ms"])) if stage >= 4 and caches["places"] else None
    rate, keys, first = min(max(500 / seconds, 2), 50), None, bisect_right(known, begin)
    if busy:  # a cache begins with nothing where a mirror has a version
        rate, keys = needs["lookups"] / share, lambda: run.popular(assumed["load"]["keys"], caches["exponent"])
        begin, end = known[first], known[min(first + batches, len(known) - 1)]
    cores, work = max(ceil(needs["servers"] * machine["cores"] / share), 1), (plan.answer_us / 1e6, 0.0)
    return run.readers((begin, end), closed, known, rate, way(caches["reader_round_trip_ms"]), head, cores, work, keys)

def compared(run, of):
    """The recorded run and its simulation: name, unit, measured, simulated, and whether the simulation had to find it."""
    fresh, busy, cores, rows = run["staleness"], run["busy"], run["run"]["cores"], []
    simulation, least, request = Simulation(1), fresh["publish_least_ms"] / 1e3, (run["look_ups"][0]["p50_us"] / 1e6, 0.0)
    closed, published, known = simulation.author(600, fresh["batch_ms"] / 1e3, (least, max(fresh["publish_mean_ms"] / 1e3 - least, 0)))
    mirror = simulation.mirror(600, published, known, fresh["pause_ms"] / 1e3, request, (of["commit_us"] / 1e6, 0.0))
    for name, has in [("server", known), ("mirror", mirror)]:
        ages, _, _ = simulation.readers((5, 600), closed, has, 100, request)
        rows += [(f"how old is what is read of the {name}, {SHARES[at]}", " ms", fresh[name][f"p{at}_ms"], percentile(ages, at) * 1e3, True)
                 for at in SHARES]
    for line in run["look_ups"]:
        number, others = line["connections"], max(line["cores_used_by_others"], 0)
        work = (busy["server_us"] + busy["client_us"]) / 1e6 * cores / max(cores - others, 0.1)
        rate, times = connections(number, cores, work)
        name, found = f"{number} connection{'s' * (number > 1)}", number >= busy["connections"]
        rows.append((f"{name}, look-ups a second", "", line["per_second"], rate, found))
        rows += [(f"{name}, {SHARES[at]}", " us", line[f"p{at}_us"], percentile(times, at) * 1e6, found and at == 50) for at in (50, 99)]
    return rows

# Tables, and figures as people read them.
def percentile(ascending, hundredths):
    return ascending[max(ceil(len(ascending) * hundredths / 100), 1) - 1]

def digits(number):
    """Three digits."""
    size = floor(log10(abs(number)))
    if size < 3:
        return f"{number:.{2 - max(size, -1)}f}" if size >= -4 else f"{number:.1e}"
    return count(floor(number / 10 ** (size - 2) + 0.5) * 10 ** (size - 2))

def count(number):
    power = log10(number) if number >= 1e6 else 0.5  # powers of ten are called by their names
    return f"10^{power:.0f}" if abs(power - round(power)) < 1e-9 else f"{number:,.0f}".replace(",", " ")

def size(number):
    unit = next((unit for unit, most in [("KB", 1e6), ("MB", 1e9), ("GB", 1e12), ("TB", inf)] if number < most), "TB")
    return f"{number:.0f} bytes" if number < 1e4 else f"{digits(number / 1e3 ** (1 + 'KMGT'.index(unit[0])))} {unit}"

def dollars(number):
    return f"${number:.0f}" if number < 1000 else f"${digits(number)}"

def percent(share):
    return f"{share * 100:.{0 if share >= 0.1 else 1 if share >= 0.001 else 4}f} %"

def span(seconds):
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"

class Page:
    """The rows of the page's tables, each a method of a table's name, and the pictures, dark on white or light on dark."""
    def __init__(self, text):
        self.text, self.texts = text, tomllib.loads(TEXTS.read_text())
        self.book = {entry["name"]: entry for entry in json.loads(PRICES.read_text())}
        run, report = ([json.loads(line) for line in file.read_text().splitlines()] for file in (RUN, REPORT))
        self.run, self.assumed = recorded(run), assumptions(text, self.book, self.texts["bounds"])
        self.sources, self.of = coefficients(report, self.run, self.assumed["load"]["keys"])
        self.plan, self.counted = Plan(self.of, self.assumed), Lines(report, experiment="batch").of[0][1]
        self.names, self.entries = [of["name"] for of in self.assumed["continents"]], self.assumed["prices"]["entries"]
        self.farthest = max(range(len(self.names)), key=lambda number: self.assumed["continents"][number]["round_trip_ms"])
        self.seen = functools.cache(lambda number, stage=4, busy=False: world(self.plan, number, 1 if busy else 100, stage, busy))

    def brief(self):
        plan, load, machine, (used, first) = self.plan, self.assumed["load"], self.assumed["machine"], self.plan.limits()[0]
        half, most = (max(percentile(self.seen(number)[0], at) for number in range(len(self.names))) for at in (50, 99))
        words = {
            "keys": count(load["keys"]), "updates": count(load["updates_per_second"]), "lookups": count(load["lookups_per_second"]),
            "days": self.assumed["author"]["kept_days"], "machines": plan.machines, "cores": machine["cores"],
            "memory": machine["memory_gigabytes"], "servers": ", ".join(f"{of['servers']} in {of['name']}" for of in plan.continents),
            "disk": size(plan.disk_bytes), "tree": size(plan.tree_bytes), "old": size(plan.kept_bytes), "half": half, "most": most,
            "dollars": ", ".join(f"{dollars(sum(plan.dollars(self.book[entry]).values()))} ({entry})" for entry in self.entries),
            "first": self.texts["limits"][first][0], "used": percent(used)}
        return [[f"**{name}**", words_of.format(**words)] for name, words_of in self.texts["brief"].items()]

    def recorded(self):
        run, rows, worst = self.run["run"], [], 0.0
        for name, unit, measured, simulated, found in compared(self.run, self.of):
            off, worst = simulated / measured - 1, max(worst, abs(simulated / measured - 1) * found)
            ensure(worst <= WITHIN, f"{name}: simulated {simulated:.3g}, measured {measured:.3g}")
            shown = f"{off * 100:+.0f} %"
            rows.append([name, digits(measured) + unit, digits(simulated) + unit, shown if found else f"({shown})"])
        before, after = (run[f"load_{at}"].split()[0] for at in ("before", "after"))
        return rows, self.texts["run"].format(
            day=time.strftime("%Y-%m-%d", time.gmtime(run["started"])), cores=run["cores"], cpu=run["cpu"], before=before, after=after,
            keys=count(run["keys"]), worst=percent(worst), within=percent(WITHIN))

    def checks(self):
        batch, counted = self.run["batch"], self.counted
        figures = [(counted["node_hashes_per_snapshot"], changed_nodes(counted["keys"], counted["batch"])),
                   (batch["file_bytes_per_change"], stored_bytes(self.of, batch["keys"], batch["changes"]) / batch["changes"])]
        rows = [(name, *pair) for name, pair in zip(self.texts["checks"], figures)]
        rows += [(f"share of look-ups from caches, {needs['name']}", self.seen(number, busy=True)[2], needs["hits"])
                 for number, needs in enumerate(self.plan.continents) if needs["hits"]]
        return [[name, digits(one), digits(other), f"{(other / one - 1) * 100:+.1f} %"] for name, one, other in rows]

    def coefficients(self):
        return [[name, f"{digits(self.of[key])} {unit}", kind, source.format(**self.sources)]
                for key, (name, unit, kind, source) in self.texts["coefficients"].items()]

    def stages(self):
        return [[name, *(span(percentile(self.seen(self.farthest, stage)[0], at)) for at in (50, 99))]
                for stage, name in enumerate(self.texts["stages"])]

    def staleness(self):
        return [[name, *(span(percentile(self.seen(number)[0], at)) for at in SHARES),
                 *(span(percentile(self.seen(number, busy=True)[1], at)) for at in (50, 99))] for number, name in enumerate(self.names)]

    def machines(self):
        return [[of["name"], count(of["lookups"]), percent(of["hits"]), str(of["servers"]), of["because"], *(
            percent(of[part]) for part in ("cores", "disk", "network")), *(f"{size(of[part])}/s" for part in SENT)]
            for of in self.plan.continents]

    def dollars(self):
        columns = [self.plan.dollars(self.book[entry]) for entry in self.entries]
        columns = [column | {"**all**": sum(column.values())} for column in columns]
        return [["a month", *self.entries], *([part, *(dollars(column[part]) for column in columns)] for part in columns[0])]

    def limits(self):
        return [[name, load, percent(used), f"{digits(1 / used)} times", remedy]
                for used, key in self.plan.limits() for name, load, remedy in [self.texts["limits"][key]]]

    def batches(self):
        for seconds in INTERVALS:
            plan = Plan(self.of, self.assumed | {"author": self.assumed["author"] | {"batch_seconds": seconds}})
            ages, *_ = world(plan, self.farthest, min(max(1000 / seconds, 20), 100))
            hits = sum(of["hits"] * of["lookups"] for of in plan.continents) / self.assumed["load"]["lookups_per_second"]
            cost = dollars(sum(plan.dollars(self.book[self.entries[0]]).values()))
            yield [f"{seconds} s", span(percentile(ages, 50)), span(percentile(ages, 99)), percent(hits),
                   size(plan.version_bytes / plan.changes), size(plan.kept_bytes), str(plan.machines), cost]

    def table(self, name):
        """A table in Markdown."""
        if name == "assumptions":
            return f"```toml\n{self.text}```\n"
        rows, before = self.recorded() if name == "run" else (getattr(self, name)(), "")
        (titles, *rows) = rows if name == "dollars" else (self.texts["titles"].get(name, ["", ""]), *rows)
        lines = [titles, ["---"] * len(titles), *rows]
        return before + "".join("".join(f"| {cell} " if cell else "| " for cell in line) + "|\n" for line in lines)

    def scale_staleness(self):
        marks, right = [], 2.4 * self.seen(self.farthest)[0][-1]  # 500 times the left end; and 150 per cent are 300 times the lower end
        across = lambda x: RIGHT + (RIGHT - LEFT) * log10(x / right) / log10(500)
        up = lambda y: BOTTOM - (BOTTOM - TOP) * log10(y / 0.5) / log10(300)
        for value, bold in [(digit * 10.0 ** power, digit in (1, 2, 5)) for power in range(-4, 6) for digit in range(1, 10)]:
            if LEFT <= (x := across(value)) <= RIGHT:
                marks += [line(x, BOTTOM, x, TOP, 0.1 + 0.1 * bold), text(x, BOTTOM + 18, f"{value:g}" * bold)]
            if TOP <= (y := up(value)) <= BOTTOM:
                marks += [line(LEFT, y, RIGHT, y, 0.1 + 0.1 * bold), text(LEFT - 8, y + 5, f"{value:g}" * bold, "end")]
        names = list(zip(self.texts["stages"], COLOURS))
        for stage, (_, color) in enumerate(names):
            ages = self.seen(self.farthest, stage)[0]
            points = [(across(ages[place]), up(100 - 100 * place / len(ages))) for place in range(0, len(ages), max(len(ages) // 60, 1))]
            points = [(x, y) for x, y in points if x >= LEFT and y <= BOTTOM]
            path = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
            marks.append(f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{path}"/>')
            marks += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{color}"/>' for x, y in points]
        return svg(f"How stale readers in {self.names[self.farthest]} are, part by part",
                   "seconds since the version that is read was closed", "per cent of readers with older data", marks, names)

    def scale_cost(self):
        one, other = (self.plan.dollars(self.book[entry]) for entry in self.entries[:2])
        marks, most = [], max(*one.values(), *other.values()) / 1e3
        step = next(digit * 10 ** power for power in range(-3, 9) for digit in (1, 2, 5) if most / digit / 10 ** power <= 8)
        for value in range(floor(most / step) + 1):
            height = BOTTOM - (BOTTOM - TOP) * value * step / most
            marks += [line(LEFT, height, RIGHT, height, 0.2), text(LEFT - 8, height + 5, f"{value * step:g}", "end")]
        for place, part in enumerate(one):
            width = (RIGHT - LEFT) / len(one)
            left = LEFT + width * (place + 0.15)
            for side, (color, value) in enumerate([(COLOURS[0], one[part]), (COLOURS[-1], other[part])]):
                height = (BOTTOM - TOP) * value / most / 1e3
                marks.append(rectangle(left + side * 0.35 * width, BOTTOM - height, 0.35 * width, height, color))
            marks.append(text(left + 0.35 * width, BOTTOM + 18, part, points=12.5))
        names = list(zip(self.entries, (COLOURS[0], COLOURS[-1])))
        return svg("Thousands of dollars a month, by part", "", "thousands of dollars", marks, names)

def text(x, y, words, anchor="middle", points=14, turn=0):
    place = f'x="{x:.0f}" y="{y:.0f}" transform="rotate({turn}, {x:.0f}, {y:.0f})"' if turn else f'x="{x:.0f}" y="{y:.0f}"'
    return words and f'<text {place} text-anchor="{anchor}" font-size="{points}">{html.escape(words)}</text>'

def line(x, y, to_x, to_y, opacity):
    return f'<line stroke="currentColor" opacity="{opacity:g}" x1="{x:.0f}" y1="{y:.0f}" x2="{to_x:.0f}" y2="{to_y:.0f}"/>'

def rectangle(x, y, width, height, color):
    return f'<rect x="{x:.0f}" y="{y:.1f}" width="{width:.0f}" height="{height:.1f}" fill="{color}"/>'

def svg(title, horizontal, vertical, marks, names):
    """A picture that is legible on a small screen, with the legend below."""
    style = ("svg{color:#1c1f23}text{fill:currentColor;font-family:sans-serif}.ground{fill:#fff}"
             "@media(prefers-color-scheme:dark){svg{color:#dfe3e8}.ground{fill:#16191d}}")
    legend = BOTTOM + (58 if horizontal else 44)
    size = f'width="480" height="{legend + 22 * len(names)}"'
    head = (f'<svg {size} viewBox="0 0 480 {legend + 22 * len(names)}" role="img" aria-label="{html.escape(title)}" '
            f'xmlns="http://www.w3.org/2000/svg">\n<style>{style}</style>\n<rect {size} class="ground"/>')
    marks += [text(12, 24, title, "start", 17), text((LEFT + RIGHT) / 2, BOTTOM + 40, horizontal),
              text(20, (TOP + BOTTOM) / 2, vertical, turn=270), line(LEFT, BOTTOM, LEFT, TOP, 1)]
    for row, (name, color) in enumerate(names):
        marks += [rectangle(12, legend + 22 * row, 16, 5, color), text(36, legend + 7 + 22 * row, name, "start")]
    return "\n".join([head, *filter(None, marks), "</svg>\n"])

def main():
    parser = argparse.ArgumentParser(description="Writes the tables and pictures of docs/scale.md.")
    parser.add_argument("--assumptions", type=Path, default=ASSUMPTIONS, help="another file like docs/scale/assumptions.toml")
    parser.add_argument("--document", type=Path, default=HERE / "scale.md", help="the page whose tables and figures/ are replaced")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if a table or picture is not what the files say")
    arguments = parser.parse_args()
    page, document = Page(arguments.assumptions.read_text()), arguments.document.read_text()
    tables = re.compile("(<!-- measured: (.*) -->\n)(?s:.*?)(?=<!-- end -->)")
    files = {arguments.document: tables.sub(lambda found: found[1] + page.table(found[2]), document)}
    for name, draw in [("scale-staleness", page.scale_staleness), ("scale-cost", page.scale_cost)]:
        if f"{name}.svg" in document:
            files[arguments.document.parent / "figures" / f"{name}.svg"] = draw()
    for file, contents in files.items():
        if not arguments.check:
            file.parent.mkdir(exist_ok=True)
            file.write_text(contents)
        ensure(file.read_text() == contents, f"{file} is not what docs/scale.py writes")

if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"scale.py: {error}")
