/** Waits for changes of objectives and of lists of them. Writes of this process, and finished suggestions and verdicts of any, are hints. */

import { ANYTHING, type Listener } from '../../db/connection/listen.ts';
import type { Db } from '../../db/connection/transaction.ts';
import { type ObjectiveStamp, readObjectiveStamps } from '../../db/search/history.ts';
import { type OverviewKey, type OverviewStamp, readOverviewStamps } from '../../db/search/overview.ts';
import { FINISHED_CHANNEL } from '../../db/search/suggestion-jobs.ts';
import { JUDGED_CHANNEL } from '../../db/search/unjudged-objectives.ts';
import { Watch } from '../watch.ts';
import { getOverviewStamp } from './read-overview.ts';

export interface ChangeWaitersOptions {
  readonly db: Db;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Pause between two reads while there are waiters. */
  readonly pollIntervalMs: number;
  /** Requests that may wait at a time; default: any number. */
  readonly maximumWaiting?: number;
  /** The same for one account. */
  readonly maximumWaitingPerAccount?: number;
}

/** Factor on the interval between two other reads. */
const ARRANGED_POLLS = 5;

interface ObjectiveKey {
  readonly accountId: number;
  readonly id: number;
}

/** One per process. */
export class ChangeWaiters {
  readonly objectives: Watch<ObjectiveKey, ObjectiveStamp>;
  /** The start of a list is woken once a poll at most: in a large account something changes all the time. */
  readonly overviews: Watch<OverviewKey, OverviewStamp>;
  /** Lists in an order of their own cost more, and are read more rarely while no hint comes. */
  readonly arranged: Watch<OverviewKey, OverviewStamp>;
  readonly #options: ChangeWaitersOptions;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(options: ChangeWaitersOptions) {
    const { db, listener, pollIntervalMs } = options;
    this.#options = options;
    this.objectives = new Watch({
      pollIntervalMs,
      restMs: 0,
      nameOf: ({ id }) => String(id),
      read: async (keys) => {
        const stamps = await readObjectiveStamps(db, keys);
        return new Map([...stamps].map(([id, stamp]) => [String(id), stamp]));
      },
    });
    this.overviews = new Watch({
      pollIntervalMs,
      restMs: pollIntervalMs,
      nameOf: nameOfOverview,
      read: async (keys) => {
        const stamps = await readOverviewStamps(db, keys);
        return new Map(keys.map((key, i) => [nameOfOverview(key), stamps[i]!]));
      },
    });
    this.arranged = new Watch({
      pollIntervalMs: ARRANGED_POLLS * pollIntervalMs,
      restMs: pollIntervalMs,
      nameOf: nameOfOverview,
      read: async (keys) => {
        const stamps = new Map<string, OverviewStamp>();
        for (const key of keys) stamps.set(nameOfOverview(key), await getOverviewStamp(db, key));
        return stamps;
      },
    });
    this.#unsubscribe = [
      listener.subscribe(FINISHED_CHANNEL, () => this.hint()),
      listener.subscribe(JUDGED_CHANNEL, (payload) => this.hint(payload === ANYTHING ? undefined : Number(payload))),
    ];
  }

  /** Number of waiting requests. */
  get waiting(): number {
    return this.#watches.reduce((sum, watch) => sum + watch.waiting, 0);
  }

  /** Whether no further request of the account may wait. */
  isFull(accountId: number): boolean {
    const { maximumWaiting = Number.POSITIVE_INFINITY, maximumWaitingPerAccount = Number.POSITIVE_INFINITY } =
      this.#options;
    const ofAccount = this.#watches.reduce((sum, watch) => sum + watch.waitingOf(accountId), 0);
    return this.waiting >= maximumWaiting || ofAccount >= maximumWaitingPerAccount;
  }

  /** Something may have changed, of one account if given. */
  hint(accountId?: number): void {
    for (const watch of this.#watches) watch.hint(accountId);
  }

  /** Ends all waits, unchanged, and every later one immediately. */
  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const watch of this.#watches) watch.close();
  }

  /** The list of this key. */
  listsOf({ arrangement }: OverviewKey): Watch<OverviewKey, OverviewStamp> {
    return arrangement === undefined ? this.overviews : this.arranged;
  }

  get #watches() {
    return [this.objectives, this.overviews, this.arranged] as const;
  }
}

function nameOfOverview({ accountId, stopReason, after, limit, arrangement }: OverviewKey): string {
  return [accountId, stopReason, after, limit, JSON.stringify(arrangement)].join(' ');
}
