/**
 * Creates what a problem needs on the service, or finds it again: model, project, known runs, batch. Every creation carries an
 * Idempotency-Key made of the identity of the problem and its role, and what exists is recorded, so that a crash between any two of
 * them creates nothing twice.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Backsolve } from '../client.ts';
import type { Retries } from '../evaluator/retries.ts';
import type { Batch, NewBatch, NewObjectives, NewProject } from '../generated/schemas.ts';
import { hasSameTargets, throughFile, withStops } from './defaults.ts';
import type { BatchRecord, ProblemFolder, ProblemRecord } from './folder.ts';
import { type KnownRun, type Plan, parallelismOf, type StartPoint, type Words } from './plan.ts';
import { saidBy } from './refusal.ts';

/** The folder belongs to a problem with other inputs or outputs, or to one on another service. */
export class ChangedProblemError extends Error {
  override readonly name = 'ChangedProblemError';
}

/** The budget leaves no run to the search. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

export interface OpenOptions {
  readonly client: Backsolve;
  readonly folder: ProblemFolder;
  readonly plan: Plan;
  readonly words: Words;
  /** Number of runs in the journal. */
  readonly runsBefore: number;
  readonly retries: Retries;
  /** Runs the start of the search; null when the run failed. */
  readonly evaluateStart: (input: readonly number[]) => Promise<StartPoint | null>;
}

/** Throws ChangedProblemError when `record` was made for other inputs or outputs, or for another service. */
export function refuseChanges(
  record: ProblemRecord,
  {
    folder,
    plan,
    service,
    words,
  }: Pick<OpenOptions, 'folder' | 'plan' | 'words'> & { readonly service: string | null },
): void {
  if (record.service !== service) {
    const where = `${record.service ?? 'the local service'}: go on there${words.goOnAt(record.service)}`;
    throw new ChangedProblemError(`This problem was begun on ${where}, or ${words.startOver}.`);
  }
  const changes = differencesOf(record.project, plan.project);
  if (changes.length === 0) return;
  throw new ChangedProblemError(
    `The inputs or outputs have changed since the first run, so the data in ${folder.path} does not fit:\n${changes
      .map((change) => `  ${change}`)
      .join('\n')}\nRevert the change, or ${words.startOver}. Targets may change at any time.`,
  );
}

/** Fields that may change without a conflict with the data of a folder. */
const UNCOMPARED: ReadonlySet<string> = new Set(['name', 'caseCount', 'parallelism']);

/** Names may not change either: constraints and results call the inputs and outputs by them. */
export function differencesOf(before: NewProject, now: NewProject): readonly string[] {
  const [earlier, later] = [before, throughFile(now)] as Readonly<Record<string, unknown>>[];
  const fields = [...new Set([...Object.keys(earlier!), ...Object.keys(later!)])];
  return fields
    .filter((field) => !UNCOMPARED.has(field))
    .filter(
      (field) => !isDeepStrictEqual(comparable(field, throughFile(earlier![field])), comparable(field, later![field])),
    )
    .map((field) => `${field}: ${textOf(earlier![field])} became ${textOf(later![field])}`);
}

/** A scale that is not stated is linear. */
function comparable(field: string, value: unknown): unknown {
  if (field !== 'scales' || !Array.isArray(value)) return value;
  const scales = value.map((scale) => scale ?? 'linear');
  return scales.includes('log') ? scales : undefined;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

/** A problem on the service. */
export interface OpenedProblem {
  readonly record: ProblemRecord;
  readonly batch: Batch;
}

/** Throws BudgetError, what `evaluateStart` throws, and BacksolveError when the service refuses. */
export function openProblem(record: ProblemRecord, options: OpenOptions): Promise<OpenedProblem> {
  return new Opening(record, options).open();
}

/** Throws BudgetError where openProblem would, before anything is run. */
export function refuseBudget(record: ProblemRecord, options: OpenOptions): Promise<void> {
  return new Opening(record, options).refuseBudget();
}

class Opening {
  #record: ProblemRecord;
  readonly #options: OpenOptions;

  constructor(record: ProblemRecord, options: OpenOptions) {
    this.#record = record;
    this.#options = options;
  }

  async open(): Promise<OpenedProblem> {
    const { known } = this.#options.plan;
    const inside = known.filter(({ isInside }) => isInside);
    await this.#createModel();
    await this.#createProject(inside);
    if (inside.length > 0 && this.#record.trialId === null && this.#record.batches.length === 0)
      await this.#load(inside);
    // Repeated rows change nothing, so rows outside the bounds, and later ones, need no list of their own.
    await this.#addKnown(this.#record.trialId);
    const batch = await this.#openBatch();
    await this.#addKnown(batch.trialId);
    return { record: this.#record, batch };
  }

  async refuseBudget(): Promise<void> {
    const { budget } = this.#options.plan;
    const newest = this.#record.batches.at(-1);
    if (budget !== null && newest !== undefined && !isSame(newest, await this.#wanted(newest)))
      this.#attemptsLeft(budget);
  }

  async #note(change: Partial<ProblemRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await this.#options.folder.write(this.#record);
  }

  #keyOf(role: string): string {
    return `${this.#record.id} ${role}`;
  }

  get #path() {
    return { model_id: this.#record.modelId!, project_id: this.#record.projectId! };
  }

  async #createModel(): Promise<void> {
    if (this.#record.modelId !== null) return;
    // Names of models are unique within an account.
    const name = `${this.#options.plan.project.name.slice(0, 80)} ${this.#record.id.slice(0, 8)}`;
    const { body } = await this.#options.client.call('createModel', {
      body: { name },
      idempotencyKey: this.#keyOf('model'),
    });
    await this.#note({ modelId: body.id });
  }

  async #createProject(inside: readonly KnownRun[]): Promise<void> {
    if (this.#record.projectId !== null) return;
    const { project } = this.#record;
    const creating = this.#options.client.call('createProject', {
      path: { model_id: this.#record.modelId! },
      body: inside.length > 0 ? withCases(project, inside) : project,
      idempotencyKey: this.#keyOf('project'),
    });
    const { body } = await saidBy(this.#options.words.door, '/project', { project }, creating);
    await this.#note({ projectId: body.id, designed: inside.length > 0 ? 0 : body.inputCases.length });
  }

  async #load(runs: readonly KnownRun[]): Promise<void> {
    const width = runs.find(({ output }) => output !== null)!.output!.length;
    const outputCases = runs.map(({ output }) => output ?? new Array<number>(width).fill(0));
    const failedCases = [...runs.keys()].filter((row) => runs[row]!.output === null);
    const { body } = await this.#options.client.call('loadOutputCases', {
      path: this.#path,
      body: { outputCount: width, outputCases, failedCases },
      idempotencyKey: this.#keyOf('outputs'),
    });
    await this.#note({ trialId: body.trial_id });
  }

  async #addKnown(trialId: number | null): Promise<void> {
    const { client, plan } = this.#options;
    const known = createHash('sha256').update(JSON.stringify(plan.known)).digest('hex');
    if (plan.known.length === 0 || trialId === null || this.#record.known === known) return;
    await client.call('addCases', {
      path: { ...this.#path, trial_id: trialId },
      body: {
        inputs: plan.known.map(({ input }) => input),
        outputs: plan.known.map(({ output }) => output),
        // In a project with sources it would name one.
        source: plan.project.sources ? null : plan.knownSource,
      },
      idempotencyKey: this.#keyOf(`known ${known}`),
    });
    await this.#note({ known });
  }

  /** The newest batch, if its targets and its budget are still those of the plan; otherwise another one on the same data. */
  async #openBatch(): Promise<Batch> {
    const { client, retries } = this.#options;
    let newest = this.#record.batches.at(-1);
    const wanted = await this.#wanted(newest);
    const isOutdated = newest?.id != null && (await this.#retryRuns(newest));
    if (newest === undefined || isOutdated || !isSame(newest, wanted)) {
      if (newest?.id != null) await this.#leave(newest.id);
      newest = { id: null, ...wanted, body: null, retried: retries.count };
      await this.#note({ batches: [...this.#record.batches, newest] });
    }
    if (newest.id !== null) return this.#follow(newest.id);
    newest = { ...newest, body: newest.body ?? (await this.#toBody(newest)) };
    await this.#replaceNewest(newest);
    const idempotencyKey = this.#keyOf(`batch ${this.#record.batches.length}`);
    const creating = client.call('createBatch', { path: this.#path, body: newest.body!, idempotencyKey });
    const bodies = { project: this.#record.project, objectives: newest.body!.objectives };
    const { body: batch } = await saidBy(this.#options.words.door, '/batch', bodies, creating);
    await this.#replaceNewest({ ...newest, id: batch.id });
    return batch;
  }

  /** The targets and the budget of the plan; a search begun with the same targets keeps its stop rules. */
  async #wanted(newest: BatchRecord | undefined): Promise<Pick<BatchRecord, 'objectives' | 'budget'>> {
    const { plan } = this.#options;
    const begun = newest !== undefined && hasSameTargets(newest.objectives, plan) ? newest : undefined;
    return { objectives: withStops(plan, begun && (await this.#stopsAfter(begun))), budget: plan.budget };
  }

  /** A larger budget overrules an end by evidence: on the same runs the rule would end the search again. */
  async #stopsAfter({ id, objectives, budget }: BatchRecord): Promise<NewObjectives['stop'][]> {
    const { client, plan } = this.#options;
    const stops = objectives.map(({ stop }) => stop);
    const isRaised = budget !== plan.budget && (plan.budget ?? Infinity) > (budget ?? 0);
    if (plan.statesStop || !isRaised || id === null) return stops;
    let k = 0;
    for await (const { stopReason } of client.pages('listBatchObjectives', { path: { batch_id: id } })) {
      if (stopReason === 'STOPPED') stops[k] = null;
      k += 1;
    }
    return stops;
  }

  #replaceNewest(batch: BatchRecord): Promise<void> {
    return this.#note({ batches: [...this.#record.batches.slice(0, -1), batch] });
  }

  /** Runs failed runs again that are marked; whether the batch ended for want of the outputs that they give now. */
  async #retryRuns({ id, retried = 0 }: BatchRecord): Promise<boolean> {
    const { client, plan, retries, runsBefore } = this.#options;
    if (retries.count === 0) return false;
    const path = { batch_id: id! };
    const { status, trialId: own } = (await client.call('getBatch', { path })).body;
    const { modelId, projectId, trialId = own } = withoutNull(this.#record);
    if (trialId !== null) await retries.run({ modelId: modelId!, projectId: projectId!, trialId });
    if (!retries.areNews(retried, trialId !== null)) return false;
    if (status === 'failed') return true;
    if (status !== 'completed' || (plan.budget !== null && runsBefore >= plan.budget)) return false;
    for await (const { stopReason } of client.pages('listBatchObjectives', { path }))
      if (stopReason === 'STOPPED') return true;
    return false;
  }

  /** Its runs stay with the trial; what is open is given up. */
  async #leave(id: number): Promise<void> {
    const { client } = this.#options;
    const { body } = await client.call('getBatch', { path: { batch_id: id } });
    if (this.#record.trialId === null && body.trialId !== null) await this.#note({ trialId: body.trialId });
    if (isOpen(body)) await client.call('cancelBatch', { path: { batch_id: id } });
  }

  async #follow(id: number): Promise<Batch> {
    const { client, plan } = this.#options;
    const path = { batch_id: id };
    const { body: batch } = await client.call('getBatch', { path });
    if (!isOpen(batch)) return batch;
    const parallelism = parallelismOf(plan);
    if (batch.isPaused) await client.call('resumeBatch', { path });
    if (batch.parallelism !== parallelism) await client.call('updateBatch', { path, body: { parallelism } });
    return batch;
  }

  async #toBody({ objectives }: BatchRecord): Promise<NewBatch> {
    const { plan, evaluateStart } = this.#options;
    const limits = plan.budget === null ? {} : { maximumAttempts: this.#attemptsLeft(plan.budget) };
    const start = plan.start === null ? null : await evaluateStart(plan.start);
    const { trialId } = this.#record;
    return {
      name: plan.project.name,
      objectives: objectives.map((objective) => ({ ...objective, ...limits, ...start })),
      parallelism: parallelismOf(plan),
      ...(trialId !== null && { trialId }),
      ...plan.batch,
    };
  }

  /** Number of inputs that may be suggested. Each of several target sets has a budget of its own; for a single one all runs count. */
  #attemptsLeft(budget: number): number {
    const { plan, runsBefore, words } = this.#options;
    const first = (plan.designed ?? this.#record.designed ?? 0) + (plan.start === null ? 0 : 1);
    const before = plan.objectives.length === 1 ? Math.max(first, runsBefore) : first;
    if (before < budget) return budget - before;
    throw new BudgetError(
      before > first
        ? `All ${budget} runs that ${words.budget} allows are used up, ${before} so far: raise it to go on.`
        : `With ${words.budget} ${budget} nothing is left after the ${first} runs that come before the search: raise it, or lower cases.`,
    );
  }
}

function withCases({ caseCount: _, ...project }: NewProject, known: readonly KnownRun[]): NewProject {
  return { ...project, inputCases: known.map(({ input }) => input) };
}

function withoutNull({ modelId, projectId, trialId }: ProblemRecord) {
  return { modelId, projectId, ...(trialId !== null && { trialId }) };
}

function isSame({ objectives, budget }: BatchRecord, wanted: Pick<BatchRecord, 'objectives' | 'budget'>): boolean {
  return isDeepStrictEqual(throughFile({ objectives, budget }), throughFile(wanted));
}

export function isOpen({ status }: Pick<Batch, 'status'>): boolean {
  return status === 'evaluating-cases' || status === 'solving';
}
