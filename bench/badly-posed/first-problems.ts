/**
 * Problems of a first day, some with targets that cannot be met: constant and cut-off outputs, choices and whole numbers
 * (bench/problems/first-problems.ts), played with the stop rule `{}` and 200 runs.
 *
 *   npx node bench/badly-posed/first-problems.ts [--seeds 1,2,3,4] [--problem cascade,shop]
 *
 * `worst` is one plus the worst miss in tolerances of the best run, over the least that 200,000 random inputs and walks from the best of them
 * find. Bars: every search beyond reach ends by itself with a worst miss at most 1.5 times the least, none in reach does.
 */
import { parseArgs } from 'node:util';
import { makeMissMeasure } from '../../src/domain/search/nearest.ts';
import { DEFAULT_IMPROVEMENT_BELOW } from '../../src/domain/search/stop-options.ts';
import { explain } from '../../src/optimizer/explain.ts';
import type { SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { firstProblems, type Reach } from '../problems/first-problems.ts';
import { type Problem, toDefinition } from '../problems/problem.ts';
import { makeUniform } from '../problems/random.ts';
import { playAndRecord } from '../solvers/play.ts';

const { values: options } = parseArgs({
  options: { seeds: { type: 'string', default: '1,2,3,4' }, problem: { type: 'string' } },
});
const seeds = options.seeds.split(',').map(Number);
const named = options.problem?.split(',');
const stop = { improvementBelow: DEFAULT_IMPROVEMENT_BELOW };

const DRAWS = 200_000;
const WALKS = 20_000;
const WITHIN = 1.5;

type Measure = (y: readonly number[]) => number;

/** The least of one plus the worst miss: random inputs, then ever smaller steps from the best. */
function leastOf({ variables, evaluate }: Problem, measure: Measure): number {
  const uniform = makeUniform(1);
  const draw = () =>
    variables.map(({ kind, minimum, maximum }) =>
      kind === 'float'
        ? minimum + uniform() * (maximum - minimum)
        : minimum + Math.floor(uniform() * (maximum - minimum + 1)),
    );
  const missAt = (x: readonly number[]) => measure(evaluate(x, { seed: 1, index: 0 })!);
  let best = draw();
  let least = missAt(best);
  const offer = (x: readonly number[]) => {
    const miss = missAt(x);
    if (miss < least) [best, least] = [[...x], miss];
  };
  for (let k = 0; k < DRAWS; k++) offer(draw());
  for (let k = 0; k < WALKS; k++) {
    const size = 0.1 * 0.9995 ** k;
    offer(
      best.map((value, v) => {
        const { kind, minimum, maximum } = variables[v]!;
        const moved = value + size * (2 * uniform() - 1) * (maximum - minimum);
        return kind === 'float' ? Math.min(maximum, Math.max(minimum, moved)) : value;
      }),
    );
  }
  return least;
}

const rows: { reach: Reach; end: string; runs: number; worst: number }[] = [];
for (const reach of ['beyond', 'in reach'] as const) {
  for (const problem of firstProblems(reach).filter(({ name }) => named?.includes(name.split(',')[0]!) ?? true)) {
    const { measure } = makeMissMeasure({ ...toDefinition(problem), options: null });
    const missOf: Measure = (y) => Math.max(0, 1 + measure(y).worst);
    const least = leastOf(problem, missOf);
    const own = seeds.map((seed) => {
      let last: SuggestRequest | undefined;
      const { play, evaluations } = playAndRecord(problem, seed, { stop, watch: (request) => (last = request) });
      const worst = Math.min(...evaluations.map(({ output }) => missOf(output!))) / least;
      const explained = last && explain(last);
      const hasDiagnosis = explained?.diagnosis !== null;
      const advice = explained?.advice?.length ?? 0;
      const row = { reach, end: play.end, runs: play.runs, worst };
      rows.push(row);
      return `${play.runs} ${play.end} ${reach === 'beyond' ? worst.toFixed(3) : ''}${hasDiagnosis ? ' d' : ''}${advice > 0 ? ` a${advice}` : ''}`;
    });
    console.log(`${problem.name.padEnd(30)} least ${least.toPrecision(4).padStart(6)}: ${own.join('; ')}`);
  }
}
const beyond = rows.filter(({ reach }) => reach === 'beyond');
const ended = beyond.filter(({ end, worst }) => end === 'out-of-reach' && worst <= WITHIN).length;
const wrong = rows.filter(({ reach, end }) => reach === 'in reach' && end === 'out-of-reach').length;
console.log(JSON.stringify({ class: 'first problems', beyond: beyond.length, ended, falseEnds: wrong }));
process.exitCode = ended === beyond.length && wrong === 0 ? 0 : 1;
