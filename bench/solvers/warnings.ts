/**
 * Measures how reliable the expected ranges of a proposal are: how often an output of an ordinary play lies outside its range, which is
 * a false alarm, and how often a wrong value would. A wrong value differs from the true one by more than the outputs seen so
 * far spread; smaller mistakes cannot be told from curvature.
 *
 *   npx node bench/solvers/warnings.ts [--seeds 1] [--problem name,name]
 *
 * Bars: at most 0.5 percent of false alarms, and most wrong values caught.
 */
import { parseArgs } from 'node:util';
import { problemsOf } from '../problems/sets.ts';
import { play } from './play.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1' }, problem: { type: 'string' } } });
const names = values.problem?.split(',');

const mistakes: Record<string, (y: number) => number> = {
  tenfold: (y) => 10 * y,
  tenth: (y) => y / 10,
  sign: (y) => -y,
  huge: () => 1e300,
};
const caught: Record<string, { of: number; caught: number }> = Object.fromEntries(
  Object.keys(mistakes).map((kind) => [kind, { of: 0, caught: 0 }]),
);
let outputs = 0;
let withRange = 0;
let alarms = 0;
for (const problem of problemsOf('collection')) {
  if (names && !names.includes(problem.name)) continue;
  const m = problem.objectives.length;
  for (const seed of values.seeds.split(',').map(Number)) {
    let index = 0;
    let alarmsHere = 0;
    play(problem, seed, {
      watch: ({ history }, proposal) => {
        index = history.count;
        if (proposal.kind !== 'candidate') return;
        const { input, expected } = proposal;
        const output = problem.evaluate(Array.from(input), { seed, index });
        if (!output?.every(Number.isFinite)) return;
        outputs += m;
        if (expected === null) return;
        withRange += m;
        output.forEach((y, j) => {
          const isOutside = (value: number) => value < expected[j]! || value > expected[m + j]!;
          if (isOutside(y)) alarmsHere++;
          const spread = spreadOf(history.Y, m, j);
          for (const [kind, mistake] of Object.entries(mistakes)) {
            if (!(Math.abs(mistake(y) - y) > spread)) continue;
            caught[kind]!.of++;
            if (isOutside(mistake(y))) caught[kind]!.caught++;
          }
        });
      },
    });
    alarms += alarmsHere;
    if (alarmsHere > 0) console.log(`${problem.name}, seed ${seed}: ${alarmsHere} false alarms`);
  }
}
const share = (part: number, whole: number) => Number((part / whole).toFixed(4));
console.log(
  JSON.stringify({
    outputs,
    withRange: share(withRange, outputs),
    falseAlarms: share(alarms, outputs),
    falseAlarmsWithRange: share(alarms, withRange),
    caught: Object.fromEntries(Object.entries(caught).map(([kind, one]) => [kind, share(one.caught, one.of)])),
  }),
);

/** Standard deviation of column j of Y (N x m). */
function spreadOf(Y: Float64Array, m: number, j: number): number {
  const column = Y.filter((_, k) => k % m === j);
  const mean = column.reduce((sum, y) => sum + y / column.length, 0);
  return Math.sqrt(column.reduce((sum, y) => sum + (y - mean) ** 2 / column.length, 0));
}
