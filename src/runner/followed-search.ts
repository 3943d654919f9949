/** What the service says of a search, read as seldom as it may have changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StopReason } from '../../clients/typescript/src/stop-reason.ts';
import type { CreatedProblem } from './create-problem.ts';
import type { Problem } from './problem.ts';
import type { Batch, ProblemCalls } from './problem-calls.ts';
import { hasFront, NO_SEARCH, type SearchState, stopReasonOf } from './result-files.ts';

/** A search that has ended may be explained a moment later. */
const EXPLANATION_WAIT_MS = 5_000;
const EXPLANATION_POLL_MS = 100;

export class FollowedSearch {
  readonly #calls: ProblemCalls;
  #state: SearchState = NO_SEARCH;
  /** How many runs there were when the objectives were read in full. */
  #readAfter = -1;

  constructor(calls: ProblemCalls) {
    this.#calls = calls;
  }

  get state(): SearchState {
    return this.#state;
  }

  /** @param runs  how many there are now */
  async refresh(created: CreatedProblem, runs: number): Promise<Batch> {
    const batch = await this.#calls.getBatch(created.batch.id);
    if (batch.status === 'evaluating-cases') return batch;
    const objectives = await this.#calls.listObjectives(batch.id);
    const states = new Map(this.#state.states);
    const hasNewRuns = this.#readAfter !== runs;
    for (const { objectiveId, stopReason } of objectives) {
      if (objectiveId === null || batch.trialId === null) continue;
      const known = states.get(objectiveId);
      const isKnown = known !== undefined && stopReasonOf(known) === stopReason;
      if (isKnown && (known.stopReason !== StopReason.RUNNING || !hasNewRuns)) continue;
      states.set(objectiveId, await this.#calls.getObjective(created, batch.trialId, objectiveId));
    }
    this.#readAfter = runs;
    const { fronts } = this.#state;
    this.#state = { status: batch.status, failureReason: batch.failureReason, objectives, states, fronts };
    return batch;
  }

  /** An unsatisfied objective may get its diagnosis just after its end. */
  async untilExplained(created: CreatedProblem): Promise<void> {
    const { trialId } = created.batch;
    const deadline = performance.now() + EXPLANATION_WAIT_MS;
    for (const [id, state] of this.#state.states) {
      if (trialId === null || state.stopReason === StopReason.SATISFIED || state.insight !== null) continue;
      for (let current = state; current.insight === null && performance.now() < deadline; ) {
        await sleep(EXPLANATION_POLL_MS);
        current = await this.#calls.getObjective(created, trialId, id).catch(() => current);
        this.#state = { ...this.#state, states: new Map(this.#state.states).set(id, current) };
      }
    }
  }

  async readFronts(created: CreatedProblem, { targetSets }: Problem): Promise<void> {
    const sought = this.#state.objectives.filter((_, k) => hasFront(targetSets[k]!));
    this.#state = { ...this.#state, fronts: await this.#calls.getFronts(created, sought) };
  }
}
