/**
 * Measures how often 95 percent intervals of a fit hold the truth, on simulated data sets.
 *
 *   npx node bench/fits/coverage.ts [--sets 200] [--problem decay] [--first 1000] [--unknown]
 *   npx node bench/fits/coverage.ts --undetermined [--sets 5] [--problem 'ratio, linear'] [--first 1] [--verify 3]
 *
 * `--undetermined` plays fits of which the data determine only a combination of inputs (`undetermined.ts`), as many data sets of each
 * system, and counts besides the ends that are not known, and inputs called identifiable although the real misfit hardly rises at an end:
 * some draws of the systems that are nearly undetermined do determine them. `--verify` makes so many of the runs that tell most.
 */
import { parseArgs } from 'node:util';
import { isUnsure } from '../../src/domain/search/fit-parameters.ts';
import { fitInsight } from '../../src/optimizer/fit-insight.ts';
import type { FitInsight } from '../../src/optimizer/interface/insights.ts';
import { warmUp } from '../../src/optimizer/suggest.ts';
import { play } from './play.ts';
import { type FitProblem, leastMisfit, log, oneSet, real, simulated } from './problem.ts';
import { FIT_PROBLEMS } from './problems.ts';
import { UNDETERMINED } from './undetermined.ts';

const TIMES = Array.from({ length: 25 }, (_, i) => 0.2 * i);

/** Two exponentials that decay at rates not far apart: nearly collinear. */
function biexponential(seed: number): FitProblem {
  const model = (x: ArrayLike<number>) =>
    TIMES.map((t) => x[0]! * Math.exp(-x[1]! * t) + (3 - x[0]!) * Math.exp(-x[2]! * t));
  const truth = [1.8, 0.4, 2.5];
  const values = simulated(model, truth, 0.03, seed);
  return {
    name: 'biexponential',
    variables: [real(0.2, 2.9), log(0.05, 1.2), log(1.2, 10)],
    truth,
    model,
    fits: oneSet(values, 0.03),
  };
}

/** Growth that saturates, with the plateau barely seen. */
export function saturation(seed: number): FitProblem {
  const model = (x: ArrayLike<number>) => TIMES.map((t) => (x[0]! * t) / (x[1]! + t));
  const truth = [2, 3];
  const values = simulated(model, truth, 0.04, seed);
  return { name: 'saturation', variables: [log(0.5, 20), log(0.3, 50)], truth, model, fits: oneSet(values, 0.04) };
}

const PROBLEMS = [FIT_PROBLEMS[0]!, biexponential, saturation];

function main(): void {
  const { values } = parseArgs({
    options: {
      sets: { type: 'string' },
      first: { type: 'string' },
      problem: { type: 'string' },
      unknown: { type: 'boolean', default: false },
      undetermined: { type: 'boolean', default: false },
      verify: { type: 'string', default: '0' },
    },
  });
  warmUp();
  if (values.undetermined) {
    playUndetermined(Number(values.sets ?? 5), Number(values.first ?? 1), values.problem, Number(values.verify));
    return;
  }
  for (const make of PROBLEMS) {
    const { name, variables } = make(1);
    if (values.problem !== undefined && values.problem !== name) continue;
    const held = variables.map(() => 0);
    const open = variables.map(() => 0);
    let known = 0;
    let runs = 0;
    const sets = Number(values.sets ?? 200);
    for (let k = 0; k < sets; k++) {
      const seed = Number(values.first ?? 1000) + k;
      const made = make(seed);
      const problem = values.unknown ? { ...made, fits: made.fits.map((fit) => ({ ...fit, sigmas: null })) } : made;
      const played = play(problem, seed, 60);
      runs += played.misfits.length;
      const insight = fitInsight(played.request);
      if (insight === null) continue;
      known++;
      insight.parameters.forEach(({ low, high }, v) => {
        const truth = problem.truth[v]!;
        if ((low ?? -Infinity) <= truth && truth <= (high ?? Infinity)) held[v]!++;
        if (low === null || high === null) open[v]!++;
      });
    }
    const coverage = held.map((count) => Math.round((1000 * count) / known) / 10);
    process.stdout.write(`${JSON.stringify({ problem: name, sets: known, coverage, open, meanRuns: runs / sets })}\n`);
  }
}

/** Intervals of one input that exclude the truth may be so many, by chance. */
const EXCLUDED = 0.05;
/** At a right end the real misfit rises by at least this share of the threshold. */
const RISES = 0.5;

function playUndetermined(sets: number, first: number, only: string | undefined, verify: number): void {
  const total = { fits: 0, intervals: 0, excluded: 0, ends: 0, notKnown: 0, falselyIdentifiable: 0 };
  for (const make of UNDETERMINED) {
    const { name, variables, undetermined } = make(first);
    if (only !== undefined && only !== name) continue;
    const excluded = variables.map(() => 0);
    const identifiable = variables.map(() => 0);
    const notKnown = variables.map(() => 0);
    for (let seed = first; seed < first + sets; seed++) {
      const problem = make(seed);
      const insight = insightAfter(problem, seed, verify);
      insight.parameters.forEach(({ low, high, lowEnd, highEnd, kind }, v) => {
        const truth = problem.truth[v]!;
        if (truth < (low ?? -Infinity) || truth > (high ?? Infinity)) excluded[v]!++;
        if (kind === 'identifiable') {
          identifiable[v]!++;
          if (undetermined.includes(v) && !doesRise(problem, insight, v)) total.falselyIdentifiable++;
        }
        for (const end of [lowEnd, highEnd]) if (end === 'not-known') notKnown[v]!++;
      });
    }
    const sum = (counts: readonly number[]) => counts.reduce((one, other) => one + other, 0);
    total.fits += sets;
    total.intervals += sets * variables.length;
    total.excluded += sum(excluded);
    total.ends += 2 * sets * variables.length;
    total.notKnown += sum(notKnown);
    process.stdout.write(
      `${JSON.stringify({ problem: name, sets, undetermined, excluded, identifiable, notKnown })}\n`,
    );
  }
  process.stdout.write(`${JSON.stringify(total)}\n`);
  if (total.excluded > EXCLUDED * total.intervals || total.falselyIdentifiable > 0) process.exitCode = 1;
}

/** Whether the real misfit rises by half of the threshold at both ends of an input, whatever the other inputs are. */
function doesRise(problem: FitProblem, { best, threshold, verify }: FitInsight, v: number): boolean {
  const least = leastMisfit({ ...problem, truth: best });
  return verify.every(({ input, at }) => {
    if (input !== v) return true;
    const held = problem.variables.map((one, w) => (w === v ? real(at[v]!, at[v]!) : one));
    return leastMisfit({ ...problem, truth: at, variables: held }) - least > RISES * threshold;
  });
}

/** After a search and the runs that tell most. */
function insightAfter(problem: FitProblem, seed: number, verify: number): FitInsight {
  let { request } = play(problem, seed, 80);
  let insight = fitInsight(request)!;
  for (let k = 0; k < verify; k++) {
    const next = insight.verify.find((run) => isUnsure(insight, run));
    if (next === undefined) break;
    const { count, X, Y, failed } = request.history;
    const history = {
      count: count + 1,
      X: Float64Array.from([...X, ...next.at]),
      Y: Float64Array.from([...Y, ...problem.model(next.at)]),
      failed: Uint8Array.from([...failed, 0]),
    };
    request = { ...request, history };
    insight = fitInsight(request)!;
  }
  return insight;
}

if (import.meta.main) main();
