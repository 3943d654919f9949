/**
 * Measures how long a suggestion takes while other inputs are pending, beside the same history with none.
 *
 *   npx node bench/solvers/pending-time.ts [--size 10x10x100] [--pending 0,7,31,63] [--repeats 20] [--kinds smooth,stalled,directed]
 *
 * The histories are those of suggest-time.ts; the pending inputs are the suggestions before. A number k of them means k and
 * k + 1, since a search that stalls takes cheap local and dear global turns. Every repeat takes a further history, and the numbers of
 * pending inputs one after the other, so that a busy machine burdens all of them. Processor time in ms, which the load of the
 * machine distorts least. Bars: the mean with 63 pending is at most 3 times that with none, the 95th percentile at
 * most 100 ms.
 */
import { parseArgs } from 'node:util';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { quantile } from '../quantile.ts';
import { makeSample, requestOf } from './sample-history.ts';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '10x10x100' },
    pending: { type: 'string', default: '0,7,31,63' },
    repeats: { type: 'string', default: '20' },
    kinds: { type: 'string', default: 'smooth,rough,stalled,directed' },
  },
});
const size = options.size.split('x').map(Number);
const counts = options.pending.split(',').map(Number);

warmUp();
for (const kind of options.kinds.split(',')) {
  const times = new Map(counts.map((count): [number, number[]] => [count, []]));
  for (let repeat = 0; repeat < Number(options.repeats); repeat++) {
    const request = requestOf(makeSample(kind, size, repeat), repeat + 1);
    const pending: number[] = [];
    for (let k = 0; k <= Math.max(...counts) + 1; k++) {
      const before = process.threadCpuUsage();
      const proposal = suggest({ ...request, pending: Float64Array.from(pending) });
      const { user, system } = process.threadCpuUsage(before);
      for (const count of [k, k - 1]) times.get(count)?.push((user + system) / 1000);
      if (proposal.kind === 'candidate') pending.push(...proposal.input);
    }
  }
  const mean = (count: number) => times.get(count)!.reduce((sum, time) => sum + time / times.get(count)!.length, 0);
  for (const [count, all] of times) {
    process.stdout.write(
      `${kind.padEnd(9)} ${String(count).padStart(3)} pending: mean ${mean(count).toFixed(1)} ms, p95 ${quantile(all, 0.95).toFixed(1)} ms, ratio ${(mean(count) / mean(counts[0]!)).toFixed(2)}\n`,
    );
  }
}
