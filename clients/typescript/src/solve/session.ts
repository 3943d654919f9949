/** A problem that is open here: its place on the service, and its journal. */
import { isDeepStrictEqual } from 'node:util';
import { BacksolveError } from '../backsolve-error.ts';
import type { Backsolve } from '../client.ts';
import {
  type Claim,
  type EvaluationCalls,
  makeEvaluationCalls,
  type Reportable,
  type ServiceClient,
} from '../evaluator/evaluation-calls.ts';
import { FinishedRuns, Journal, type Run, runsOf } from '../evaluator/journal.ts';
import { resumeLeases } from '../evaluator/resume.ts';
import { areRetriesNews, countRetried, markFailures, type TrialPath } from '../evaluator/retries.ts';
import { nameOf } from '../evaluator/run-name.ts';
import type { Batch } from '../generated/schemas.ts';
import { pause } from '../retry.ts';
import { type Advice, adviseOnScales, withScales } from './defaults.ts';
import type { ProblemFolder, ProblemRecord } from './folder.ts';
import { chooseKept, describeDifference, describeNewFailure, differing, type Kept, noiseOf } from './kept.ts';
import { type Changes, changesOf, type Looks, OWN, updated, withoutMoving } from './looks.ts';
import {
  ChangedProblemError,
  differencesOf,
  isOpen,
  type OpenOptions,
  openProblem,
  refuseBudget,
  refuseChanges,
} from './open-problem.ts';
import { listed, type Plan, type StartPoint, type Words } from './plan.ts';
import { FINE } from './sources.ts';

export interface SessionOptions {
  readonly client: Backsolve;
  /** The address of a service, or null for a local one, whose address changes. */
  readonly service: string | null;
  /** Under its lock. */
  readonly folder: ProblemFolder;
  readonly plan: Plan;
  readonly words: Words;
  /** Name under which evaluations are claimed; null for a name made of the identity of the problem. */
  readonly evaluator?: string | null;
  /** Whether every failed run is run once more. */
  readonly retryFailed?: boolean;
  /** Whether a problem whose inputs or outputs have changed begins anew while no run gave an output. */
  readonly beginsAnew?: boolean;
  /** Called with the parts of the black box that have changed since earlier runs. */
  readonly onChange?: (parts: readonly string[], what: ChangeNote) => void;
}

/**
 * compared: a kept run is about to be made once more. noise: it was, and one run cannot tell a change from the noise. failures: earlier
 * failures are kept. anew: inputs or outputs have changed, and no run gave an output that they contradict.
 */
export type ChangeNote = 'compared' | 'noise' | 'failures' | 'anew';

/** The functions of this process that were called for each folder: two of the same text may close over other data. */
const CALLED = new Map<string, WeakSet<object>>();
const FUNCTION = 'the function object';

function withFunction(
  changes: Changes,
  { folder, plan: { looker } }: Pick<SessionOptions, 'folder' | 'plan'>,
): Changes {
  const known = folder.path === null ? undefined : CALLED.get(folder.path);
  if (changes.has(OWN) || known === undefined || looker === null || looker.of === null || known.has(looker.of))
    return changes;
  return new Map([...changes, [OWN, [FUNCTION]]]);
}

/** The record of earlier calls, or undefined where there is none or where the problem begins anew. */
async function readUncontradicted(options: SessionOptions): Promise<ProblemRecord | undefined> {
  const { beginsAnew = false, client, folder, onChange, plan, service } = options;
  const known = await folder.read();
  if (known === undefined || differencesOf(known.project, withScales(plan.project, known.project)).length === 0)
    return known;
  // One that the service has refused may be corrected.
  if (known.projectId === null) return undefined;
  if (!beginsAnew || known.service !== service || folder.journal === null) return known;
  const journal = await Journal.open(folder.journal);
  try {
    if (runsOf(journal.lines).some(({ outcome }) => outcome.kind === 'output')) return known;
  } finally {
    await journal.close();
  }
  onChange?.([], 'anew');
  const id = known.batches.at(-1)?.id ?? null;
  // Open evaluations there would wait in vain.
  if (id !== null) await client.call('cancelBatch', { path: { batch_id: id } }).catch(unlessOver);
  await folder.putAside();
  return undefined;
}

/** Deleted, or over already. */
function unlessOver(error: unknown): void {
  if (!(error instanceof BacksolveError) || error.status >= 500) throw error;
}

/** Runs outside any lease, for those who can call the black box. */
export interface OwnRuns {
  readonly evaluateStart: (input: readonly number[]) => Promise<StartPoint | null>;
  readonly retry: (trial: TrialPath) => Promise<void>;
}

const NO_RUNS: OwnRuns = { evaluateStart: async () => null, retry: async () => undefined };

const LEASE_SECONDS = 60;
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 1_000;

export class Session {
  readonly client: Backsolve;
  readonly plan: Plan;
  readonly journal: Journal;
  /** Advice for a person on how the problem was understood. */
  readonly advice: readonly Advice[];
  readonly #options: SessionOptions;
  readonly #changes: Changes;
  #record: ProblemRecord;
  #finished: FinishedRuns;
  #batch: Batch | undefined;
  /** Looks of the black box; undefined while it is not known whether the kept runs are of it. */
  #looks: Looks | undefined;

  private constructor(
    options: SessionOptions,
    record: ProblemRecord,
    journal: Journal,
    advice: readonly Advice[],
    looks: Looks | undefined,
  ) {
    this.#looks = looks;
    this.#changes = withFunction(changesOf(record.looks ?? {}, looks ?? {}), options);
    this.advice = advice;
    this.#options = options;
    this.client = options.client;
    this.plan = options.plan;
    this.journal = journal;
    this.#finished = new FinishedRuns(journal.lines);
    this.#record = record;
  }

  /** Opens what is known here; asks the service nothing unless the problem starts over. Throws ChangedProblemError and JournalError. */
  static async open(options: SessionOptions): Promise<Session> {
    const { folder, service } = options;
    const known = await readUncontradicted(options);
    const plan = { ...options.plan, project: withScales(options.plan.project, known?.project) };
    if (known !== undefined) refuseChanges(known, { ...options, plan });
    const record = { ...(known ?? (await folder.begin(plan, service))), code: plan.code ?? known?.code ?? null };
    const looks = await plan.looker?.look();
    const journal = folder.journal === null ? Journal.inMemory() : await Journal.open(folder.journal);
    try {
      if (known !== undefined && known.code !== record.code) await folder.write(record);
      const advice = adviseOnScales(options.plan.project, plan.project, options.words);
      return new Session({ ...options, plan }, record, journal, advice, looks);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /**
   * Compares a kept run with one that `evaluate` makes now, if the black box may have changed. Throws ChangedProblemError where it gives
   * another output, and what `evaluate` throws.
   */
  async refuseOtherAnswers(evaluate: (kept: Kept) => Promise<Reportable>): Promise<void> {
    const { onChange, retryFailed = false } = this.#options;
    if (this.#looks === undefined) return;
    const failures = this.runs.filter(({ outcome }) => outcome.kind === 'failure').length;
    const parts = [...this.#changes.values()].flat();
    if (parts.length > 0 && (retryFailed || failures > 0)) onChange?.(parts, 'failures');
    if (parts.length > 0 && retryFailed) {
      // They are compared by the next call: what is asked for now are the runs that failed.
      this.#looks = undefined;
      return;
    }
    const kept = parts.length === 0 ? undefined : chooseKept(this.#kept, this.#changes, await this.#readAnswer());
    if (kept !== undefined) await this.#compare(kept, evaluate);
    this.#rememberFunction();
    const { again: _, ...record } = this.#record;
    const looks = this.#looksToKeep();
    if (isDeepStrictEqual(record.looks, looks) && this.#record.again === undefined) return;
    this.#record = { ...record, looks };
    await this.#options.folder.write(this.#record);
  }

  /** Parts that say nothing, such as a log that runs write, are left out: a comparison is not made again because it wrote there. */
  #looksToKeep(): Looks {
    return updated(this.#record.looks ?? {}, this.#looks!, (part) => this.plan.looker!.isWord(part));
  }

  #rememberFunction(): void {
    const { path } = this.#options.folder;
    const of = this.plan.looker?.of ?? null;
    if (path !== null && of !== null) CALLED.set(path, (CALLED.get(path) ?? new WeakSet()).add(of));
  }

  async #compare(kept: Kept, evaluate: (kept: Kept) => Promise<Reportable>): Promise<void> {
    const { folder, onChange, words } = this.#options;
    const { nameInput, objectives, project } = this.plan;
    const parts = this.#changes.get(kept.source ?? OWN)!;
    const looks = JSON.stringify(this.#looksToKeep());
    const noise = noiseOf(objectives);
    const said = { parts, kept, input: nameInput(kept.input), outputNames: project.outputNames };
    let { again } = this.#record;
    // Values that a function closes over are in no digest.
    const isMade =
      !parts.includes(FUNCTION) &&
      again?.looks === looks &&
      isDeepStrictEqual([again.input, again.source], [kept.input, kept.source]);
    if (!isMade) {
      await refuseBudget(this.#record, this.#toOpen(NO_RUNS));
      onChange?.(parts, 'compared');
      const outcome = await evaluate(kept);
      const output = listed(outcome, project.outputNames);
      if (output === null) {
        const reason = outcome.kind === 'failure' ? outcome.reason : 'no output';
        throw new ChangedProblemError(`${describeNewFailure(said, reason)} Revert the change, or ${words.startOver}.`);
      }
      again = { input: kept.input, source: kept.source, looks, output };
      this.#record = { ...this.#record, again };
      await folder.write(this.#record);
    }
    const others = differing(kept, again!.output, this.#kept, noise);
    if (others === undefined) onChange?.(parts, 'noise');
    if (others === undefined || others.length === 0) return;
    const byChance =
      noise === null && objectives.every(({ fits }) => fits == null)
        ? ` If runs at one input differ by chance, state noise: it then goes on without a further run.`
        : '';
    const difference = describeDifference(said, again!.output, others);
    throw new ChangedProblemError(`${difference} Revert the change, or ${words.startOver}.${byChance}`);
  }

  get #kept(): readonly Kept[] {
    return this.runs.flatMap(({ input, outcome, source }) => {
      const output = listed(outcome, this.plan.project.outputNames);
      return output === null ? [] : [{ input, output, source: source ?? null }];
    });
  }

  /** The input that earlier calls answered; null where there is none. */
  async #readAnswer(): Promise<readonly number[] | null> {
    const id = this.#record.batches.at(-1)?.id ?? null;
    if (id === null) return null;
    for await (const { objectiveId } of this.client.pages('listBatchObjectives', { path: { batch_id: id } })) {
      if (objectiveId === null) continue;
      const path = { objective_id: objectiveId };
      const { best, standing } = (await this.client.call('getObjective', { path })).body;
      const input = standing?.input ?? best?.input;
      if (input !== undefined) return input;
    }
    return null;
  }

  /** Keeps that these parts of the black box are changed by its runs, so that they say nothing. */
  async ignore(moving: Changes): Promise<void> {
    if (moving.size === 0 || this.#looks === undefined || this.#record.looks === undefined) return;
    this.#record = { ...this.#record, looks: withoutMoving(this.#record.looks, moving) };
    await this.#options.folder.write(this.#record);
  }

  /** Looks of the black box when the session began; undefined if the kept runs may be of another one. */
  get looks(): Looks | undefined {
    return this.#looks;
  }

  /** Creates the problem on the service, or finds it again. Throws BudgetError, and what a call of the client throws. */
  async begin({ evaluateStart, retry }: OwnRuns = NO_RUNS): Promise<void> {
    const { record, batch } = await openProblem(this.#record, this.#toOpen({ evaluateStart, retry }));
    this.#record = record;
    this.#batch = batch;
  }

  #toOpen({ evaluateStart, retry }: OwnRuns): OpenOptions {
    return {
      ...this.#options,
      runsBefore: this.runs.filter(({ kind }) => kind !== 'verify').length,
      evaluateStart,
      retries: {
        count: countRetried(this.journal.lines),
        areNews: (since, hasTrial) => areRetriesNews(this.journal.lines, since, hasTrial),
        run: retry,
      },
    };
  }

  /**
   * Reports results and gives back leases that an interrupted call left, and marks failed runs to be run once more where that is wanted.
   * Returns how many results the service lacked, and how many runs were marked.
   */
  async settle(): Promise<{ readonly reported: number; readonly marked: number }> {
    const calls = makeEvaluationCalls(this.client as ServiceClient, this.#claim);
    const { reported } = await resumeLeases(this.journal, calls);
    const marked = this.#options.retryFailed === true ? await markFailures(this.journal) : 0;
    if (marked > 0) this.#finished = new FinishedRuns(this.journal.lines);
    return { reported, marked };
  }

  get record(): ProblemRecord {
    return this.#record;
  }

  /** As it was when it was read last; undefined before it exists. */
  get batch(): Batch | undefined {
    return this.#batch;
  }

  get isOver(): boolean {
    return this.#batch !== undefined && !isOpen(this.#batch);
  }

  /** Results of earlier runs, without those that are run once more. */
  get finished(): FinishedRuns {
    return this.#finished;
  }

  get runs(): readonly Run[] {
    return runsOf(this.journal.lines);
  }

  /** @param set  which target set it is of, such as `of target set 2`; empty where there is only one */
  nameOf(run: Run, set = ''): string {
    const { batchId } = run;
    const isEarlier = batchId !== undefined && batchId !== this.#record.batches.at(-1)?.id;
    return nameOf(run, isEarlier ? 'of an earlier search' : set);
  }

  /** The same in every process, so that a claim can be repeated. */
  get claim(): Claim {
    return { ...this.#claim, batchId: this.#batch!.id };
  }

  get calls(): EvaluationCalls {
    return makeEvaluationCalls(this.client as ServiceClient, this.claim);
  }

  async refresh(): Promise<Batch> {
    const { body } = await this.client.call('getBatch', { path: { batch_id: this.#batch!.id } });
    this.#batch = body;
    return body;
  }

  /** Waits until the search is over, at most so long. The service notices within moments of the last output. */
  async untilOver(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    for (let delay = FIRST_LOOK_MS; ; delay = Math.min(2 * delay, LAST_LOOK_MS)) {
      await this.refresh();
      if (this.isOver || performance.now() + delay > deadline) return this.isOver;
      await pause(delay, undefined);
    }
  }

  get #claim(): Claim {
    const evaluator = this.#options.evaluator ?? `solve ${this.#record.id.slice(0, 8)}`;
    const named = this.#options.plan.project.sources?.map(({ name }) => name);
    return { evaluator, leaseSeconds: LEASE_SECONDS, ...(named && { sources: [FINE, ...named] }) };
  }
}
