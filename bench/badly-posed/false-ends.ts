/**
 * Whether the default stop rule ends searches whose targets can be met: plays of the collection with the rule `{}` and their usual
 * budgets. An end by evidence is false if the same play without the rule satisfies everything within its budget.
 *
 *   npx node bench/badly-posed/false-ends.ts [--seeds 11,12,13,14,15,16,17,18] [--family a,b] [--machines 4] [--write]
 *
 * The rule changes no suggestion, so the runs of the plays that it does not end are those of ordinary plays; their geometric mean is
 * printed by family. Unsolved plays count twice their budget. Bar: no false end in 1,000 plays. Exits with code 1 when it is missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DEFAULT_IMPROVEMENT_BELOW } from '../../src/domain/search/stop-options.ts';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { problemsOf } from '../problems/sets.ts';
import { play } from '../solvers/play.ts';
import { costOf, geometricMean } from '../solvers/scores.ts';

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '11,12,13,14,15,16,17,18' },
    family: { type: 'string' },
    machines: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const families = options.family?.split(',');
const problems = problemsOf('collection').filter(({ family }) => families?.includes(family) ?? true);
const machines = Number(options.machines);
const stop = { improvementBelow: DEFAULT_IMPROVEMENT_BELOW };
const BY_EVIDENCE: readonly string[] = ['out-of-reach', 'standstill'];

interface Row {
  readonly problem: string;
  readonly family: string;
  readonly seed: number;
  readonly runs: number;
  readonly cost: number;
  readonly end: string;
  readonly isFalse: boolean;
}

warmUp();
const rows: Row[] = [];
for (const seed of options.seeds.split(',').map(Number)) {
  for (const problem of problems) {
    const ruled = play(problem, seed, { stop, machines });
    const isEnded = BY_EVIDENCE.includes(ruled.end);
    const free = isEnded ? play(problem, seed, { machines }) : ruled;
    const isFalse = isEnded && free.solved;
    const { name, family } = problem;
    rows.push({
      problem: name,
      family,
      seed,
      runs: ruled.runs,
      cost: costOf(free, problem.budget),
      end: ruled.end,
      isFalse,
    });
    if (isEnded)
      console.log(
        `${name}, seed ${seed}: ${ruled.end} after ${ruled.runs}, without the rule ${free.end} after ${free.runs}`,
      );
  }
  const played = rows.filter((row) => row.seed === seed);
  console.log(`seed ${seed}: ${played.filter((row) => row.isFalse).length} of ${played.length} false`);
}
for (const family of new Set(problems.map((problem) => problem.family))) {
  const costs = rows.filter((row) => row.family === family).map(({ cost }) => cost);
  console.log(`${family.padEnd(18)} ${geometricMean(costs).toFixed(2)}`);
}
const falseEnds = rows.filter(({ isFalse }) => isFalse).length;
console.log(
  JSON.stringify({
    class: 'false ends',
    plays: rows.length,
    falseEnds,
    runs: geometricMean(rows.map(({ cost }) => cost)),
  }),
);
if (options.write) {
  mkdirSync(new URL('results/', import.meta.url), { recursive: true });
  writeFileSync(new URL('results/false-ends.json', import.meta.url), `${JSON.stringify(rows, null, 1)}\n`);
}
process.exitCode = falseEnds === 0 ? 0 : 1;
