//! The core of weakforce: noise-robust, margin-aware, readable boosting for tabular data.
//!
//! Data flows through the modules in the order in which they stand below; each uses only those
//! above it. Loading and scoring end with [`model`]; what comes below it is for training (feature
//! `train`, on by default).
//!
//! | module | what comes in → what goes out |
//! |---|---|
//! | [`error`] | every way in which something can fail |
//! | [`reduce`] | sums over the rows of one shard → over those of all |
//! | [`workers`] | jobs → threads, and the flag that calls them off |
//! | [`memory`] | what is about to be allocated → whether it fits |
//! | [`storage`] | what a fit keeps in files while it runs → files, written whole or not at all |
//! | [`wire`] | enum values → their names outside of the core |
//! | [`portable`] | numbers → exp, ln and the like, the same on every machine |
//! | `vectors` | slices → sums and products |
//! | [`random`] | a seed → streams of random numbers; weights → places drawn |
//! | [`sampling`] | a seed and the number of a row → how often it is drawn |
//! | [`data`] | Arrow or NumPy columns → bins → codes; rows in class order |
//! | [`hypothesis`] | codes → answers |
//! | [`combiner`] | outputs, to which hypotheses add → a score for every class |
//! | [`model`] | hypotheses and weights → scores, files |
//! | [`demand`] | the contract: what a booster asks of a learner |
//! | [`draws`] | a demand and a seed → the sample of its rows that a hypothesis learns from |
//! | `linear_algebra` | small matrices → products, factors |
//! | [`learner`] | codes and a demand → the best hypothesis |
//! | [`solver`] | margins and a program → the best weights, with a certificate |
//! | [`booster`] | answers → a weight, a verdict, a new demand |
//! | [`settings`] | JSON → checked parameters |
//! | [`prepared`] | frames, labels and settings → rows ready for boosting |
//! | [`ensemble`] | hypotheses round by round → scores of the rows at hand, and their history |
//! | [`reweight`] | an ensemble and a program → its best weights |
//! | [`checkpoint`] | what was found round by round → a file, from which a fit that was ended goes on |
//! | [`pool`] | rows → forests and boosted trees, put together so that their capacity follows the noise |
//! | `earlier` | a model of rounds already run → what the next ones must have in common with them |
//! | [`run`] | a booster and a learner, round by round → an ensemble and the reason to stop |
//! | [`mod@fit`] | frames, labels and settings → a model |
//! | `python` | all of this for Python (feature `python`) |
//!
//! # Glossary
//!
//! | word | symbol | meaning |
//! |---|---|---|
//! | row weights | w, D | a distribution over the training rows; u is the one at the start |
//! | answer | h(x) | what a hypothesis says of a row: ±1 (a vote) or any number |
//! | edge | γ, μ | Σ w y h; `AdaBoost_R` divides by the largest answer |
//! | error | ε | the weight that is classified wrongly, (1 − γ)/2 for votes |
//! | weight of a hypothesis | α; b = 2α in ATA | its factor in the score |
//! | score | H(x) | Σ α h(x); its sign is the prediction, sign(0) = +1 |
//! | margin | ν, ρ | y H, squashed by tanh(·/2) or divided by Σ\|α\| |
//! | smallest margin | ϱ | the least normalised margin of a training row |
//! | channel | | the group of rows whose weights are summed together: a class, or a side |
//! | pair | (i, k) | a row and a class; its target is +1 if the row is of that class |
//! | output | | what hypotheses add to: one sum, one for each class or two-class problem, a count, or the masses of a grid |
//! | combiner | | how the outputs of a row become its scores |
//! | cost | c(k) | what answering k costs; Δc is how much dearer than average that is |
//! | soft margin | ρ̃ | the margin and what is forgiven: C (μᵖ + ζ), μ the influence, or slack ξ |
//! | mistrust | ζ | how little the user believes the label of a row, a number ≥ 0 |
//! | nu | ν = 1/C | at most this share of the weight has slack, at least this share is support |
//! | support | d | rows with a dual above zero: those that decide the weights |
//! | demand | | row weights by channel: what a booster asks of a learner |
//! | atom | | all rows of one class that got one answer, or a single row |
//! | part | | all rows that a hypothesis answers alike: a side of a stump, a leaf of a tree |
//! | literal | | one condition of a rule: `x ≤ θ`, `x > θ`, `x = v`, `x ≠ v`, `is (not) null` |
//! | place | | the slot of a row among the training rows, which are ordered by class |
//! | copies | | input rows with equal codes and class that share one place |
//! | grid, layer, node | (l, k) | rows go right or left in every layer; a node is how often they went right |
//! | mass | | the probability that a row is at a node; q is that of an answer of +1 there |
//! | shard | | the rows that one process holds of a fit that several take part in |
//! | piece | | rows of a shard that follow each other in the whole frame |
//! | view | | what a learner reads of the rows: codes, numbers, or the caller's frame |
//! | schema | | the columns that a model was fitted to, and the view of them |
//! | external | | of the caller's: classifiers of other libraries, and the rows that they read |
//! | step function | | what all hypotheses that test one column add to an output, code by code |
//! | run report | | what a booster says of a run besides the model, by name |
//! | code, bin, cut | | bin `c` holds `cuts[c−1] < x ≤ cuts[c]`; its code is `c` |

// The functions that models depend on are those of `portable`; tests may compare with the system's.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod error;
pub mod reduce;
pub mod workers;

#[cfg(feature = "train")]
pub mod memory;

pub mod storage;

pub mod wire;

pub mod portable;

mod vectors;

pub mod random;

pub mod sampling;

pub mod data;

pub mod hypothesis;

pub mod combiner;

pub mod model;

#[cfg(feature = "train")]
pub mod demand;

#[cfg(feature = "train")]
pub mod draws;

#[cfg(feature = "train")]
mod linear_algebra;

#[cfg(feature = "train")]
pub mod learner;

#[cfg(feature = "train")]
pub mod solver;

#[cfg(feature = "train")]
pub mod booster;

#[cfg(feature = "train")]
pub mod settings;

#[cfg(feature = "train")]
pub mod prepared;

#[cfg(feature = "train")]
pub mod ensemble;

#[cfg(feature = "train")]
pub mod reweight;

#[cfg(feature = "train")]
pub mod checkpoint;

#[cfg(feature = "train")]
pub mod pool;

#[cfg(feature = "train")]
mod earlier;

#[cfg(feature = "train")]
pub mod run;

#[cfg(feature = "train")]
pub mod fit;

#[cfg(feature = "python")]
mod python;

#[cfg(all(test, feature = "train"))]
#[path = "../tests/rust/mod.rs"]
mod tests_of_the_whole;
