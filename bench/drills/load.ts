/**
 * Clients that play objectives without a pause while something happens to the service: every POST under an Idempotency-Key,
 * a call that fails sent again under the same one. What they saw is held against the database afterwards.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Admin } from '../../harness/database-server.ts';
import type { Journal } from '../chaos/play.ts';
import { Players } from '../chaos/players.ts';
import { type Violations, verify } from '../chaos/verify.ts';

export interface LoadOptions {
  /** Ports of the ingress processes, or of what stands in front of them. */
  readonly ports: readonly number[];
  readonly key: string;
  readonly clients: number;
}

export interface LoadReport {
  readonly requests: number;
  readonly steps: number;
  readonly objectives: number;
  /** Calls that failed and were sent again, by reason. */
  readonly retries: Readonly<Record<string, number>>;
  /** Answers that no client could expect, and calls given up. */
  readonly complaints: readonly string[];
}

export interface Load {
  /** Steps done so far. */
  readonly steps: () => number;
  /** What the clients know so far. */
  readonly journals: readonly Journal[];
  /** When each client did its steps, Unix milliseconds. */
  readonly stepTimesOf: readonly (readonly number[])[];
  /** Resolves after so many steps more. */
  moreSteps(count: number): Promise<void>;
  /** Objectives begun are played to their end. */
  stop(): Promise<LoadReport>;
}

const SEED = 1;
/** A history that grows without end would make every suggestion slower than the one before. */
const STEPS_PER_OBJECTIVE = 12;
/** A call that fails for so long is a failure of the service, whatever happened to it. */
const CALL_LIMIT_MS = 90_000;
/** No step in such a time: nothing is to be waited for any more. */
const STALL_LIMIT_MS = 120_000;

export async function startLoad(options: LoadOptions): Promise<Load> {
  const players = new Players({
    ...options,
    seed: SEED,
    stepLimit: STEPS_PER_OBJECTIVE,
    timeLimitMs: CALL_LIMIT_MS,
    doubled: 0,
    loadsOpenOutput: true,
  });
  let isOver = false;
  const setup = await players.prepare();
  const playing = players.play(setup, () => isOver);
  const steps = () => players.stepTimes.length;
  return {
    steps,
    journals: players.journals,
    stepTimesOf: players.stepTimesOf,
    moreSteps: async (count) => {
      const enough = steps() + count;
      while (steps() < enough) {
        const last = players.stepTimes.at(-1) ?? Date.now();
        if (Date.now() - last > STALL_LIMIT_MS) throw new Error(`no step for ${STALL_LIMIT_MS / 1_000} s`);
        await delay(20);
      }
    },
    stop: async () => {
      isOver = true;
      await playing;
      players.close();
      return {
        requests: players.requests,
        steps: steps(),
        objectives: players.journals.length,
        retries: Object.fromEntries(players.retries),
        complaints: players.complaints,
      };
    },
  };
}

/** What the database lacks of the journals, has twice, or has in another order. */
export async function verifyDatabase(databaseUrl: string, journals: readonly Journal[]): Promise<Violations> {
  const admin = new Admin(databaseUrl);
  try {
    return await verify(admin, journals);
  } finally {
    await admin.close();
  }
}

/** Every broken promise in words; [] when all were kept. */
export function describeViolations(found: Violations): readonly string[] {
  return Object.entries(found).flatMap(([kind, list]) => (list as readonly string[]).map((one) => `${kind}: ${one}`));
}
