//! What the answers of a hypothesis come to: the shares of the weight by class and answer.
//!
//! In: answers by part, or of single rows. Out: [`Atom`]s, of the rows of all shards.

use super::RowWeights;
use crate::booster::target::Atom;
use crate::error::Result;
use crate::hypothesis::RowNumbers;
use crate::workers::Workers;

impl RowWeights {
    /// The shares of the weight by class and answer; what has no weight is left out.
    pub fn atoms(&self, numbers: &RowNumbers, workers: &Workers) -> Result<Vec<Atom>> {
        let atoms =
            Self::atoms_of_all(std::slice::from_ref(self), std::slice::from_ref(numbers), workers)?;
        Ok(atoms.into_iter().flatten().collect())
    }

    /// The same for several distributions, by distribution: the shares of the weight of all of them.
    pub(in crate::booster) fn atoms_of_all(
        all: &[Self],
        numbers: &[RowNumbers],
        workers: &Workers,
    ) -> Result<Vec<Vec<Atom>>> {
        // By distribution and run: sums by part, or of rows one by one.
        let mut sums: Vec<Vec<Vec<u64>>> = Vec::with_capacity(all.len());
        for (weights, numbers) in all.iter().zip(numbers) {
            sums.push(match numbers {
                RowNumbers::Parts { part, values } => {
                    weights.sums_by_part((part, values.len()), Some(&weights.fixed), workers)?
                }
                RowNumbers::Each(_) => Vec::new(),
            });
        }
        let mut flat: Vec<u64> = sums.iter().flatten().flatten().copied().collect();
        workers.reduce().sum_if_split(&mut flat)?;
        let mut reduced = flat.iter();
        for (sum, reduced) in sums.iter_mut().flatten().flatten().zip(&mut reduced) {
            *sum = *reduced;
        }
        let mut total = flat.iter().sum::<u64>();
        for (weights, numbers) in all.iter().zip(numbers) {
            if matches!(numbers, RowNumbers::Each(_)) {
                total += weights.fixed.iter().sum::<u64>();
            }
        }
        let each = all.iter().zip(numbers).zip(&sums);
        Ok(each.map(|((weights, numbers), sums)| weights.atoms_of(numbers, sums, total)).collect())
    }

    fn atoms_of(&self, numbers: &RowNumbers, sums: &[Vec<u64>], total: u64) -> Vec<Atom> {
        let atom = |class: usize, answer: f64, sum: u64| Atom {
            margin: self.target.margin(class, answer),
            is_wrong: self.target.is_wrong(class, answer),
            weight: sum as f64 / total as f64,
        };
        let mut atoms = Vec::new();
        match numbers {
            RowNumbers::Parts { values, .. } => {
                for (run, sums) in self.runs.iter().zip(sums) {
                    let parts = sums.iter().zip(values).filter(|(sum, _)| **sum > 0);
                    atoms.extend(parts.map(|(&sum, &answer)| atom(run.class, answer, sum)));
                }
            }
            RowNumbers::Each(numbers) => {
                for block in &self.blocks {
                    let rows =
                        self.fixed[block.rows.clone()].iter().zip(&numbers[self.rows_of(block)]);
                    let rows = rows.filter(|(weight, _)| **weight > 0);
                    let class = self.runs[block.run].class;
                    atoms.extend(rows.map(|(&weight, &answer)| atom(class, answer, weight)));
                }
            }
        }
        atoms
    }
}
