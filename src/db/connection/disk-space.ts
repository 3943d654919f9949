/**
 * A database without disk space left: how to recognize it, and when it is over. Postgres keeps reading; a write fails where a
 * file would have to grow, and succeeds elsewhere. Repeated again and again, such writes would use up the reserve of the
 * write-ahead log, without which Postgres ends itself. So a process that has seen a full disk stops writing until a probe,
 * which leaves no trace, finds room again.
 */
import { sql } from 'kysely';
import { type Db, sqlState } from './transaction.ts';

const DISK_FULL = '53100';
const INTERNAL_ERROR = 'XX000';

/** Whether Postgres found no room on a disk. An exhausted disk quota has no code of its own. */
export function isOutOfSpace(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== INTERNAL_ERROR) return state === DISK_FULL;
  return /No space left on device|Disk quota exceeded/.test((error as Error).message);
}

/** This role may write no temporary file of that size (temp_file_limit): the probe says nothing then. */
const CONFIGURATION_LIMIT_EXCEEDED = '53400';

/** More than one segment of the write-ahead log, so that there is room for a while of writing. */
const PROBE_ROWS = 1_300;
const PROBE_ROW_BYTES = 16_000;

/** Whether the database can write 20 MB, into a file of its own that is removed immediately. */
export async function hasRoom(db: Db): Promise<boolean> {
  try {
    await db.transaction().execute(async (trx) => {
      // Past work_mem it goes to disk, to the one that the tables are on.
      await sql`select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`.execute(trx);
      await sql`
        with pad as materialized (select repeat('x', ${PROBE_ROW_BYTES}::int) from generate_series(1, ${PROBE_ROWS}::int))
        select count(*) from pad`.execute(trx);
    });
    return true;
  } catch (error) {
    if (sqlState(error) === CONFIGURATION_LIMIT_EXCEEDED) return true;
    throw error;
  }
}

export interface DiskSpaceOptions {
  /** Pause between two looks while the disk is full. */
  readonly probeIntervalMs: number;
  /** Whether there is room; a rejection means that it is not known. */
  readonly hasRoom: () => Promise<boolean>;
  /** Called when the disk is found full, and when there is room again. */
  readonly onChange: (isFull: boolean) => void;
}

/** Knowledge of this process about the database's disk. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  #isFull = false;
  #isSeenAgain = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** A statement has met a full disk. */
  note(): void {
    this.#isSeenAgain = true;
    if (this.#isFull || this.#isStopped) return;
    this.#isFull = true;
    this.#options.onChange(true);
    this.#plan();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    this.#isSeenAgain = false;
    this.#timer = setTimeout(() => void this.#look(), this.#options.probeIntervalMs);
  }

  /** There is room when the probe says so and no statement has said otherwise since the last look. */
  async #look(): Promise<void> {
    const hasRoom = await this.#options.hasRoom().catch(() => false);
    if (this.#isStopped) return;
    if (!hasRoom || this.#isSeenAgain) {
      this.#plan();
      return;
    }
    this.#isFull = false;
    this.#options.onChange(false);
  }
}
