/**
 * Measures what the memory of an engine thread for new objects costs and saves: processor time of a suggestion, with that of garbage
 * collection, and the heap that the thread keeps, for several limits in turn. `default` is what Node chooses on this machine.
 *
 *   npx node bench/service/new-objects.ts [--limits default,96,48,24,12] [--sizes 2x2x20,10x10x100,6x4x2500] [--repeats 200,40,20]
 *
 * Limits are MiB (maxYoungGenerationSizeMb), a size is inputs x outputs x points, as in bench/solvers/suggest-time.ts.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { quantile } from '../quantile.ts';
import { makeSample, requestOf } from '../solvers/sample-history.ts';

interface Task {
  readonly shape: readonly number[];
  readonly repeat: number;
}

interface Answer {
  /** Time of the whole process, in which one thread works at a time. */
  readonly processorMs: number;
  readonly newObjectsMiB: number;
  readonly heapMiB: number;
}

const MEBIBYTE = 1024 ** 2;
const WARM_UP = 3;

if (isMainThread) await measure();
else serve();

function serve(): void {
  warmUp();
  parentPort!.on('message', ({ shape, repeat }: Task) => {
    const request = requestOf(makeSample('smooth', shape, repeat), repeat + 1);
    const before = process.cpuUsage();
    suggest(request);
    const { user, system } = process.cpuUsage(before);
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!;
    const answer: Answer = {
      processorMs: (user + system) / 1_000,
      newObjectsMiB: space.physical_space_size / MEBIBYTE,
      heapMiB: getHeapStatistics().total_physical_size / MEBIBYTE,
    };
    parentPort!.postMessage(answer);
  });
}

async function measure(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      limits: { type: 'string', default: 'default,96,48,24,12' },
      sizes: { type: 'string', default: '2x2x20,10x10x100,6x4x2500' },
      repeats: { type: 'string', default: '200,40,20' },
    },
  });
  const threads = options.limits.split(',').map((limit) => ({
    limit,
    worker: new Worker(new URL(import.meta.url), {
      resourceLimits: limit === 'default' ? {} : { maxYoungGenerationSizeMb: Number(limit) },
    }),
  }));
  const counts = options.repeats.split(',').map(Number);
  for (const [i, size] of options.sizes.split(',').entries()) {
    const shape = size.split('x').map(Number);
    const answers = threads.map((): Answer[] => []);
    for (let repeat = -WARM_UP; repeat < counts[i % counts.length]!; repeat++) {
      for (const k of threads.keys()) {
        // Each is first in turn.
        const turn = (k + repeat + WARM_UP) % threads.length;
        const { worker } = threads[turn]!;
        worker.postMessage({ shape, repeat: Math.max(0, repeat) } satisfies Task);
        const [answer] = (await once(worker, 'message')) as [Answer];
        if (repeat >= 0) answers[turn]!.push(answer);
      }
    }
    for (const [k, { limit }] of threads.entries()) {
      const of = (read: (answer: Answer) => number, share: number) =>
        Number(quantile(answers[k]!.map(read), share).toFixed(1));
      const mean = answers[k]!.reduce((sum, { processorMs }) => sum + processorMs, 0) / answers[k]!.length;
      console.log(
        JSON.stringify({
          size,
          limit,
          processorMs: of(({ processorMs }) => processorMs, 0.5),
          meanProcessorMs: Number(mean.toFixed(1)),
          newObjectsMiB: of(({ newObjectsMiB }) => newObjectsMiB, 1),
          heapMiB: of(({ heapMiB }) => heapMiB, 1),
        }),
      );
    }
  }
  await Promise.all(threads.map(({ worker }) => worker.terminate()));
}
