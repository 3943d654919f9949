/** Parts that a running process shares. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectStore } from '../application/notes/note-files.ts';
import type { Designs } from '../application/problem/designs.ts';
import type { DiskSpace } from '../db/connection/disk-space.ts';
import type { Listener } from '../db/connection/listen.ts';
import type { Db } from '../db/connection/transaction.ts';
import type { Engine } from '../engine/pool.ts';
import type { Log } from '../log.ts';
import type { Workbooks } from '../outside/workbooks/workbooks.ts';
import type { Config } from '../settings/config.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';

export interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly db: Db;
  readonly disk: DiskSpace;
  readonly listener: Listener;
  readonly engine: Engine;
  readonly designs: Designs;
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing | undefined;
  /** Undefined: the operator does not allow it. */
  readonly sheets: Workbooks | undefined;
  /** For files of notes; undefined: they are in the database. */
  readonly files: ObjectStore | undefined;
  readonly isDatabaseReady: () => Promise<boolean>;
  /** For a local service: proves that the listener on the port has the key of its folder. */
  readonly prove?: ((port: number, nonce: string) => string) | undefined;
}

/** Closes one part; it may take what is left of the grace period. */
export type Closer = (graceLeftMs: number) => Promise<void>;

/** Enough to release claimed work while the database answers. */
export const HAND_BACK_MS = 3_000;

/** Waits at most that long: work that hangs on dead connections is taken over when its leases expire. */
export async function atMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}
