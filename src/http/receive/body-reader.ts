/** Reads small bodies in the event loop and large ones in a thread, so that no request waits for another's megabytes. */
import { Piscina } from 'piscina';
import { DomainError } from '../../domain/errors.ts';
import { Matrix } from '../../domain/matrix.ts';
import { entryModule } from '../../installation.ts';
import type { TextLimits } from '../body/json-text.ts';
import { type BodyFormat, type BodyReading, readBodyBytes } from '../body/read-body.ts';
import type { BodySpec } from '../body/spec.ts';
import type { BodyTask } from './body-thread.ts';
import { nameOfSpec } from './specs-with-cases.ts';

/** Reading this much takes about a millisecond. */
const INLINE_BYTES = 64 * 1024;
/** With one thread, memory holds the values of one body at a time. */
const THREADS = 1;
const IDLE_MS = 60_000;
/** The largest body is read within a second; a longer wait means that something is wrong. */
const TIME_LIMIT_MS = 30_000;
/** A body within the limits needs a third of this. */
const THREAD_HEAP_MIB = 256;

interface BodyReader {
  /** Detaches the bytes. Throws BODY_TOO_LARGE if reading exceeds the memory of a thread, OVERLOADED if it exceeds the time limit. */
  read<B>(spec: BodySpec<B>, bytes: Uint8Array<ArrayBuffer>, format: BodyFormat): Promise<BodyReading<B>>;
  close(): Promise<void>;
}

/** Starts its thread with the first large body. */
export function makeBodyReader(limits: TextLimits): BodyReader {
  const pool = new Piscina({
    filename: entryModule('http/receive/body-thread.ts').href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
  });
  // The pool also emits 'error' when a thread runs out of memory; the task is rejected anyway.
  pool.on('error', () => undefined);
  return {
    async read<B>(spec: BodySpec<B>, bytes: Uint8Array<ArrayBuffer>, format: BodyFormat) {
      const name = bytes.length > INLINE_BYTES || format === 'xlsx' ? nameOfSpec(spec) : undefined;
      if (name === undefined) return readBodyBytes(spec, bytes, limits, format);
      const task: BodyTask = { spec: name, bytes, limits, format };
      try {
        return revive(
          (await pool.run(task, {
            transferList: [bytes.buffer],
            signal: AbortSignal.timeout(TIME_LIMIT_MS),
          })) as BodyReading<B>,
        );
      } catch (error) {
        if ((error as Error).name === 'AbortError')
          throw new DomainError('OVERLOADED', 'This process has too many large bodies to read; retry in a moment.');
        if ((error as { readonly code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
        throw new DomainError('BODY_TOO_LARGE', 'Reading the body takes too much memory; send less in one request.');
      }
    },
    close: () => pool.destroy(),
  };
}

/** Restores the classes, which messages between threads do not keep. */
function revive<B>(reading: BodyReading<B>): BodyReading<B> {
  if (reading.value === undefined) return reading;
  const fields = Object.entries(reading.value as object).map(([name, field]) => [name, reviveField(field)]);
  return { ...reading, value: Object.fromEntries(fields) as B };
}

function reviveField(field: unknown): unknown {
  const isMatrix =
    typeof field === 'object' && field !== null && 'values' in field && field.values instanceof Float64Array;
  if (!isMatrix) return field;
  const { rows, columns, values } = field as Matrix;
  return new Matrix(rows, columns, values);
}
