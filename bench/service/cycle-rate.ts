/** Full cycles (suggest, load output) on the service in a process of its own, with a trivially cheap optimizer. */
import { blackBox, type Client, loadObjective, makeClient, startProcess } from './client.ts';

/** Fresh objectives keep the histories, and so the snapshots, equally short. */
export const STEPS_PER_OBJECTIVE = 50;

/** For throughput: no limit in the way, and places enough for many clients. */
export const THROUGHPUT_SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: '0',
  WORKER_CONCURRENCY: '8',
  DATABASE_POOL_SIZE: '20',
};

const WARM_UP_SECONDS = 2;

export interface CycleRate {
  readonly perSecond: number;
  /** Milliseconds from asking for a suggestion to its answer. */
  readonly suggestMs: { readonly p50: number; readonly p95: number };
}

/** Settings must name the database; the process ends when it has been measured. */
export async function measureCycles(
  settings: Readonly<Record<string, string>>,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<CycleRate> {
  const service = await startProcess({ ...THROUGHPUT_SETTINGS, ...settings }, ['--cheap']);
  const client = makeClient(service.url, service.key, clients);
  const suggestMs: number[] = [];
  const run = async (isOver: () => boolean): Promise<number> => {
    let done = 0;
    while (!isOver()) {
      const path = await loadObjective(client);
      for (let step = 0; step < STEPS_PER_OBJECTIVE && !isOver(); step++, done++) {
        const cycle = await playCycle(client, path);
        suggestMs.push(cycle.suggestMs);
      }
    }
    return done;
  };
  try {
    await timed(clients, WARM_UP_SECONDS, run);
    suggestMs.length = 0;
    const perSecond = await timed(clients, seconds, run);
    suggestMs.sort((a, b) => a - b);
    const at = (share: number) => suggestMs[Math.floor(share * suggestMs.length)] ?? Number.NaN;
    return { perSecond, suggestMs: { p50: at(0.5), p95: at(0.95) } };
  } finally {
    client.close();
    await service.stop();
  }
}

/** One cycle of the objective at `path`; the id of its step and how long the suggestion took. */
export async function playCycle(
  client: Client,
  path: string,
): Promise<{ readonly id: number; readonly suggestMs: number }> {
  const startedAt = performance.now();
  const { id, input } = await client.call<{ id: number; input: number[] }>('POST', `${path}/inverses`);
  const suggestMs = performance.now() - startedAt;
  await client.call('POST', `${path}/inverse-output`, { output: blackBox(input) });
  return { id, suggestMs };
}

/** Cycles per second of `clients` loops run at once for the given time. */
export async function timed(
  clients: number,
  forSeconds: number,
  run: (isOver: () => boolean) => Promise<number>,
): Promise<number> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > forSeconds * 1000;
  const counts = await Promise.all(Array.from({ length: clients }, () => run(isOver)));
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
