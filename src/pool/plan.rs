//! What the pool consists of, by the number of rows: numbers that were chosen by measurement.

/// The strengths of hierarchical shrinkage, in rows.
pub(super) const LAMBDAS: [f64; 6] = [0.0, 3.0, 10.0, 30.0, 100.0, 300.0];

/// What tells a forest from others.
pub(super) struct ForestKind {
    /// The least rows of a leaf.
    pub leaf_rows: u64,
    /// The share of the rows of a sample, `None` for that of `judging_rule`, and whether it is
    /// drawn with replacement.
    pub share: Option<f64>,
    pub with_replacement: bool,
    /// Whether rows weigh by how probable their labels are.
    pub by_trust: bool,
    /// How much its candidates are expected to count, by λ.
    pub expected: [f64; 6],
}

/// The forests. Without shrinkage a forest with pure leaves is seldom right, and with the strongest
/// one no forest is.
pub(super) const FORESTS: [ForestKind; 3] = [
    ForestKind {
        leaf_rows: 1,
        share: Some(1.0),
        with_replacement: true,
        by_trust: false,
        expected: [0.1, 0.3, 1.0, 1.0, 1.0, 0.3],
    },
    ForestKind {
        leaf_rows: 5,
        share: None,
        with_replacement: false,
        by_trust: false,
        expected: [1.0, 1.0, 1.0, 1.0, 1.0, 0.3],
    },
    ForestKind {
        leaf_rows: 5,
        share: None,
        with_replacement: false,
        by_trust: true,
        expected: [1.0, 1.0, 1.0, 1.0, 1.0, 0.3],
    },
];
/// The numbers of rounds among which one is chosen.
pub(super) const STAGES: [usize; 6] = [8, 16, 32, 64, 128, 256];
/// Rows from which forests are small: fewer trees, each grown on a part of the rows, and none by trust.
pub(super) const MANY: usize = 20_000;
/// Trees of such a forest, and rows of each.
pub(super) const FEW_TREES: usize = 50;
pub(super) const TREE_ROWS: f64 = 16_384.0;
/// Rows from which there are boosted trees only, fitted to all rows after one fold has been held back.
pub(super) const LARGE: usize = 50_000;
/// The most rounds there, so that such models are quick.
pub(super) const LARGE_ROUNDS: usize = 192;
/// The rows at which forests and boosted trees are expected to count as ¾ and ¼.
pub(super) const EVEN_ROWS: f64 = 4000.0;
/// The ridge on the biases of candidates.
pub(super) const BIAS_RIDGE: f64 = 5.0;
/// How candidates are judged out of bag.
pub(super) struct JudgingRule {
    /// The share of the rows that trees without replacement learn from. If few rows are left out, the
    /// scores of a row out of bag come from few trees, and their noise is held against weak shrinkage.
    pub share: f64,
    /// σ of the logarithm of a candidate's factor: if it is large, few noisy rows send the factor
    /// towards zero, and the biases decide alone.
    pub factor_spread: f64,
}

/// Two classes have one score, which noise easily sends to the wrong side of zero; for more classes no
/// clear gain of the rule of two was measured.
pub(super) fn judging_rule(n_classes: usize) -> JudgingRule {
    if n_classes == 2 {
        JudgingRule { share: 0.65, factor_spread: 0.3 }
    } else {
        JudgingRule { share: 0.8, factor_spread: 1.0 }
    }
}

/// Trees of a forest at most, and at least where leaves have many numbers.
pub(super) const MOST_TREES: usize = 200;
pub(super) const FEWEST_TREES: usize = 20;
/// Numbers that the leaves of a forest may hold.
pub(super) const MOST_NUMBERS: usize = 1 << 23;
/// Rows that are judged out of bag at most.
pub(super) const MOST_JUDGED: usize = 50_000;
