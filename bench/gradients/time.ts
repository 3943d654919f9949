/**
 * Processor time of one suggestion with full derivatives of many outputs by many inputs.
 *
 *   npx node bench/gradients/time.ts [--outputs 10] [--inputs 20] [--runs 60] [--repeats 5]
 */
import { parseArgs } from 'node:util';
import type { Target, Variable } from '../../src/optimizer/interface/problem.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { jacobianOf } from './systems.ts';

const { values } = parseArgs({
  options: {
    outputs: { type: 'string', default: '10' },
    inputs: { type: 'string', default: '20' },
    runs: { type: 'string', default: '60' },
    repeats: { type: 'string', default: '5' },
  },
});
const [m, n, count] = [Number(values.outputs), Number(values.inputs), Number(values.runs)];
const variables = Array.from({ length: n }, (): Variable => ({ kind: 'float', minimum: -2, maximum: 2 }));
const model = (x: ArrayLike<number>) =>
  Array.from({ length: m }, (_, j) => {
    let sum = 0;
    for (let v = 0; v < n; v++)
      sum += Math.sin(x[v]! * (0.5 + 0.1 * ((j + v) % 5)) + j) + 0.1 * x[v]! * x[(v + j) % n]!;
    return sum;
  });

function timeOf(repeat: number, hasDerivatives: boolean): number {
  const random = makeRandom(repeat, 1);
  const inputs = Array.from({ length: count }, () => variables.map(() => 4 * random.uniform() - 2));
  const wanted = model(variables.map(() => 0.4));
  const targets = wanted.map(
    (y): Target => ({ lower: y - 0.01, upper: y + 0.01, lowerOpen: false, upperOpen: false, direction: 'none' }),
  );
  const jacobian = Float64Array.from(inputs.flatMap((x) => jacobianOf(model, variables, x).flat()));
  const history = {
    count,
    X: Float64Array.from(inputs.flat()),
    Y: Float64Array.from(inputs.flatMap(model)),
    failed: new Uint8Array(count),
    ...(hasDerivatives && { jacobian }),
  };
  const request = {
    space: { variables },
    goal: { targets, l1: null },
    history,
    firstSuggested: n + 1,
    convergence: 1e-6,
  };
  const before = process.threadCpuUsage();
  suggest({ ...request, seed: repeat, workLimit: 2e4 });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e3;
}

warmUp();
for (const hasDerivatives of [false, true]) {
  const times = Array.from({ length: Number(values.repeats) }, (_, k) => timeOf(k + 1, hasDerivatives)).sort(
    (a, b) => a - b,
  );
  const median = times[times.length >> 1]!;
  console.log(
    JSON.stringify({ outputs: m, inputs: n, runs: count, hasDerivatives, medianMs: median, mostMs: times.at(-1) }),
  );
}
