/** Follows the state of a search on the service, and reads it no more often than it may have changed. */
import type { BatchObjective, ExplainedObjective, FitParameters } from '../generated/schemas.ts';
import { pause } from '../retry.ts';
import { StopReason } from '../stop-reason.ts';
import { seeksFront } from './goals.ts';
import type { Session } from './session.ts';

/** A run among those that an objective has found. */
export interface FoundRun {
  readonly input: readonly number[];
  readonly output: readonly number[];
}

/** Knowledge about the search besides the runs. */
export interface SearchState {
  /** The state of the batch in words; null before there is one. */
  readonly status: string | null;
  readonly failureReason: string | null;
  /** One per target set. */
  readonly objectives: readonly BatchObjective[];
  /** In full, by their ids. */
  readonly states: ReadonlyMap<number, ExplainedObjective>;
  /** The fronts of those that sought one, once the search is over. */
  readonly fronts: ReadonlyMap<number, readonly FoundRun[]>;
  /** Conclusions from the data of fits about the inputs, when they were read last. */
  readonly fits: ReadonlyMap<number, ToldByData>;
}

export type ToldByData = NonNullable<FitParameters['fit']>;

const NO_SEARCH: SearchState = {
  status: null,
  failureReason: null,
  objectives: [],
  states: new Map(),
  fronts: new Map(),
  fits: new Map(),
};

/** A search that has ended may be explained a moment later. */
const EXPLANATION_WAIT_MS = 5_000;
const EXPLANATION_POLL_MS = 100;
const STOP_REASONS = ['RUNNING', 'SATISFIED', 'STOPPED', 'EXHAUSTED'] as const;

export class FollowedSearch {
  readonly #session: Session;
  #state: SearchState = NO_SEARCH;
  /** Number of runs when the objectives were read in full. */
  #readAfter = -1;

  constructor(session: Session) {
    this.#session = session;
  }

  get state(): SearchState {
    return this.#state;
  }

  /** Reads the state of the batch that the session knows. */
  async refresh(): Promise<void> {
    const { client, batch, runs } = this.#session;
    const { id, status, failureReason } = batch!;
    if (status === 'evaluating-cases') return;
    const objectives: BatchObjective[] = [];
    for await (const one of client.pages('listBatchObjectives', { path: { batch_id: id } })) objectives.push(one);
    const states = new Map(this.#state.states);
    for (const { objectiveId, stopReason } of objectives) {
      if (objectiveId === null) continue;
      const known = states.get(objectiveId);
      const isKnown = known !== undefined && stopReasonOf(known) === stopReason;
      if (isKnown && (known.stopReason !== StopReason.RUNNING || this.#readAfter === runs.length)) continue;
      states.set(objectiveId, await this.#read(objectiveId));
    }
    this.#readAfter = runs.length;
    this.#state = { ...this.#state, status, failureReason, objectives, states };
  }

  /** Reads what only a search that is over has: explanations, which may come just after its end, and fronts. */
  async readEnd(): Promise<void> {
    await this.#untilExplained();
    const { objectives } = this.#session.plan;
    const sought = this.#state.objectives.filter((_, k) => seeksFront(Object.values(objectives[k]!.objectives)));
    const fronts = new Map<number, readonly FoundRun[]>();
    for (const { objectiveId: id } of sought) {
      if (id === null) continue;
      // One that is not answered is left out: its runs are known.
      const call = this.#session.client.call('getFront', { path: { objective_id: id } });
      const answer = await call.catch(() => undefined);
      if (answer !== undefined) fronts.set(id, answer.body.points);
    }
    this.#state = { ...this.#state, fronts };
    await this.readFits();
  }

  /** Reads the current conclusions from the data of fits. */
  async readFits(): Promise<void> {
    const fits = new Map<number, ToldByData>();
    for (const { id } of [...this.#state.states.values()].filter(({ fit }) => fit != null)) {
      const call = this.#session.client.call('getFit', { path: { objective_id: id } });
      const told = (await call.catch(() => undefined))?.body.fit;
      if (told != null) fits.set(id, told);
    }
    this.#state = { ...this.#state, fits };
  }

  async #untilExplained(): Promise<void> {
    const deadline = performance.now() + EXPLANATION_WAIT_MS;
    for (const [id, state] of this.#state.states) {
      if (state.stopReason === StopReason.SATISFIED) continue;
      for (let current = state; current.insight === null && performance.now() < deadline; ) {
        await pause(EXPLANATION_POLL_MS, undefined);
        current = await this.#read(id).catch(() => current);
        this.#state = { ...this.#state, states: new Map(this.#state.states).set(id, current) };
      }
    }
  }

  async #read(id: number): Promise<ExplainedObjective> {
    return (await this.#session.client.call('getObjective', { path: { objective_id: id } })).body;
  }
}

export function stopReasonOf(state: Pick<ExplainedObjective, 'stopReason'> | undefined): string {
  return state === undefined ? 'RUNNING' : (STOP_REASONS[state.stopReason] ?? String(state.stopReason));
}
