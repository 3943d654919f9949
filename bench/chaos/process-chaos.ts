/** Kills, freezes and restarts processes of the fleet every few seconds, on a schedule drawn from the seed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from '../../harness/database-server.ts';
import type { Fleet, Member, Role } from './fleet.ts';
import { pick } from './random.ts';

/** A worker killed or frozen, with the inverses it held leases for. */
export interface Blow {
  readonly kind: 'killed' | 'frozen';
  readonly at: number;
  readonly inverseIds: readonly number[];
}

export interface ChaosCounts {
  killedWorkers: number;
  killedIngresses: number;
  frozen: number;
  /** Workers among them that held leases and were frozen for longer than a lease, so that their results come too late. */
  frozenAtWork: number;
  restarted: number;
}

export interface ProcessChaosOptions {
  readonly fleet: Fleet;
  readonly admin: Admin;
  readonly random: () => number;
  /** The mean pause between two actions. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

const LONGEST_FREEZE_MS = 9_000;
/** A lease (6 s), the poll that finds it expired, and the time of a second computation. */
const PAST_LEASE_MS = 8_500;

export class ProcessChaos {
  readonly blows: Blow[] = [];
  readonly counts: ChaosCounts = { killedWorkers: 0, killedIngresses: 0, frozen: 0, frozenAtWork: 0, restarted: 0 };
  readonly #options: ProcessChaosOptions;
  readonly #pending = new Set<Promise<void>>();

  constructor(options: ProcessChaosOptions) {
    this.#options = options;
  }

  /** Continues until the signal fires; resolves when every frozen process is thawed. */
  async run(): Promise<void> {
    const { random, pauseMs, signal } = this.#options;
    while (!signal.aborted) {
      await delay(pauseMs * (0.5 + random()), undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#act();
    }
    await Promise.all(this.#pending);
  }

  async #act(): Promise<void> {
    const { random, fleet } = this.#options;
    // Always drawn, used or not, so that the state of the fleet cannot shift the schedule.
    const [draw, roleDraw, lengthDraw] = [random(), random(), random()];
    const role: Role = roleDraw < 0.6 ? 'work' : 'serve';
    const running = fleet.members.filter((member) => member.role === role && member.isRunning);
    const victim = pick(
      random,
      fleet.members.filter((member) => member.role === role),
    );
    // One process per role stays up, as under a disruption budget.
    if (!victim.isRunning || running.length < 2) return;
    if (draw < 0.55) await this.#kill(victim);
    else if (draw < 0.8 && victim.role === 'work' && lengthDraw < 0.6) await this.#freezeAtWork(victim);
    else if (draw < 0.8) this.#later(this.#freeze(victim, 500 + lengthDraw * (LONGEST_FREEZE_MS - 500)));
    else this.#later(this.#restart(victim));
  }

  async #kill(member: Member): Promise<void> {
    if (member.role === 'serve') {
      this.#options.fleet.kill(member);
      this.counts.killedIngresses += 1;
      return;
    }
    const inverseIds = await this.#catchAtWork(member);
    this.#options.fleet.kill(member);
    this.blows.push({ kind: 'killed', at: Date.now(), inverseIds });
    this.counts.killedWorkers += 1;
  }

  /** Freezes the worker while it holds leases, in up to 40 attempts. Returns their inverses; [] if it never held one. */
  async #catchAtWork(member: Member): Promise<readonly number[]> {
    const { fleet } = this.#options;
    for (let attempt = 0; attempt < 40; attempt++) {
      fleet.freeze(member);
      const inverseIds = await this.#held(member);
      if (inverseIds === undefined) break;
      if (inverseIds.length > 0) return inverseIds;
      fleet.thaw(member);
      await delay(5 + 20 * Math.random());
    }
    fleet.thaw(member);
    return [];
  }

  /** Returns the inverses that the worker holds leases for; undefined while the database is unreachable. */
  async #held(member: Member): Promise<readonly number[] | undefined> {
    const text = "select inverse_id as id from suggestion_jobs where state = 'leased' and leased_by = $1";
    const rows = await this.#options.admin.query<{ id: string }>(text, [member.workerName]).catch(() => undefined);
    return rows?.map(({ id }) => Number(id));
  }

  async #freeze(member: Member, forMs: number): Promise<void> {
    this.#options.fleet.freeze(member);
    this.counts.frozen += 1;
    const at = Date.now();
    const inverseIds = member.role === 'work' ? await this.#held(member) : [];
    this.blows.push({ kind: 'frozen', at, inverseIds: inverseIds ?? [] });
    await delay(forMs);
    this.#options.fleet.thaw(member);
  }

  async #freezeAtWork(member: Member): Promise<void> {
    const inverseIds = await this.#catchAtWork(member);
    if (inverseIds.length === 0) return;
    this.counts.frozenAtWork += 1;
    this.#later(this.#freeze(member, PAST_LEASE_MS));
  }

  async #restart(member: Member): Promise<void> {
    this.counts.restarted += 1;
    await this.#options.fleet.stopGracefully(member);
  }

  #later(action: Promise<void>): void {
    const done = action.finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}
