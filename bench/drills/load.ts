/**
 * Clients that play objectives without pause while something happens to the service. Every POST has an Idempotency-Key, and a
 * failed call is repeated under the same one. Afterwards the database is compared with the clients' journals.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Admin } from '../../harness/database-server.ts';
import type { Journal } from '../chaos/play.ts';
import { Players } from '../chaos/players.ts';
import { type Violations, verify } from '../chaos/verify.ts';

export interface LoadOptions {
  /** Ports of the ingress processes or of the balancer in front of them. */
  readonly ports: readonly number[];
  readonly key: string;
  readonly clients: number;
  /** Runs after which a client begins another objective; default: 12. */
  readonly inverseLimit?: number;
  /** A call that fails for longer is a failure of the service; default: 90 s. */
  readonly timeLimitMs?: number;
  /** The share of calls sent twice simultaneously; default: 0. */
  readonly doubled?: number;
  /** Whether outputs go to the open iteration under an Idempotency-Key (the default) or to an inverse by its id. */
  readonly loadsOpenOutput?: boolean;
}

interface LoadReport {
  readonly requests: number;
  readonly inverses: number;
  readonly objectives: number;
  /** Retries, by reason. */
  readonly retries: Readonly<Record<string, number>>;
  /** Answers that break the interface, and abandoned calls. */
  readonly complaints: readonly string[];
}

export interface Load {
  /** The number of inverses finished so far. */
  readonly inverses: () => number;
  /** The clients' knowledge so far. */
  readonly journals: readonly Journal[];
  /** Times at which each client finished its inverses, in Unix milliseconds. */
  readonly inverseTimesOf: readonly (readonly number[])[];
  /** Resolves after so many more inverses. */
  moreInverses(count: number): Promise<void>;
  /** Plays the objectives already begun to their end. */
  stop(): Promise<LoadReport>;
}

const SEED = 1;
/** Short histories keep suggestions equally fast. */
const INVERSES_PER_OBJECTIVE = 12;
const CALL_LIMIT_MS = 90_000;
/** Without an inverse for so long, the drill fails. */
const STALL_LIMIT_MS = 120_000;

export async function startLoad(options: LoadOptions): Promise<Load> {
  const players = new Players({
    seed: SEED,
    inverseLimit: INVERSES_PER_OBJECTIVE,
    timeLimitMs: CALL_LIMIT_MS,
    doubled: 0,
    loadsOpenOutput: true,
    ...options,
  });
  let isOver = false;
  const setup = await players.prepare();
  const playing = players.play(setup, () => isOver);
  const inverses = () => players.inverseTimes.length;
  return {
    inverses,
    journals: players.journals,
    inverseTimesOf: players.inverseTimesOf,
    moreInverses: async (count) => {
      const enough = inverses() + count;
      while (inverses() < enough) {
        const last = players.inverseTimes.at(-1) ?? Date.now();
        if (Date.now() - last > STALL_LIMIT_MS) throw new Error(`no inverse for ${STALL_LIMIT_MS / 1_000} s`);
        await delay(20);
      }
    },
    stop: async () => {
      isOver = true;
      await playing;
      players.close();
      return {
        requests: players.requests,
        inverses: inverses(),
        objectives: players.journals.length,
        retries: Object.fromEntries(players.retries),
        complaints: players.complaints,
      };
    },
  };
}

/** Finds entries that the database lacks, or holds twice or in another order than the journals. */
export async function verifyDatabase(databaseUrl: string, journals: readonly Journal[]): Promise<Violations> {
  const admin = new Admin(databaseUrl);
  try {
    return await verify(admin, journals);
  } finally {
    await admin.close();
  }
}

/** One sentence per violation; [] if there are none. */
export function describeViolations(found: Violations): readonly string[] {
  return Object.entries(found).flatMap(([kind, list]) => (list as readonly string[]).map((one) => `${kind}: ${one}`));
}
