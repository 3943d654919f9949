/** The optimizer's thread, which the services of a test worker share: starting and warming one takes longer than most tests. */
import { type Engine, startEngine } from '../../src/engine/pool.ts';

let threads: Engine | undefined;

/** The real engine. Closing it ends what was asked through it; the thread stays for the next service. */
export function openSharedEngine(): Engine {
  threads ??= startEngine({ threads: 1, timeLimitMs: 60_000, keepWarm: false, onError: () => undefined });
  const closed = new AbortController();
  const close = async () => closed.abort();
  type Task = (request: unknown, signal: AbortSignal) => Promise<unknown>;
  const untilClosed = (run: Task): Task => {
    return (request, signal) => run(request, AbortSignal.any([signal, closed.signal]));
  };
  const { close: _, ...tasks } = threads;
  const shared = Object.entries(tasks).map(([name, run]) => [name, untilClosed(run as Task)]);
  return { ...(Object.fromEntries(shared) as unknown as Engine), close };
}
