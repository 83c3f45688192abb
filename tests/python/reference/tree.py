"""A naive oracle, part three: trees (C3), grown best-first with an exhaustive search per leaf.

The leaf whose split lowers the criterion most is split next, in plain loops over raw rows. Inner
nodes are listed in the order of splitting; leaves are known by when they were made.
"""

from dataclasses import dataclass, field

from reference.learners import CRITERIA, TIE, Candidate, Columns, Search, Split, answer_of
from reference.rule import class_weights


@dataclass
class Leaf:
    """Some rows, how deep they lie, and every way in which they may be split."""

    rows: tuple[int, ...]
    depth: int
    candidates: list[Candidate]
    impurity: float

    @property
    def best(self) -> Candidate | None:
        least = min((candidate.score for candidate in self.candidates), default=0.0)
        near = (candidate for candidate in self.candidates if candidate.score <= least + TIE)
        return next(near, None)

    @property
    def gain(self) -> float:
        return self.impurity - self.best.score


@dataclass
class Node:
    """A split and its two children: another node, or a leaf."""

    split: Split
    inside: "Node | Leaf"
    outside: "Node | Leaf"


@dataclass
class Grower:
    """A tree that grows leaf by leaf; `leaves` are in the order in which they were made."""

    columns: Columns
    y: list[int]
    w: list[float]
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    leaves: list[Leaf] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)

    def __post_init__(self):
        self.root: Node | Leaf = self.make_leaf(tuple(range(len(self.y))), 0)

    def make_leaf(self, rows, depth) -> Leaf:
        impurity = CRITERIA[self.criterion](*class_weights(rows, self.y, self.w))
        may_split = impurity > TIE and (self.max_depth is None or depth < self.max_depth)
        search = Search(self.columns, self.y, self.w, self.criterion, rows)
        # Under a limit the best subset of categories need not be a prefix; only those are tried.
        unlimited = self.min_samples_leaf == 1 and self.min_weight_leaf == 0
        found = search.candidates(every_subset=unlimited) if may_split else []
        leaf = Leaf(rows, depth, [c for c in found if self.allows(rows, c)], impurity)
        self.leaves.append(leaf)
        return leaf

    def allows(self, rows, candidate):
        for side, weights in ((True, candidate.inside), (False, candidate.outside)):
            pairs = zip(rows, candidate.rows_inside, strict=True)
            count = sum(self.w[row] > 0 for row, inside in pairs if inside == side)
            if count < self.min_samples_leaf or sum(weights) < self.min_weight_leaf * sum(self.w):
                return False
        return True

    def tied(self, tolerance=TIE) -> list[Leaf]:
        """The leaves of the largest gain, the one made first at the front."""
        open_leaves = [leaf for leaf in self.leaves if leaf.best is not None]
        largest = max((leaf.gain for leaf in open_leaves), default=0.0)
        return [leaf for leaf in open_leaves if leaf.gain >= largest - tolerance]

    def split(self, leaf: Leaf, candidate: Candidate):
        """Put a node with two leaves where a leaf was; the inside leaf is made first."""
        pairs = list(zip(leaf.rows, candidate.rows_inside, strict=True))
        children = [
            self.make_leaf(tuple(row for row, inside in pairs if inside == side), leaf.depth + 1)
            for side in (True, False)
        ]
        new = Node(candidate.split, *children)
        self.leaves = [other for other in self.leaves if other is not leaf]
        if self.root is leaf:
            self.root = new
        for node in self.nodes:
            node.inside = new if node.inside is leaf else node.inside
            node.outside = new if node.outside is leaf else node.outside
        self.nodes.append(new)


@dataclass
class Tree:
    """A grown tree and how its leaves answer."""

    grown: Grower
    answer: str
    smoothing: float

    def leaf_of(self, columns: Columns, row: int) -> Leaf:
        place = self.grown.root
        while isinstance(place, Node):
            inside = place.split.takes(columns[place.split.column][row])
            place = place.inside if inside else place.outside
        return place

    def value(self, leaf: Leaf) -> float:
        weights = class_weights(leaf.rows, self.grown.y, self.grown.w)
        return answer_of(self.answer, *weights, self.smoothing * sum(self.grown.w))

    def answers(self, columns: Columns) -> list[float]:
        return [self.value(self.leaf_of(columns, row)) for row in range(len(columns[0]))]


def fit_tree(
    columns: Columns,
    y,
    w,
    max_leaf_nodes=12,
    answer="logistic",
    smoothing=0.0,
    **limits,
) -> Tree:
    """Grow a tree; `limits` are the criterion and the limits of `Grower`."""
    grown = Grower(columns, y, w, **limits)
    while len(grown.leaves) < max_leaf_nodes and grown.tied():
        leaf = grown.tied()[0]
        grown.split(leaf, leaf.best)
    return Tree(grown, answer, smoothing)
