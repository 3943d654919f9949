/** Makes reports in a thread, one at a time. */
import { Piscina } from 'piscina';
import { DomainError } from '../../domain/errors.ts';
import { entryModule } from '../../installation.ts';
import type { ReportFile, ReportTask } from './report-thread.ts';

const IDLE_MS = 60_000;
/** The longest report takes a few seconds of a processor. */
const TIME_LIMIT_MS = 60_000;
/** Each waits with the text of a history, some megabytes. */
const WAITING = 16;
const THREAD_HEAP_MIB = 512;

export interface Reports {
  /** Throws OVERLOADED if too many wait or one takes too long. */
  write(task: ReportTask): Promise<ReportFile>;
  close(): Promise<void>;
}

/** Starts its thread with the first report. */
export function makeReports(): Reports {
  const pool = new Piscina({
    filename: entryModule('http/report/report-thread.ts').href,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: WAITING,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
  });
  // The pool also emits 'error' when a thread runs out of memory; the task is rejected anyway.
  pool.on('error', () => undefined);
  return {
    async write(task) {
      try {
        return (await pool.run(task, { signal: AbortSignal.timeout(TIME_LIMIT_MS) })) as ReportFile;
      } catch (error) {
        const { name, message, code } = error as { name: string; message: string; code?: unknown };
        const isBusy = name === 'AbortError' || message.includes('queue') || code === 'ERR_WORKER_OUT_OF_MEMORY';
        if (!isBusy) throw error;
        throw new DomainError('OVERLOADED', 'This process has too many reports to write; retry in a moment.');
      }
    },
    close: () => pool.destroy(),
  };
}
