/**
 * Creates what a problem needs on the service, or finds it again: model, project, known runs, batch. Every creation carries an
 * Idempotency-Key made of the identity of the problem and its role, and what exists is recorded, so that a crash between any two
 * of them creates nothing twice.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Retries } from '../../clients/typescript/src/evaluator/retries.ts';
import { toServiceName } from '../../clients/typescript/src/solve/problem.ts';
import type { CheckedProblem } from './check-problem.ts';
import type { Body } from './problem-bodies.ts';
import type { Batch, ProblemCalls } from './problem-calls.ts';
import type { BatchRecord, ProblemRecord, RunFolder } from './run-folder.ts';

/** The file says something else than the data that its earlier runs made. */
export class ChangedProblemError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChangedProblemError';
  }
}

/** The budget leaves nothing for changed targets. */
export class BudgetSpentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BudgetSpentError';
  }
}

export interface CreateOptions {
  readonly calls: ProblemCalls;
  readonly folder: RunFolder;
  readonly checked: CheckedProblem;
  /** How many evaluations run at a time. */
  readonly jobs: number;
  /** How many runs the journal holds. */
  readonly runsBefore: number;
  /** Evaluates the start of the search, once; null when the run failed. */
  readonly evaluateStart: (input: readonly number[]) => Promise<readonly number[] | null>;
  readonly retries: Retries;
}

/** Where a problem lives on the service. */
export interface CreatedProblem {
  readonly modelId: number;
  readonly projectId: number;
  readonly batch: Batch;
}

/** Throws ChangedProblemError when `record` was made for other inputs or outputs, or for another service. */
export function refuseChanges(record: ProblemRecord, checked: CheckedProblem, service: string | null): void {
  if (record.file !== path.basename(checked.file)) {
    throw new ChangedProblemError(
      `${record.file} has the same name without its ending, and was begun first: rename ${path.basename(checked.file)}, or start over with --new.`,
    );
  }
  if (record.service !== service) {
    const where = record.service ?? 'the service in .backsolve';
    throw new ChangedProblemError(
      `This problem was begun on ${where}: go on there${record.service === null ? ', without --url' : ` with --url ${record.service}`}, or start over with --new.`,
    );
  }
  const changes = differencesOf(record.project, checked.bodies.project);
  if (changes.length === 0) return;
  throw new ChangedProblemError(
    `The inputs or outputs have changed since the first run, so its data does not fit:\n${changes
      .map((change) => `  ${change}`)
      .join('\n')}\nTake the change back, or start over with --new. Targets may change at any time.`,
  );
}

/** Names may not change either: constraints and results call the inputs and outputs by them. */
export function differencesOf(before: Body, now: Body): readonly string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return fields
    .filter((field) => field !== 'name' && field !== 'caseCount' && !isDeepStrictEqual(before[field], now[field]))
    .map((field) => `${field}: ${JSON.stringify(before[field] ?? null)} became ${JSON.stringify(now[field] ?? null)}`);
}

export async function createProblem(record: ProblemRecord, options: CreateOptions): Promise<CreatedProblem> {
  const { calls, folder, checked } = options;
  let current = record;
  const note = async (change: Partial<ProblemRecord>) => {
    current = { ...current, ...change };
    await folder.write(current);
  };
  // Its names are unique within an account.
  const modelName = `${checked.problem.name.slice(0, 80)} ${current.id.slice(0, 8)}`;
  const modelId = current.modelId ?? (await calls.createModel(modelName, keyOf(current, 'model')));
  if (current.modelId === null) await note({ modelId });
  const inside = checked.known.filter((run) => run.isInside);
  const project = inside.length > 0 ? withCases(current.project, inside) : current.project;
  const projectId = current.projectId ?? (await calls.createProject(modelId, project, keyOf(current, 'project')));
  if (current.projectId === null) await note({ projectId });
  const at = { modelId, projectId };
  const known = hashOf(checked.known);
  if (current.trialId === null && inside.length > 0 && current.batches.length === 0) {
    const outputs = inside.map((run) => run.output);
    await note({ trialId: await calls.loadOutputs(at, outputs, keyOf(current, 'outputs')) });
  }
  // The same rows again change nothing, so those outside the bounds, and those that came later, need no list of their own.
  const addKnown = async (trialId: number | null) => {
    if (checked.known.length === 0 || trialId === null || current.known === known) return;
    const cases = { inputs: checked.known.map((run) => run.input), outputs: checked.known.map((run) => run.output) };
    await calls.addCases(at, trialId, { ...cases, source: checked.problem.known }, keyOf(current, `known ${known}`));
    await note({ known });
  };
  await addKnown(current.trialId);
  const batch = await openBatch(() => current, note, options);
  await addKnown(batch.trialId);
  return { ...at, batch };
}

function withCases(project: Body, known: readonly { readonly input: readonly number[] }[]): Body {
  const { caseCount: _, ...rest } = project;
  return { ...rest, inputCases: known.map((run) => run.input) };
}

/** The newest batch, if its targets and its budget are still those of the file; otherwise another one on the same data. */
async function openBatch(
  record: () => ProblemRecord,
  note: (change: Partial<ProblemRecord>) => Promise<void>,
  options: CreateOptions,
): Promise<Batch> {
  const { calls, checked, jobs, evaluateStart, retries } = options;
  const { problem, bodies } = checked;
  const wanted = { objectives: bodies.objectives, maximumRuns: problem.maximumRuns };
  let newest = record().batches.at(-1);
  const isOutdated = newest?.id != null && (await retryRuns(newest, record(), options));
  if (newest === undefined || isOutdated || !isSame(newest, wanted)) {
    if (newest?.id != null) await leaveBatch(newest.id, record(), note, calls);
    newest = { id: null, ...wanted, body: null, retried: retries.count };
    await note({ batches: [...record().batches, newest] });
  }
  if (newest.id !== null) return followBatch(newest.id, parallelismOf(problem.targetSets.length, jobs), calls);
  if (newest.body === null) {
    const start = bodies.start === null ? null : await evaluateStart(bodies.start);
    newest = { ...newest, body: toBatchBody(newest.objectives, record(), start, options) };
    await note({ batches: [...record().batches.slice(0, -1), newest] });
  }
  const at = { modelId: record().modelId!, projectId: record().projectId! };
  const batch = await calls.createBatch(at, newest.body!, keyOf(record(), `batch ${record().batches.length}`));
  await note({ batches: [...record().batches.slice(0, -1), { ...newest, id: batch.id }] });
  return batch;
}

/** Whether the batch ended for want of the outputs that failed runs give now. */
async function retryRuns(
  { id, retried = 0 }: BatchRecord,
  { modelId, projectId, trialId: known }: ProblemRecord,
  { calls, retries, checked: { problem }, runsBefore }: CreateOptions,
): Promise<boolean> {
  if (retries.count === 0) return false;
  const { status, trialId: own } = await calls.getBatch(id!);
  const trialId = known ?? own;
  if (trialId !== null) await retries.run({ modelId: modelId!, projectId: projectId!, trialId });
  if (!retries.areNews(retried, trialId !== null)) return false;
  if (status === 'failed') return true;
  const mayGoOn = problem.maximumRuns === null || runsBefore < problem.maximumRuns;
  return status === 'completed' && mayGoOn && (await calls.listObjectives(id!)).some(isStopped);
}

function isStopped({ stopReason }: { readonly stopReason: string | null }): boolean {
  return stopReason === 'STOPPED';
}

function isSame(batch: BatchRecord, wanted: object): boolean {
  const { objectives, maximumRuns } = batch;
  return isDeepStrictEqual(JSON.parse(JSON.stringify({ objectives, maximumRuns })), JSON.parse(JSON.stringify(wanted)));
}

/** Its runs stay with the trial; what is open is given up. */
async function leaveBatch(
  id: number,
  { trialId: known }: ProblemRecord,
  note: (change: Partial<ProblemRecord>) => Promise<void>,
  calls: ProblemCalls,
): Promise<void> {
  const { status, trialId } = await calls.getBatch(id);
  if (known === null && trialId !== null) await note({ trialId });
  if (status === 'evaluating-cases' || status === 'solving') await calls.cancelBatch(id);
}

async function followBatch(id: number, parallelism: number, calls: ProblemCalls): Promise<Batch> {
  const batch = await calls.getBatch(id);
  const isOpen = batch.status === 'evaluating-cases' || batch.status === 'solving';
  if (isOpen && batch.isPaused) await calls.resumeBatch(id);
  if (isOpen && batch.parallelism !== parallelism) await calls.setParallelism(id, parallelism);
  return batch;
}

function toBatchBody(
  objectives: readonly Body[],
  { trialId }: ProblemRecord,
  startOutput: readonly number[] | null,
  { checked: { problem, bodies, designedCount }, jobs, runsBefore }: CreateOptions,
): Body {
  const first = designedCount + (bodies.start === null ? 0 : 1);
  // Of several target sets each has the budget of its own; with one, all runs of the file count.
  const before = problem.targetSets.length === 1 ? Math.max(first, runsBefore) : first;
  const limits = problem.maximumRuns === null ? {} : { maximumAttempts: attemptsLeft(problem.maximumRuns, before) };
  const start = startOutput === null ? {} : { initialInput: bodies.start, initialOutput: startOutput };
  return {
    name: toServiceName(problem.name),
    objectives: objectives.map((objective) => ({ ...objective, ...limits, ...start })),
    parallelism: parallelismOf(problem.targetSets.length, jobs),
    ...(trialId !== null && { trialId }),
    timeoutSeconds: problem.timeoutSeconds,
    maximumTries: problem.retries + 1,
    stopAfterFailures: problem.stopAfterFailures,
  };
}

/**
 * With more target sets than jobs, twice as many inputs are open as run: the next ones wait while others are computed, and
 * no program waits for an input. Each target set still has one open input, so that it learns from all before it.
 */
function parallelismOf(sets: number, jobs: number): number {
  return sets > jobs ? Math.min(sets, 2 * jobs, MAXIMUM_PARALLELISM) : jobs;
}

/** As the service limits it. */
const MAXIMUM_PARALLELISM = 64;

function attemptsLeft(maximumRuns: number, before: number): number {
  if (before < maximumRuns) return maximumRuns - before;
  throw new BudgetSpentError(
    `All ${maximumRuns} runs that maximumRuns allows are used up, ${before} so far: raise it to go on.`,
  );
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function keyOf({ id }: ProblemRecord, role: string): string {
  return hashOf(`${id} ${role}`);
}
