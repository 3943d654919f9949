/**
 * How long one suggestion takes at equal history: ours and BoTorch's in one run on one core each, one after the other,
 * so that the ratio holds on whatever machine this runs.
 *
 *   node bench/solvers/suggest-time.ts [--sizes 10x10x100,50x20x500] [--repeats 3] [--without-botorch]
 *
 * A size is inputs x outputs x points. The history is a random sample of smooth coupled outputs; every output is to come
 * within one percent of its spread of a reachable target. Times are medians of processor
 * time, which a busy machine does not stretch.
 */
import { parseArgs } from 'node:util';
import type { SuggestRequest, Target } from '../../src/optimizer/problem.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { makeNormal, makeUniform } from '../problems/random.ts';
import { startPython } from './peer.ts';
import { WORK_LIMIT } from './play.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10x10x100,50x20x500' },
    repeats: { type: 'string', default: '3' },
    'without-botorch': { type: 'boolean', default: false },
  },
});
const repeats = Number(options.repeats);

interface Sample {
  readonly inputs: number;
  readonly U: number[][];
  readonly Y: number[][];
  readonly lower: number[];
  readonly upper: number[];
}

function makeSample(inputs: number, outputs: number, points: number): Sample {
  const normal = makeNormal(inputs * 1000 + outputs);
  const uniform = makeUniform(points);
  const weights = Array.from({ length: outputs }, () =>
    Array.from({ length: inputs }, () => (2 * normal()) / Math.sqrt(inputs)),
  );
  const respond = (u: readonly number[]) =>
    weights.map((row, j) => {
      const z = row.reduce((total, weight, i) => total + weight * (2 * u[i]! - 1), 0);
      return Math.sin(z + j) + 0.3 * z * z + 0.5 * z;
    });
  const draw = () => Array.from({ length: inputs }, uniform);
  const U = Array.from({ length: points }, draw);
  const target = respond(draw());
  return {
    inputs,
    U,
    Y: U.map(respond),
    lower: target.map((value) => value - 0.01),
    upper: target.map((value) => value + 0.01),
  };
}

function timeOurs(sample: Sample, seed: number): number {
  const count = sample.U.length;
  const targets = sample.lower.map((lower, j): Target => {
    return { lower, upper: sample.upper[j]!, lowerOpen: false, upperOpen: false, direction: 'none' };
  });
  const request: SuggestRequest = {
    space: { variables: Array.from({ length: sample.inputs }, () => ({ kind: 'float', minimum: 0, maximum: 1 })) },
    goal: { targets, l1: null },
    history: {
      count,
      X: Float64Array.from(sample.U.flat()),
      Y: Float64Array.from(sample.Y.flat()),
      failed: new Uint8Array(count),
    },
    firstStep: count,
    convergence: 1e-6,
    seed,
    workLimit: WORK_LIMIT,
  };
  const before = process.cpuUsage();
  suggest(request);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const python = options['without-botorch'] ? null : startPython('suggest_time.py', []);
async function timeBotorch(sample: Sample): Promise<number> {
  if (!python) return Number.NaN;
  const { U, Y, lower, upper } = sample;
  const { seconds } = (await python.ask({ U, Y, lower, upper, repeats })) as { seconds: number[] };
  return median(seconds);
}

warmUp();
const small = makeSample(3, 2, 12);
timeOurs(small, 1);
await timeBotorch(small);
process.stdout.write(
  '| inputs x outputs x points | ours, s | BoTorch, s | BoTorch / ours |\n| --- | ---: | ---: | ---: |\n',
);
for (const size of options.sizes.split(',')) {
  const [inputs, outputs, points] = size.split('x').map(Number);
  const sample = makeSample(inputs!, outputs!, points!);
  const ours = median(Array.from({ length: repeats }, (_, i) => timeOurs(sample, i + 1)));
  const theirs = await timeBotorch(sample);
  process.stdout.write(`| ${size} | ${ours.toFixed(3)} | ${theirs.toFixed(3)} | ${(theirs / ours).toFixed(1)} |\n`);
}
python?.close();
