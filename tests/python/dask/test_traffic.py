"""What workers send each other: sums that are right, and few bytes."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import weakforce
from support.clusters import spread
from weakforce import DiscreteAdaBoostClassifier, SAMMEClassifier, Stump, Tree

pytest.importorskip("distributed")

MOST_SENT = 2.2


class Exchange:
    """The mailboxes of workers that are coroutines of one loop."""

    def __init__(self) -> None:
        self.arrived: dict[object, object] = {}
        self.came = asyncio.Condition()

    async def send(self, address, fit, key, data):
        async with self.came:
            assert (address, key) not in self.arrived
            self.arrived[address, key] = data
            self.came.notify_all()


class Box:
    def __init__(self, exchange, address):
        self.exchange, self.address = exchange, address

    async def take(self, key):
        async with self.exchange.came:
            await self.exchange.came.wait_for(lambda: (self.address, key) in self.exchange.arrived)
            return self.exchange.arrived.pop((self.address, key))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 12, 13])
@pytest.mark.parametrize("length", [0, 1, 3, 100, 1001])
def test_sums_are_those_of_all_shards_in_any_number_of_them(size, length):
    from weakforce.dask.reducer import Reducer

    generator = np.random.default_rng(size)
    own = generator.integers(0, 2**64, size=(size, length), dtype=np.uint64)
    names = [f"worker {rank}" for rank in range(size)]

    async def run():
        exchange = Exchange()
        shards = [
            Reducer(exchange, Box(exchange, name), "fit", rank, names)
            for rank, name in enumerate(names)
        ]
        sums = await asyncio.gather(*(s._sum(own[s.rank]) for s in shards))
        gathered = await asyncio.gather(*(s._gather(bytes(range(s.rank))) for s in shards))
        assert not exchange.arrived
        return sums, gathered, [shard.traffic.sent for shard in shards]

    sums, gathered, sent = asyncio.run(run())
    for found in sums:
        np.testing.assert_array_equal(found, own.sum(axis=0, dtype=np.uint64))
    assert gathered == [[bytes(range(rank)) for rank in range(size)]] * size
    # Blocks differ by one number at most.
    assert max(sent) <= 8 * (2 * length * (size - 1) / size + 2 * size)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [2, 3, 4])
@pytest.mark.parametrize(
    "model",
    [
        DiscreteAdaBoostClassifier(Stump()),
        DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=6)),
        SAMMEClassifier(Tree(max_leaf_nodes=6)),
    ],
    ids=lambda model: f"{type(model).__name__}-{type(model.estimator).__name__}",
)
def test_a_worker_sends_little_more_than_twice_the_sums(model, n_workers, threads, rows):
    columns = rows.drop("label", "weight") if "SAMME" in str(model) else rows.drop("kind", "weight")
    shares = [(worker, 600 // n_workers) for worker in range(n_workers)]
    parts = spread(threads, columns, shares)

    def traffic(n_rounds):
        model.set_params(n_estimators=n_rounds)
        return weakforce.dask.fit(model, parts, columns.columns[-1], client=threads).fit_traffic_

    few, many = traffic(2), traffic(12)
    for worker, sent in many.items():
        sums = sent["sums"] - few[worker]["sums"]
        assert sums > 0
        more = sent["gathered"] - few[worker]["gathered"]
        assert sent["sent"] - few[worker]["sent"] + more <= MOST_SENT * sums
