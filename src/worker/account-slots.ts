/**
 * Decides which accounts must leave slots of the worker free. The round robin alone is not fair: the work of one account would hold every
 * slot until it is done. How much an account may hold depends on how long its work may take.
 */

/**
 * For how many times the duration of its own suggestions an account leaves a slot to another one that was served before: 10 s for
 * suggestions of 10 ms, because waiting for one of them costs the other account little.
 */
const LEAVES_SLOT_FOR = 1_000;
/** Weight of the newest suggestion in an account's average. */
const NEWEST_SHARE = 0.3;
/** The longest time after its last suggestion for which an account counts as active. */
const ACTIVE_MS = 120_000;

/** Number of further slots that accounts may take; 0 or less: none. */
interface Rooms {
  /** Accounts with a limit of their own. */
  readonly limited: readonly (readonly [accountId: number, room: number])[];
  /** Room of any other account. */
  readonly others: number;
}

abstract class Slots {
  protected abstract roomsOf(running: readonly number[]): Rooms;

  /** Accounts from which nothing more may be claimed, given the accounts of the items in hand. */
  withoutSlot(running: readonly number[]): readonly number[] {
    return this.roomsOf(running).limited.flatMap(([accountId, room]) => (room <= 0 ? [accountId] : []));
  }

  /** Number of items to claim together, so that no account can take a slot that it must leave. */
  limitOf(free: number, running: readonly number[]): number {
    const { limited, others } = this.roomsOf(running);
    return Math.min(free, others, ...limited.flatMap(([, room]) => (room > 0 ? [room] : [])));
  }
}

interface Known {
  averageMs: number;
  lastAt: number;
}

/**
 * For suggestions, which take seconds: an account may use all slots but one while others are active, and the slower its
 * suggestions are, the longer others count as active.
 */
export class AccountSlots extends Slots {
  readonly #concurrency: number;
  readonly #now: () => number;
  readonly #known = new Map<number, Known>();

  /** @param now  milliseconds of a monotonic clock */
  constructor(concurrency: number, now: () => number) {
    super();
    this.#concurrency = concurrency;
    this.#now = now;
  }

  /** Records how long a suggestion of the account took. */
  note(accountId: number, computeMs: number): void {
    const now = this.#now();
    for (const [other, { lastAt }] of this.#known) if (now - lastAt > ACTIVE_MS) this.#known.delete(other);
    const before = this.#known.get(accountId)?.averageMs ?? computeMs;
    this.#known.set(accountId, { averageMs: before + NEWEST_SHARE * (computeMs - before), lastAt: now });
  }

  protected roomsOf(running: readonly number[]): Rooms {
    const others = Number.POSITIVE_INFINITY;
    if (this.#concurrency < 2) return { limited: [], others };
    const slow = [...this.#known].filter(([id, { averageMs }]) => this.#hasOthers(id, averageMs));
    const limited = slow.map(([id]) => [id, this.#concurrency - 1 - countOf(id, running)] as const);
    return { limited, others };
  }

  #hasOthers(accountId: number, averageMs: number): boolean {
    const now = this.#now();
    const activeMs = Math.min(ACTIVE_MS, LEAVES_SLOT_FOR * averageMs);
    return [...this.#known].some(([other, { lastAt }]) => other !== accountId && now - lastAt <= activeMs);
  }
}

/**
 * For calls of evaluators, which may take hours: an account may use half of the slots that the others leave, and at least one. So
 * some are always free for the next account.
 */
export class LongSlots extends Slots {
  readonly #concurrency: number;

  constructor(concurrency: number) {
    super();
    this.#concurrency = concurrency;
  }

  protected roomsOf(running: readonly number[]): Rooms {
    const limited = [...new Set(running)].map((id) => {
      const own = countOf(id, running);
      return [id, this.#shareOf(running.length - own) - own] as const;
    });
    return { limited, others: this.#shareOf(running.length) };
  }

  /** @param taken by other accounts */
  #shareOf(taken: number): number {
    return Math.max(1, (this.#concurrency - taken) >> 1);
  }
}

function countOf(accountId: number, running: readonly number[]): number {
  return running.filter((other) => other === accountId).length;
}
