//! How a tree grows: best-first, for any number of channels.
//!
//! In: codes and a demand. Out: splits in the order in which they were made, and the sums of every
//! leaf. Time and again the leaf whose best test lowers the impurity most is split (ties: the leaf
//! that was made first). Of its two children only the one with fewer rows is added up; the other's
//! sums are the parent's less those.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Splitter, Start, TreeSettings};
use crate::demand::{Demand, Question, Stretch};
use crate::error::{Error, Result};
use crate::hypothesis::{Split, Test};
use crate::learner::Histogram;
use crate::learner::channel_sums::ChannelSums;
use crate::learner::criterion::Criterion;
use crate::learner::histogram::Scratch;
use crate::learner::kept_sums::{KeptSums, keep_bytes};
use crate::learner::row_order::RowOrder;
use crate::learner::search_input::SearchInput;
use crate::learner::test_search::{Candidate, Limits, Order, best_test, total};
use crate::random::stream;

/// Numbers per row and channel up to whose size histograms of open leaves are kept in any case;
/// beyond that they are added up anew.
const KEEP_NUMBERS: usize = 4;

/// A tree without answers.
pub(super) struct Grown<S> {
    pub splits: Vec<Split>,
    pub leaves: Vec<GrownLeaf<S>>,
    pub total: S,
}

/// The sums of a leaf and its number of input rows.
pub(super) struct GrownLeaf<S> {
    pub sums: S,
    pub rows: u64,
}

/// Limits, and memory that is used again for every tree.
pub(super) struct Grower {
    max_leaf_nodes: usize,
    max_depth: usize,
    min_samples_leaf: u64,
    min_weight_leaf: f64,
    /// The places of every leaf stand together.
    order: RowOrder,
    scratch: Scratch,
    /// Sums over all rows.
    roots: KeptSums,
    /// Histograms of earlier leaves, to be filled again.
    spare: Vec<Histogram>,
    /// What to copy if there is none.
    blank: Histogram,
    /// The order of answers along columns: signs, and the user's smoothing.
    signs: Vec<i8>,
    smoothing: Option<f64>,
    /// What is drawn for the leaves of this tree, if anything is.
    draws: Option<Draws>,
    pub(super) keep_bytes: usize,
}

/// A leaf that may be split yet.
struct OpenLeaf<S> {
    /// A stretch of the order.
    places: Range<usize>,
    /// How many places that are in all shards.
    n_places: u64,
    sums: S,
    depth: usize,
    /// Leaves are numbered as they are made.
    born: usize,
    histogram: Option<Histogram>,
    /// The best test and how much it lowers the impurity.
    next: Option<Candidate<S>>,
    gain: f64,
}

/// What all leaves of one tree have to obey.
struct Bounds {
    tie: f64,
    min_weight: u64,
    /// What is added to the weights of sides before they answer.
    smooth: f64,
    /// Input rows by place, if there must be several.
    counts: Option<Counts>,
}

/// Input rows by place, as something to add up.
struct Counts {
    rows: Vec<u64>,
    stretches: Vec<Stretch>,
}

impl Grower {
    /// Ready for trees.
    pub fn new(settings: &TreeSettings, start: &Start) -> Result<Self> {
        let (data, n_channels) = (start.view.codes()?, start.question.n_channels());
        // The one to copy, those of two children, and those that are kept.
        Histogram::check_memory(data, n_channels, 3)?;
        let blank = Histogram::new(data, n_channels);
        let keep_bytes = keep_bytes(start.most_rows, n_channels, KEEP_NUMBERS);
        let n_kept = (keep_bytes / blank.size().max(1)).min(settings.max_leaf_nodes);
        Histogram::check_memory(data, n_channels, 3 + n_kept)?;
        Ok(Self {
            max_leaf_nodes: settings.max_leaf_nodes,
            max_depth: settings.max_depth.unwrap_or(usize::MAX),
            min_samples_leaf: settings.min_samples_leaf,
            min_weight_leaf: settings.min_weight_leaf,
            order: RowOrder::default(),
            scratch: Scratch::default(),
            roots: KeptSums::checked(start)?,
            spare: Vec::new(),
            blank,
            signs: start.signs.to_vec(),
            smoothing: settings.smoothing,
            draws: Draws::new(settings, start, data.n_columns())?,
            keep_bytes,
        })
    }

    /// Grows a tree.
    pub fn grow<S: ChannelSums, C: Criterion>(&mut self, input: &SearchInput) -> Result<Grown<S>> {
        let SearchInput { data, demand, workers } = *input;
        self.order.reset(demand.n_places(), workers)?;
        let n_channels = demand.question.n_channels();
        self.spare.retain(|spare| spare.n_channels() == n_channels);
        self.blank.fit(data, n_channels);
        if let Some(draws) = &mut self.draws {
            draws.next_tree();
        }
        let mut root = OpenLeaf {
            places: 0..demand.n_places(),
            n_places: workers.reduce().total(demand.n_places() as u64)?,
            sums: S::zero(demand.question),
            depth: 0,
            born: 0,
            histogram: None,
            next: None,
            gain: 0.0,
        };
        let mut histogram = self.spare.pop().unwrap_or_else(|| self.blank.clone());
        histogram.copy_from(self.roots.of(data, demand, workers)?);
        let total: S = total(data, &histogram, demand);
        root.sums = total.clone();
        root.histogram = Some(histogram);
        let bounds = Bounds {
            tie: total.tie(),
            smooth: self.smoothing.unwrap_or(demand.lightest) * total.weight() as f64,
            min_weight: (self.min_weight_leaf * total.weight() as f64).ceil() as u64,
            counts: match total.rows(0) {
                Some(_) => None, // weights tell
                None => row_counts(self.min_samples_leaf, demand),
            },
        };
        self.search::<S, C>(&mut root, &bounds, input)?;
        let mut leaves = vec![root];
        let mut splits = Vec::new();
        while leaves.len() < self.max_leaf_nodes {
            workers.check()?;
            let Some((at, test)) = choose(&leaves, bounds.tie) else { break };
            let mut new = self.split(&mut leaves[at], 2 * splits.len(), input)?;
            if leaves.len() + 1 < self.max_leaf_nodes {
                self.add_up(&mut leaves[at], &mut new, &bounds, input)?;
                self.search::<S, C>(&mut leaves[at], &bounds, input)?;
                self.search::<S, C>(&mut new, &bounds, input)?;
            }
            leaves.push(new);
            splits.push(Split { leaf: at as u16, test });
            self.keep_within_bounds(&mut leaves);
        }
        let count = |leaf: &OpenLeaf<S>| self.order.count(leaf.places.clone(), demand);
        let mut rows: Vec<u64> = leaves.iter().map(count).collect();
        workers.reduce().sum_if_split(&mut rows)?;
        let leaves = leaves.into_iter().zip(rows).map(|(leaf, rows)| {
            self.spare.extend(leaf.histogram);
            GrownLeaf { rows, sums: leaf.sums }
        });
        Ok(Grown { leaves: leaves.collect(), splits, total })
    }

    fn may_split<S: ChannelSums>(&self, leaf: &OpenLeaf<S>, bounds: &Bounds) -> bool {
        leaf.depth < self.max_depth
            && leaf.n_places > 1
            && leaf.sums.weight() / 2 >= bounds.min_weight
    }

    /// The sums of a leaf in all shards, added up.
    fn fill<S>(&mut self, leaf: &OpenLeaf<S>, input: &SearchInput) -> Result<Histogram> {
        let SearchInput { data, demand, workers } = *input;
        let mut sums = self.spare.pop().unwrap_or_else(|| self.blank.clone());
        let places = self.order.places(leaf.places.clone());
        sums.fill_places(data, demand, places, &mut self.scratch, workers)?;
        sums.reduce(workers)?;
        Ok(sums)
    }

    /// Finds the best test of a leaf, unless it is pure.
    fn search<S: ChannelSums, C: Criterion>(
        &mut self,
        leaf: &mut OpenLeaf<S>,
        bounds: &Bounds,
        input: &SearchInput,
    ) -> Result<()> {
        if !self.may_split(leaf, bounds) || leaf.sums.is_pure::<C>(bounds.tie) {
            return Ok(());
        }
        let Some(histogram) = &leaf.histogram else { return Ok(()) };
        let SearchInput { data, demand, workers } = *input;
        let counts = match &bounds.counts {
            None => None,
            Some(counts) => {
                let counted = Demand {
                    question: Question::Class(1),
                    weights: &counts.rows,
                    stretches: &counts.stretches,
                    ..*demand
                };
                let places = self.order.places(leaf.places.clone());
                let mut sums = Histogram::new(data, 1);
                sums.fill_places(data, &counted, places, &mut self.scratch, workers)?;
                sums.reduce(workers)?;
                Some(sums)
            }
        };
        let drawn = self.draws.as_mut().map(|draws| draws.for_leaf(data.n_columns()));
        let limits = Limits {
            draws: drawn.as_ref().and_then(|drawn| drawn.tests.as_deref()),
            columns: drawn.as_ref().and_then(|drawn| drawn.columns.as_deref()),
            order: (!self.signs.is_empty())
                .then_some(Order { signs: &self.signs, smooth: bounds.smooth }),
            tie: bounds.tie,
            min_weight: bounds.min_weight,
            min_rows: self.min_samples_leaf,
            counts: counts.as_ref(),
        };
        leaf.next = best_test::<S, C>(data, histogram, &leaf.sums, &limits, workers)?;
        let impurity = leaf.sums.impurity::<C>();
        leaf.gain = leaf.next.as_ref().map_or(0.0, |next| impurity - next.score);
        if S::MUST_GAIN && leaf.gain <= bounds.tie {
            leaf.next = None;
        }
        Ok(())
    }

    /// Splits a leaf by its best test: it keeps the rows inside, the others are a new leaf.
    fn split<S: ChannelSums>(
        &mut self,
        leaf: &mut OpenLeaf<S>,
        n_born: usize,
        input: &SearchInput,
    ) -> Result<OpenLeaf<S>> {
        let Some(Candidate { test, inside, outside, .. }) = leaf.next.take() else {
            return Err(Error::internal("a leaf was split without a test"));
        };
        let SearchInput { data, demand, workers } = *input;
        let set = test.inside(data.n_codes(test.column));
        let Range { start, end } = leaf.places;
        let middle = self.order.split(start..end, (data, demand), test.column, &set, workers)?;
        leaf.places = start..middle;
        let n_inside = workers.reduce().total((middle - start) as u64)?;
        let n_outside = leaf.n_places - n_inside;
        leaf.n_places = n_inside;
        leaf.sums = inside;
        leaf.depth += 1;
        leaf.born = n_born + 1;
        Ok(OpenLeaf {
            places: middle..end,
            n_places: n_outside,
            sums: outside,
            depth: leaf.depth,
            born: n_born + 2,
            histogram: None,
            next: None,
            gain: 0.0,
        })
    }

    /// Adds up the smaller of two children and takes it away from their parent, whose sums are still
    /// those of `old`.
    fn add_up<S: ChannelSums>(
        &mut self,
        old: &mut OpenLeaf<S>,
        new: &mut OpenLeaf<S>,
        bounds: &Bounds,
        input: &SearchInput,
    ) -> Result<()> {
        let parent = old.histogram.take();
        if !self.may_split(old, bounds) && !self.may_split(new, bounds) {
            self.spare.extend(parent);
            return Ok(());
        }
        let (small, large) = if old.n_places <= new.n_places { (old, new) } else { (new, old) };
        let small_sums = self.fill(small, input)?;
        large.histogram = Some(match parent {
            Some(mut rest) => {
                rest.subtract(&small_sums, input.workers)?;
                rest
            }
            None => self.fill(large, input)?,
        });
        small.histogram = Some(small_sums);
        Ok(())
    }

    /// Takes back the histograms that are not needed, and drops one when there are too many.
    fn keep_within_bounds<S>(&mut self, leaves: &mut [OpenLeaf<S>]) {
        for leaf in leaves.iter_mut().filter(|leaf| leaf.next.is_none()) {
            self.spare.extend(leaf.histogram.take());
        }
        let held = leaves.iter().filter_map(|leaf| leaf.histogram.as_ref()).map(Histogram::size);
        let mut too_much = held.sum::<usize>().saturating_sub(self.keep_bytes);
        for leaf in leaves.iter_mut().rev() {
            if too_much == 0 {
                break;
            }
            too_much = too_much.saturating_sub(leaf.histogram.take().map_or(0, |sums| sums.size()));
        }
    }
}

/// Random numbers: every tree has a stream of its own.
struct Draws {
    seed: u64,
    n_trees: u64,
    generator: ChaCha8Rng,
    /// Whether tests are drawn.
    tests: bool,
    /// How many columns are drawn, if not all are tried.
    n_columns: Option<usize>,
}

/// What is drawn for a leaf.
struct Drawn {
    /// A random number for each column.
    tests: Option<Vec<u64>>,
    /// The columns that are tried, ascending.
    columns: Option<Vec<usize>>,
}

impl Draws {
    fn new(settings: &TreeSettings, start: &Start, n_columns: usize) -> Result<Option<Self>> {
        let tests = settings.splitter == Splitter::Random;
        let drawn = settings.max_features.map(|most| most.of(n_columns)).transpose()?;
        let drawn = drawn.filter(|drawn| *drawn < n_columns);
        let (seed, n_trees) = (start.seed, start.found_before as u64);
        let generator = stream(seed, n_trees);
        let draws = Self { seed, n_trees, generator, tests, n_columns: drawn };
        Ok((tests || drawn.is_some()).then_some(draws))
    }

    fn next_tree(&mut self) {
        self.generator = stream(self.seed, self.n_trees);
        self.n_trees += 1;
    }

    fn for_leaf(&mut self, n_columns: usize) -> Drawn {
        let Self { generator, tests, n_columns: n_drawn, .. } = self;
        let tests = tests.then(|| (0..n_columns).map(|_| generator.random()).collect());
        let columns = n_drawn.map(|n_drawn| {
            let mut columns: Vec<usize> = (0..n_columns).collect();
            for at in 0..n_drawn {
                columns.swap(at, generator.random_range(at..n_columns));
            }
            columns.truncate(n_drawn);
            columns.sort_unstable();
            columns
        });
        Drawn { tests, columns }
    }
}

/// The leaf whose test gains most, and that test.
fn choose<S>(leaves: &[OpenLeaf<S>], tie: f64) -> Option<(usize, Test)> {
    let open = || leaves.iter().enumerate().filter(|(_, leaf)| leaf.next.is_some());
    let best = open().map(|(_, leaf)| leaf.gain).fold(f64::NEG_INFINITY, f64::max);
    let (at, leaf) =
        open().filter(|(_, leaf)| leaf.gain >= best - tie).min_by_key(|(_, leaf)| leaf.born)?;
    leaf.next.as_ref().map(|next| (at, next.test.clone()))
}

/// The number of input rows at each place, where leaves must have several.
fn row_counts(least: u64, demand: &Demand) -> Option<Counts> {
    let count = |place: usize| demand.copies.map_or(1, |copies| u64::from(copies[place]));
    let alike = |stretch: &Stretch| Stretch { kind: 0, end: stretch.end };
    (least > 1).then(|| Counts {
        rows: (0..demand.n_places()).map(count).collect(),
        stretches: demand.stretches.iter().map(alike).collect(),
    })
}
