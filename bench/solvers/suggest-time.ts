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
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { startPython } from './peer.ts';
import { makeSample, requestOf, type Sample } from './sample-history.ts';

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

function timeOurs(sample: Sample, seed: number): number {
  const request = requestOf(sample, seed);
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
