/**
 * Clients that ask for suggestions and load their outputs without a pause. Every answer that is not a success counts, and
 * so does an iteration that is missing, doubled or out of order.
 */
import { blackBox, type Client, loadObjective, makeClient } from '../service/client.ts';

export interface LoadReport {
  readonly requests: number;
  readonly steps: number;
  readonly failures: readonly string[];
  readonly suggestMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface Load {
  /** Steps done so far. */
  readonly steps: () => number;
  stop(): Promise<LoadReport>;
}

/** A history that grows without end would make every suggestion slower than the one before. */
const STEPS_PER_OBJECTIVE = 25;

export function startLoad(origin: string, key: string, clients: number): Load {
  const http = makeClient(origin, key, clients);
  const failures: string[] = [];
  const times: number[] = [];
  let requests = 0;
  let isOver = false;
  const counting: Client = {
    call: (method, path, body) => {
      requests += 1;
      return http.call(method, path, body);
    },
    close: () => http.close(),
  };
  const loops = Array.from({ length: clients }, async () => {
    while (!isOver) {
      await playObjective(counting, () => isOver, times).catch((error: unknown) => {
        failures.push(error instanceof Error ? error.message : String(error));
      });
    }
  });
  return {
    steps: () => times.length,
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
      counting.close();
      times.sort((a, b) => a - b);
      const at = (share: number) =>
        Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0);
      return {
        requests,
        steps: times.length,
        failures,
        suggestMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
      };
    },
  };
}

interface Suggested {
  readonly id: number;
  readonly iteration: number;
  readonly input: readonly number[] | null;
}

async function playObjective(client: Client, isOver: () => boolean, times: number[]): Promise<void> {
  const path = await loadObjective(client);
  for (let iteration = 2; iteration < STEPS_PER_OBJECTIVE && !isOver(); iteration++) {
    const startedAt = performance.now();
    const step = await client.call<Suggested>('POST', `${path}/inverses`);
    times.push(performance.now() - startedAt);
    if (step.iteration !== iteration) throw new Error(`iteration ${step.iteration} in place of ${iteration}`);
    if (step.input === null) throw new Error('the wait for a suggestion ran out');
    await client.call('POST', `${path}/inverse-output`, { output: blackBox(step.input) });
  }
  const { inverses } = await client.call<{ inverses: { id: number }[] }>('GET', path);
  const ids = inverses.map(({ id }) => id);
  if (ids.some((id, i) => i > 0 && id <= ids[i - 1]!)) throw new Error(`steps out of order: ${ids.join(' ')}`);
}
