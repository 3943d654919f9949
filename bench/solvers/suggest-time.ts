/**
 * Measures how long one suggestion takes for the same history, ours and BoTorch's, one after the other on one core each, so
 * that the ratio holds on any machine.
 *
 *   npx node bench/solvers/suggest-time.ts [--sizes 10x10x100,50x20x500] [--kinds smooth,rough,stalled,directed]
 *                                      [--repeats 20] [--without-botorch]
 *
 * A size is inputs x outputs x points; a history is a random sample of coupled outputs. Kinds: in `smooth` every output is to
 * come within 0.01 of a reachable target; `rough` is the same with outputs that oscillate; in `stalled` the best case
 * came first, so that local and noisy models are fitted; in `directed` the first output is minimized towards an aspiration
 * out of reach and the others have limits. Every repeat has another history. Times are processor time, which a busy
 * machine distorts least. BoTorch runs three repeats of `smooth`.
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
    kinds: { type: 'string', default: 'smooth,rough,stalled,directed' },
    repeats: { type: 'string', default: '20' },
    'without-botorch': { type: 'boolean', default: false },
  },
});
const repeats = Number(options.repeats);
const BOTORCH_REPEATS = 3;

interface Sample {
  readonly U: number[][];
  readonly Y: number[][];
  readonly targets: readonly Target[];
}

function makeSample(kind: string, [inputs, outputs, points]: readonly number[], repeat: number): Sample {
  const normal = makeNormal(inputs! * 1000 + outputs! + 7919 * repeat);
  const uniform = makeUniform(points! + 104_729 * repeat);
  const frequency = kind === 'rough' ? 4 : 1;
  const weights = Array.from({ length: outputs! }, () =>
    Array.from({ length: inputs! }, () => (2 * normal()) / Math.sqrt(inputs!)),
  );
  const respond = (u: readonly number[]) =>
    weights.map((row, j) => {
      const z = row.reduce((total, weight, i) => total + weight * (2 * u[i]! - 1), 0);
      return Math.sin(frequency * z + j) + 0.3 * z * z + 0.5 * z;
    });
  const draw = () => Array.from({ length: inputs! }, uniform);
  const U = Array.from({ length: points! }, draw);
  const wanted = respond(draw());
  if (kind === 'stalled') U[0] = draw();
  const targets = wanted.map((value, j): Target => {
    if (kind !== 'directed') return within(value - 0.01, value + 0.01, 'none');
    return j === 0
      ? within(Number.NEGATIVE_INFINITY, -1e3, 'minimize')
      : within(Number.NEGATIVE_INFINITY, value + 0.5, 'none');
  });
  if (kind === 'stalled') {
    const distance = (u: readonly number[]) => respond(u).reduce((sum, y, j) => sum + (y - wanted[j]!) ** 2, 0);
    U.sort((a, b) => distance(a) - distance(b));
  }
  return { U, Y: U.map(respond), targets };
}

function within(lower: number, upper: number, direction: Target['direction']): Target {
  return { lower, upper, lowerOpen: false, upperOpen: false, direction };
}

function timeOurs({ U, Y, targets }: Sample, seed: number): number {
  const count = U.length;
  const request: SuggestRequest = {
    space: { variables: U[0]!.map(() => ({ kind: 'float', minimum: 0, maximum: 1 })) },
    goal: { targets, l1: null },
    history: { count, X: Float64Array.from(U.flat()), Y: Float64Array.from(Y.flat()), failed: new Uint8Array(count) },
    firstSuggested: 0,
    convergence: 1e-6,
    seed,
    workLimit: WORK_LIMIT,
  };
  const before = process.threadCpuUsage();
  suggest(request);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]!;

const python = options['without-botorch'] ? null : startPython('suggest_time.py', []);
async function timeBotorch({ U, Y, targets }: Sample): Promise<number> {
  if (!python) return Number.NaN;
  const ends = { lower: targets.map(({ lower }) => lower), upper: targets.map(({ upper }) => upper) };
  const { seconds } = (await python.ask({ U, Y, ...ends, repeats: BOTORCH_REPEATS })) as { seconds: number[] };
  return quantile(seconds, 0.5);
}

warmUp();
await timeBotorch(makeSample('smooth', [3, 2, 12], 0));
process.stdout.write(
  '| inputs x outputs x points | history | ours, median, s | p95, s | BoTorch, s | BoTorch / ours |\n' +
    '| --- | --- | ---: | ---: | ---: | ---: |\n',
);
for (const size of options.sizes.split(',')) {
  const shape = size.split('x').map(Number);
  for (const kind of options.kinds.split(',')) {
    const ours = Array.from({ length: repeats }, (_, repeat) => timeOurs(makeSample(kind, shape, repeat), repeat + 1));
    const theirs = kind === 'smooth' ? await timeBotorch(makeSample(kind, shape, 0)) : Number.NaN;
    const median = quantile(ours, 0.5);
    const cells = [median, quantile(ours, 0.95), theirs, theirs / median];
    const shown = cells.map((value, i) => (Number.isNaN(value) ? '' : value.toFixed(i === 3 ? 1 : 3)));
    process.stdout.write(`| ${size} | ${kind} | ${shown.join(' | ')} |\n`);
  }
}
python?.close();
