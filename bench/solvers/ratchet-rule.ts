/**
 * The ratchet: a few fast problems whose run counts are recorded in ratchet.json and must not get worse.
 *
 * Tolerances: every play stays solved; no play needs more than 1.5 times its recorded runs plus 3, because a single play is a
 * matter of luck when a model changes; the geometric mean of all plays is at most 1.05 times the recorded mean, because
 * seeds differ by 2 percent.
 */
import { getProblem } from '../problems/collection.ts';
import { play } from './play.ts';
import { costOf, geometricMean } from './scores.ts';

export const RATCHET_SEEDS = [1, 2];

const RATCHET_PROBLEMS = [
  'rosenbrock',
  'wood',
  'chebyquad-6',
  'bard',
  'kowalik-osborne',
  'filter-mask',
  'car-side-impact',
  'branin',
  'g04-himmelblau',
  'speed-reducer-teeth',
  'cantilever-choice',
  'sir-outbreak',
  'orbit-rendezvous',
  'noisy-outbreak',
  'himmelblau',
  'random-network-100',
];

/** Runs by problem name, one count per seed; an unsolved play counts twice the budget. */
export type RatchetRecord = Readonly<Record<string, readonly number[]>>;

export function playRatchet(seeds: readonly number[]): RatchetRecord {
  const entries = RATCHET_PROBLEMS.map((name) => {
    const problem = getProblem(name);
    return [name, seeds.map((seed) => costOf(play(problem, seed), problem.budget))] as const;
  });
  return Object.fromEntries(entries);
}

/** Results that got worse beyond the tolerances, one sentence each. Compares the seeds that both have. */
export function findRegressions(record: RatchetRecord, measured: RatchetRecord): string[] {
  const complaints: string[] = [];
  const before: number[] = [];
  const after: number[] = [];
  for (const [name, costs] of Object.entries(measured)) {
    const { budget } = getProblem(name);
    costs.forEach((cost, i) => {
      const known = record[name]?.[i];
      if (known === undefined) {
        complaints.push(`${name}, play ${i + 1}: not on record`);
        return;
      }
      before.push(known);
      after.push(cost);
      if (cost > budget && known <= budget) complaints.push(`${name}, play ${i + 1}: no longer solved (${known} runs)`);
      else if (cost > 1.5 * known + 3) complaints.push(`${name}, play ${i + 1}: ${cost} runs, on record are ${known}`);
    });
  }
  const [mean, recorded] = [geometricMean(after), geometricMean(before)];
  if (mean > 1.05 * recorded) {
    complaints.push(`all: ${mean.toFixed(2)} runs in the geometric mean, on record are ${recorded.toFixed(2)}`);
  }
  return complaints;
}
