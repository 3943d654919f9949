/** Runs tasks at their times. A task whose last pass is still running is not started a second time. */
import cron from 'node-cron';
import type { WorkerLog } from './work-loop.ts';

export interface ScheduledTask {
  readonly name: string;
  /** Six fields, seconds first. */
  readonly cron: string;
  /** Runs one pass and returns counts for the log. A long pass ends early when the signal fires at shutdown. */
  readonly run: (signal: AbortSignal) => Promise<Readonly<Record<string, number>>>;
}

/** Starts all tasks. The returned function stops them and waits for the passes under way. */
export function startSchedule(tasks: readonly ScheduledTask[], log: WorkerLog): () => Promise<void> {
  const passes = new Set<Promise<void>>();
  const leaving = new AbortController();
  const entries = tasks.map((task) =>
    cron.schedule(
      task.cron,
      () => {
        const pass = runOnce(task, log, leaving.signal).finally(() => passes.delete(pass));
        passes.add(pass);
        return pass;
      },
      { name: task.name, noOverlap: true, logger: toCronLogger(task, log) },
    ),
  );
  return async () => {
    leaving.abort();
    await Promise.all(entries.map((entry) => entry.destroy()));
    await Promise.all(passes);
  };
}

/** Without it, node-cron prints its own lines about passes that are late or skipped. */
function toCronLogger({ name }: ScheduledTask, log: WorkerLog) {
  const warn = (message: string | Error) => log.warn({ task: name, detail: String(message) }, 'schedule.notice');
  return { info: warn, warn, error: warn, debug: () => undefined };
}

async function runOnce(task: ScheduledTask, log: WorkerLog, signal: AbortSignal): Promise<void> {
  try {
    const counts = await task.run(signal);
    if (Object.values(counts).some((count) => count > 0)) log.info({ task: task.name, ...counts }, 'schedule.done');
  } catch (error) {
    log.warn({ task: task.name, err: error }, 'schedule.failed');
  }
}
