/** Kills and freezes evaluators every few seconds, most of them while they hold a lease. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from '../../harness/database-server.ts';
import { pick } from '../chaos/random.ts';
import type { EvaluatorFleet, EvaluatorMember } from './evaluator-fleet.ts';

interface Lease {
  readonly id: number;
  readonly leaseToken: string;
}

/** An evaluator killed or frozen, with the leases that it held then. */
export interface Blow {
  readonly kind: 'killed' | 'frozen';
  /** Unix milliseconds. */
  readonly at: number;
  readonly leases: readonly Lease[];
}

export interface EvaluatorChaosOptions {
  readonly fleet: EvaluatorFleet;
  readonly admin: Admin;
  readonly random: () => number;
  /** The mean pause between two actions. */
  readonly pauseMs: number;
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

export class EvaluatorChaos {
  readonly blows: Blow[] = [];
  readonly counts = { killed: 0, killedAtWork: 0, frozen: 0, frozenPastLease: 0 };
  readonly #options: EvaluatorChaosOptions;
  readonly #pending = new Set<Promise<void>>();

  constructor(options: EvaluatorChaosOptions) {
    this.#options = options;
  }

  /** Continues until the signal fires; resolves when every frozen evaluator is thawed. */
  async run(): Promise<void> {
    const { random, pauseMs, signal } = this.#options;
    while (!signal.aborted) {
      await delay(pauseMs * (0.5 + random()), undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#act();
    }
    await Promise.all(this.#pending);
  }

  async #act(): Promise<void> {
    const { fleet, random, leaseMs } = this.#options;
    const [draw, lengthDraw] = [random(), random()];
    const member = pick(random, fleet.members);
    if (member.child === undefined || member.isFrozen) return;
    const leases = await this.#catchAtWork(member);
    const at = Date.now();
    if (draw < 0.65) {
      member.child?.kill('SIGKILL');
      this.counts.killed += 1;
      if (leases.length > 0) this.counts.killedAtWork += 1;
      this.blows.push({ kind: 'killed', at, leases });
      return;
    }
    const isLong = draw < 0.85;
    fleet.freeze(member);
    this.counts.frozen += 1;
    if (isLong && leases.length > 0) this.counts.frozenPastLease += 1;
    this.blows.push({ kind: 'frozen', at, leases });
    const forMs = isLong ? leaseMs + 1_000 + 4_000 * lengthDraw : 200 + 0.8 * leaseMs * lengthDraw;
    const thawed = delay(forMs).then(() => {
      fleet.thaw(member);
      this.#pending.delete(thawed);
    });
    this.#pending.add(thawed);
  }

  /** Freezes the evaluator while it holds a lease, in up to 40 attempts. Returns what it holds; it stays frozen. */
  async #catchAtWork(member: EvaluatorMember): Promise<readonly Lease[]> {
    const { fleet } = this.#options;
    for (let attempt = 1; ; attempt++) {
      fleet.freeze(member);
      const leases = await this.#held(member.name);
      if (leases.length > 0 || attempt === 40) return leases;
      fleet.thaw(member);
      await delay(5 + 20 * Math.random());
    }
  }

  /** Nothing while the database is unreachable. */
  async #held(name: string): Promise<readonly Lease[]> {
    const text = "select id, lease_token from evaluations where state = 'leased' and evaluator = $1";
    const rows = await this.#options.admin.query<{ id: string; lease_token: string }>(text, [name]).catch(() => []);
    return rows.map((row) => ({ id: Number(row.id), leaseToken: row.lease_token }));
  }
}
