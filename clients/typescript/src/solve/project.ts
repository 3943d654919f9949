/** Ask and tell: a problem whose runs the program makes itself, when and where it likes. */
import type { Backsolve } from '../client.ts';
import type { Evaluation } from '../evaluator/evaluation.ts';
import { type Reportable, troubleOf } from '../evaluator/evaluation-calls.ts';
import { lastAsked } from '../evaluator/journal.ts';
import { nameOf } from '../evaluator/run-name.ts';
import { refuseUnknownNames } from '../known-names.ts';
import { makeIdempotencyKey } from '../request.ts';
import { type Connection, type OpenProblem, openHere } from './connection.ts';
import { failureOf, type Given, readGiven } from './given.ts';
import type { Goals } from './goals.ts';
import { type Inputs, toValues, type ValuesOf } from './inputs.ts';
import { refuseUnknownOptions } from './options.ts';
import { MAXIMUM_PARALLEL, slopesOf } from './plan.ts';
import type { Problem } from './problem.ts';
import { type Result, readResult } from './result.ts';
import type { Session } from './session.ts';

/** A run to be made. */
export interface Run<I extends Inputs> {
  readonly id: number;
  /** Such as `case 3` or `run 17`, as in the history of the result. */
  readonly name: string;
  /** designed: of the first ones, which the service designs before it learns. */
  readonly kind: 'designed' | 'suggested';
  readonly input: ValuesOf<I>;
}

/** A report that the service did not take, because the run is not this program's any more. `ask` gives other ones. */
export class RunLostError extends Error {
  override readonly name = 'RunLostError';
}

interface OpenRun {
  readonly evaluation: Evaluation;
  readonly sinceMs: number;
}

/** The longest wait of one claim, between two looks at whether the search is over. */
const CLAIM_WAIT_SECONDS = 2;
const END_WAIT_MS = 2_000;
const REPORT_LIMIT_MS = 120_000;

/** Opens a problem on the service, or goes on with it. Throws as `solve` does. */
export async function openProject<const I extends Inputs, const G extends Goals>(
  options: Problem<I, G> & Connection,
): Promise<Project<I, G>> {
  refuseUnknownOptions(options, 'openProject');
  if ('retryFailed' in options && options.retryFailed === true) {
    throw new TypeError(
      'retryFailed calls the black box, which openProject does not have: correct failed runs instead.',
    );
  }
  const opened = await openHere(options, options, { looker: null });
  try {
    await opened.session.begin();
  } catch (error) {
    await opened.release();
    throw error;
  }
  return new Project(options, opened);
}

export class Project<I extends Inputs, G extends Goals> {
  readonly #problem: Problem<I, G>;
  readonly #session: Session;
  readonly #release: () => Promise<void>;
  readonly #open = new Map<number, OpenRun>();
  readonly #beats: ReturnType<typeof setInterval>;
  #mayBeOver = false;
  #lost: ReturnType<typeof lastAsked>;

  /** @internal */
  constructor(problem: Problem<I, G>, { session, release }: OpenProblem) {
    this.#problem = problem;
    this.#session = session;
    this.#release = release;
    this.#lost = lastAsked(session.journal.lines, session.claim);
    this.#beats = setInterval(() => this.#beat(), (session.claim.leaseSeconds * 1000) / 3);
    // Nothing is lost when the program ends meanwhile.
    (this.#beats as { unref?: () => void }).unref?.();
  }

  /** The client in use, for everything else that the interface offers. */
  get client(): Backsolve {
    return this.#session.client;
  }

  /** Whether there is nothing more to run, as far as is known here. */
  get isOver(): boolean {
    return this.#session.isOver;
  }

  /**
   * Up to `count` runs to be made, at most as many at a time as `parallel` says. Waits for the first one, and gives none when the search
   * is over or while it depends on runs that are open here. Their leases are kept until they are reported or the project is closed.
   */
  async ask(count = 1): Promise<readonly Run<I>[]> {
    const { calls, claim, journal } = this.#session;
    const limit = Math.min(count, MAXIMUM_PARALLEL);
    while (!(await this.#looksOver())) {
      const request = this.#lost ?? { key: makeIdempotencyKey(), limit, wait: CLAIM_WAIT_SECONDS };
      this.#lost = undefined;
      await journal.asked(request, claim);
      const { evaluations } = await calls.claim(request, AbortSignal.timeout(REPORT_LIMIT_MS));
      const runs: Run<I>[] = [];
      for (const evaluation of evaluations) {
        await journal.claimed(evaluation);
        this.#open.set(evaluation.id, { evaluation, sinceMs: performance.now() });
        const known = this.#session.finished.find(evaluation);
        if (known === undefined) runs.push(this.#toRun(evaluation));
        else await this.#report(evaluation.id, known, true);
      }
      if (runs.length > 0) return runs;
      if (evaluations.length > 0) continue;
      await this.#session.refresh();
      if (this.#open.size > 0) break;
    }
    return [];
  }

  /** The output of a run: on disk here before the service hears of it. NaN and infinite numbers make it a failed run. */
  async tell(run: Pick<Run<I>, 'id'>, output: Given<G>): Promise<void> {
    await this.#report(run.id, readGiven(this.#problem, output));
  }

  /** The run has no output; the search stays away from there. */
  async fail(run: Pick<Run<I>, 'id'>, reason: unknown): Promise<void> {
    await this.#report(run.id, failureOf(reason));
  }

  /**
   * Another output for a run that was told, also after the search has ended: with `reopen` it then goes on, if nothing satisfies it any
   * more. A designed run can be corrected once all of them have been told.
   */
  async correct(
    run: Pick<Run<I>, 'id'>,
    output: Given<G>,
    how: { readonly reason: string; readonly reopen?: boolean },
  ): Promise<void> {
    refuseUnknownNames(how, { reason: null, reopen: null }, 'correct');
    const { reason, reopen = false } = how;
    const { client, journal, record } = this.#session;
    const outcome = readGiven(this.#problem, output);
    if (outcome.kind !== 'output') throw new TypeError(`A correction needs finite outputs: ${outcome.reason}.`);
    const { body: evaluation } = await client.call('getEvaluation', { path: { evaluation_id: run.id } });
    const jacobian = slopesOf(outcome);
    const body = {
      output: outcome.output as readonly number[],
      ...(jacobian !== null && { jacobian }),
      reason,
      reopen,
    };
    const { objectiveId, inverseId, caseNumber } = evaluation;
    if (objectiveId !== null && inverseId !== null) {
      const path = { objective_id: objectiveId, inverse_id: inverseId };
      await client.call('correctInverse', { path, body });
    } else {
      const { trialId } = await this.#session.refresh();
      if (trialId === null) throw new TypeError('A designed run can be corrected once all designed runs are told.');
      const trial = { model_id: record.modelId!, project_id: record.projectId!, trial_id: trialId };
      await client.call('correctCase', { path: { ...trial, number: caseNumber! }, body });
    }
    await journal.corrected({ id: run.id, leaseToken: '' }, outcome);
    await this.#session.refresh();
  }

  /** Resolves to what is known now. */
  result(): Promise<Result<I, G>> {
    return readResult(this.#session, this.#problem);
  }

  /** Gives open runs back; the same problem can be opened again and goes on. */
  async close(): Promise<void> {
    clearInterval(this.#beats);
    const { calls, journal } = this.#session;
    for (const { evaluation } of this.#open.values()) {
      await calls.release(evaluation, AbortSignal.timeout(REPORT_LIMIT_MS)).catch(ignoreTrouble);
      await journal.released(evaluation);
    }
    this.#open.clear();
    await this.#release();
  }

  #toRun(evaluation: Evaluation): Run<I> {
    const { id, kind, input } = evaluation;
    return {
      id,
      name: nameOf(evaluation),
      kind: kind === 'case' ? 'designed' : 'suggested',
      input: toValues(this.#problem.inputs, input),
    };
  }

  async #report(id: number, outcome: Reportable, isKnown = false): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined)
      throw new TypeError(`There is no open run with the id ${id}: it was told already, or never asked for.`);
    const { calls, finished, journal } = this.#session;
    const { evaluation, sinceMs } = open;
    const seconds = (performance.now() - sinceMs) / 1000;
    await journal.finished(evaluation, evaluation.kind, outcome, seconds, isKnown);
    finished.add(id, evaluation.input, outcome);
    try {
      const signal = AbortSignal.timeout(REPORT_LIMIT_MS);
      const { state, mayBeLast } = await calls.report(evaluation, outcome, seconds * 1e9, signal);
      this.#open.delete(id);
      this.#mayBeOver ||= mayBeLast;
      await journal.reported(evaluation, state);
    } catch (error) {
      if (troubleOf(error) !== 'lost') throw error;
      this.#open.delete(id);
      await journal.reported(evaluation, 'dropped');
      throw new RunLostError(`${nameOf(evaluation)} is not this program's any more: ${(error as Error).message}`);
    }
  }

  async #looksOver(): Promise<boolean> {
    if (this.isOver) return true;
    const looks = this.#mayBeOver && this.#open.size === 0;
    this.#mayBeOver = false;
    return looks && (await this.#session.untilOver(END_WAIT_MS));
  }

  /** One that is lost shows when it is told. */
  #beat(): void {
    const { calls } = this.#session;
    for (const { evaluation } of this.#open.values()) {
      calls.heartbeat(evaluation, AbortSignal.timeout(REPORT_LIMIT_MS)).catch(() => undefined);
    }
  }
}

/** A lease that cannot be given back expires by itself. */
function ignoreTrouble(error: unknown): void {
  if (troubleOf(error) === undefined) throw error;
}
