"""Tests of scale.py against results that need no simulation: `python3 docs/scale/tests.py`."""

import sys
import unittest
from math import log2
from pathlib import Path
from random import Random

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import scale  # noqa: E402


def shipped():
    return scale.Page(scale.ASSUMPTIONS.read_text())


class Formulas(unittest.TestCase):
    def test_one_change_changes_a_path_and_all_changes_everything(self):
        self.assertAlmostEqual(scale.changed_nodes(1e6, 1), log2(1e6))
        self.assertAlmostEqual(scale.changed_nodes(1024, 1e6), 1023, delta=0.1)

    def test_batches_share_the_nodes_that_are_counted(self):
        random, counted = Random(1), 0
        nodes = {random.randrange(1 << 16) for _ in range(3000)}
        for _ in range(16):
            nodes = {node // 2 for node in nodes}
            counted += len(nodes)
        self.assertAlmostEqual(scale.changed_nodes(65_536, 3000) / counted, 1, delta=0.01)

    def test_lines_and_powers_go_through_their_points(self):
        points = [(1e4, 2.0), (1e6, 8.0), (1e7, 16.0)]
        self.assertAlmostEqual(scale.straight(points, 1e6), 8)
        self.assertAlmostEqual(scale.straight(points, 1e9), 32)
        self.assertLess(scale.fit(points[1:])[2], 1e-9)

    def test_caches_hit_as_often_as_when_keys_are_drawn(self):
        simulation, asked = scale.Simulation(1), 50_000
        drawn = {simulation.popular(1_000_000, 0.9) for _ in range(asked)}
        self.assertAlmostEqual(scale.hit_share(1_000_000, 0.9, asked), 1 - len(drawn) / asked, delta=0.01)
        self.assertAlmostEqual(scale.hit_share(1, 1.0, 1000), 0.999)

    def test_numbers_are_written_with_three_digits(self):
        written = [scale.digits(number) for number in (0.00001, 0.1234, 1.234, 12.34, 123.4, 12_345, 1e9)]
        self.assertEqual(written, ["1.0e-05", "0.123", "1.23", "12.3", "123", "12 300", "10^9"])
        self.assertEqual([scale.size(999), scale.size(17.4e12)], ["999 bytes", "17.4 TB"])


class Plans(unittest.TestCase):
    def planned(self, **changed):
        page = shipped()
        for name, value in changed.items():
            table, key = name.split("__")
            page.assumed[table][key] = value
        return scale.Plan(page.of, page.assumed)

    def test_twice_the_lookups_are_twice_the_bytes_and_more_servers(self):
        # Whether caches have an answer depends on how often they are asked.
        one = self.planned(caches__places=0)
        two = self.planned(caches__places=0, load__lookups_per_second=2_000_000)
        for before, after in zip(one.continents, two.continents):
            self.assertAlmostEqual(after["to readers"] / before["to readers"], 2)
            self.assertGreaterEqual(after["servers"], 2 * before["servers"] - 1)
            self.assertLessEqual(max(after[part] for part in ("cores", "disk", "network")), 0.5 + 1e-9)

    def test_longer_batches_store_less_and_caches_know_more(self):
        one, ten = self.planned(), self.planned(author__batch_seconds=100)
        self.assertLess(ten.kept_bytes, one.kept_bytes)
        self.assertTrue(all(after["hits"] > before["hits"] for before, after in zip(one.continents, ten.continents)))

    def test_limits_descend_and_grow_with_their_load(self):
        one, two = (self.planned(load__updates_per_second=rate).limits() for rate in (10_000, 20_000))
        self.assertEqual(one, sorted(one, reverse=True))
        straight = [used for limits in (one, two) for used, name in limits if name == "straight"]
        self.assertAlmostEqual(straight[1] / straight[0], 2, delta=0.01)


class Simulations(unittest.TestCase):
    def ages(self, publish=0.0, witnesses=(), quorum=0, mirror=None, head=None, **readers):
        run = scale.Simulation(1)
        closed, published, known = run.author(400, 1.0, (publish, 0.0), [(wait, 0.0) for wait in witnesses], quorum)
        if mirror:
            known = run.mirror(400, published, known, *mirror)
        return run.readers((5, 400), closed, known, 100, (0.0, 0.0), head, **readers)

    def median(self, **scenario):
        return scale.percentile(self.ages(**scenario)[0], 50)

    def test_readers_of_the_origin_are_as_stale_as_the_batch_is_old(self):
        ages = self.ages()[0]
        self.assertAlmostEqual(scale.percentile(ages, 50), 0.5, delta=0.02)
        self.assertAlmostEqual(scale.percentile(ages, 90), 0.9, delta=0.03)
        self.assertLessEqual(ages[-1], 1.0)

    def test_each_part_adds_its_wait(self):
        self.assertAlmostEqual(self.median(publish=0.25), 0.75, delta=0.02)
        self.assertAlmostEqual(self.median(publish=0.25, witnesses=[0.1, 0.3, 9.0], quorum=2), 1.05, delta=0.03)
        # A quorum of more witnesses than there are never cosigns.
        self.assertEqual(self.ages(witnesses=[0.1], quorum=2)[0], [])
        # A mirror without pauses: half a round until it asks, half a round trip, one for the proof, one for updates, taking them.
        mirror = (0.0, (0.1, 0.0), (0.2, 0.0))
        self.assertAlmostEqual(self.median(publish=0.25, mirror=mirror), 1.25, delta=0.04)
        self.assertAlmostEqual(self.median(publish=0.25, mirror=mirror, head=(0.5, (0.0, 0.0))), 1.5, delta=0.05)

    def test_a_slow_author_closes_fewer_batches(self):
        self.assertAlmostEqual(self.median(publish=4.0), 6.0, delta=0.2)

    def test_one_core_is_the_queue_of_the_books(self):
        # Poisson arrivals, one server, exponential work: the mean time is 1 / (served - arriving).
        _, times, _ = self.ages(work=(0.0, 0.005))
        self.assertAlmostEqual(sum(times) / len(times), 1 / (200 - 100), delta=0.001)

    def test_connections_share_the_cores(self):
        rate, times = scale.connections(8, 2, 0.001)
        self.assertAlmostEqual(rate / 2000, 1, delta=0.02)
        self.assertAlmostEqual(scale.percentile(times, 50), 0.004)

    def test_caches_answer_repeated_questions_about_one_version(self):
        # All ask for one key: the first reader of each version has to wait.
        self.assertAlmostEqual(self.ages(head=(0.0, (0.0, 0.0)))[2], 0.99, delta=0.002)

    def test_a_seed_always_gives_the_same(self):
        self.assertEqual(self.ages(), self.ages())


if __name__ == "__main__":
    unittest.main()
