/** Holds what the database says against what the clients were told. */
import type { Admin } from '../../harness/database-server.ts';
import type { Journal } from './play.ts';
import type { Blow } from './process-chaos.ts';

export interface Violations {
  /** Known to a client, missing or different in the database. */
  lost: string[];
  /** In the database, unknown to the client; or two inputs seen for one iteration; or a second objective. */
  doubled: string[];
  /** Gaps in the iterations, or instants that contradict their order. */
  outOfOrder: string[];
  wrongAttemptCounts: string[];
  /** Jobs left behind. */
  leftOver: string[];
}

interface StepRow {
  readonly id: number;
  readonly iteration: number;
  readonly status: string;
  readonly input: readonly number[] | null;
  readonly output: readonly number[] | null;
  readonly suggestedAt: Date | null;
  readonly loadedAt: Date | null;
}

interface ObjectiveRow {
  readonly id: number;
  readonly attemptCount: number;
  readonly steps: readonly StepRow[];
}

export async function verify(admin: Admin, journals: readonly Journal[]): Promise<Violations> {
  const found: Violations = { lost: [], doubled: [], outOfOrder: [], wrongAttemptCounts: [], leftOver: [] };
  const objectives = await readObjectives(admin);
  const known = new Set(journals.map(({ objectiveId }) => objectiveId));
  for (const id of objectives.keys()) if (!known.has(id)) found.doubled.push(`objective ${id} was made twice`);
  for (const journal of journals) {
    const objective = objectives.get(journal.objectiveId);
    if (objective === undefined) found.lost.push(`objective ${journal.objectiveId}`);
    else verifyObjective(objective, journal, found);
  }
  const jobs = await admin.query<{ id: string }>('select id from suggestion_jobs');
  for (const { id } of jobs) found.leftOver.push(`job ${id}`);
  return found;
}

function verifyObjective(objective: ObjectiveRow, journal: Journal, found: Violations): void {
  const name = (iteration: number) => `objective ${objective.id}, iteration ${iteration}`;
  const byId = new Map(objective.steps.map((step) => [step.id, step]));
  for (const step of journal.steps) {
    const row = byId.get(step.inverseId);
    if (row === undefined || row.iteration !== step.iteration || !isSame(row.input, step.input)) {
      found.lost.push(`${name(step.iteration)}: not as the client knows it`);
    } else if (step.output !== null && (!isSame(row.output, step.output) || row.loadedAt === null)) {
      found.lost.push(`${name(step.iteration)}: its output`);
    }
  }
  const told = new Set(journal.steps.map(({ inverseId }) => inverseId));
  objective.steps.forEach((row, i) => {
    if (row.iteration !== i + 1) found.outOfOrder.push(`${name(row.iteration)} stands at place ${i + 1}`);
    const before = objective.steps[i - 1];
    if (isBefore(row.suggestedAt, before?.loadedAt) || isBefore(row.loadedAt, row.suggestedAt)) {
      found.outOfOrder.push(`${name(row.iteration)}: its instants`);
    }
    // The last step may stand open when the client stops the objective: asked for by a late copy of a call.
    const isStoppedOpen = i === objective.steps.length - 1 && row.status === 'stopped';
    if (i > 0 && !told.has(row.id) && row.status !== 'failed' && !isStoppedOpen) {
      found.doubled.push(`${name(row.iteration)}: unknown to the client`);
    }
  });
  for (const [iteration, inputs] of journal.seen) {
    if (inputs.size > 1) found.doubled.push(`${name(iteration)}: ${inputs.size} different inputs seen`);
  }
  // A step that the optimizer stopped with repeats a known input and its output; it is no attempt.
  const suggested = objective.steps.filter(
    (row) => row.iteration > 1 && row.input !== null && !(row.status === 'stopped' && row.output !== null),
  );
  if (objective.attemptCount !== suggested.length) {
    found.wrongAttemptCounts.push(`objective ${objective.id}: ${objective.attemptCount}, not ${suggested.length}`);
  }
}

async function readObjectives(admin: Admin): Promise<ReadonlyMap<number, ObjectiveRow>> {
  const objectives = await admin.query<{ id: string; attemptCount: number }>(
    'select id, attempt_count as "attemptCount" from objectives order by id',
  );
  const steps = await admin.query<StepRow & { id: string; objectiveId: string }>(`
    select id, objective_id as "objectiveId", iteration, status, input, output,
      suggested_at as "suggestedAt", loaded_at as "loadedAt"
    from inverses order by objective_id, iteration`);
  const byObjective = Map.groupBy(steps, ({ objectiveId }) => Number(objectiveId));
  return new Map(
    objectives.map(({ id, attemptCount }) => {
      const rows = (byObjective.get(Number(id)) ?? []).map((row) => ({ ...row, id: Number(row.id) }));
      return [Number(id), { id: Number(id), attemptCount, steps: rows }];
    }),
  );
}

/** Objectives whose suggestions differ in any bit, step by step; failed computations are no suggestions. */
export function compareRuns(disturbed: readonly Journal[], undisturbed: readonly Journal[]): readonly string[] {
  const calm = new Map(undisturbed.map((journal) => [journal.index, journal]));
  const differences: string[] = [];
  for (const journal of disturbed) {
    const other = calm.get(journal.index);
    const inputs = JSON.stringify(journal.steps.map(({ input }) => input));
    const expected = JSON.stringify(other?.steps.map(({ input }) => input));
    if (inputs !== expected) differences.push(`objective number ${journal.index}`);
  }
  return differences;
}

/** A stretch of time in which Postgres was disturbed. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Recovery {
  /**
   * Milliseconds from the kill of a worker to the result written by another, Postgres undisturbed; ascending. A job whose
   * next worker was hit too counts from the last of the blows.
   */
  readonly calmMs: readonly number[];
  /** The same where Postgres was disturbed meanwhile, from the later of the blow and the end of that. */
  readonly disturbedMs: readonly number[];
  /** Jobs of killed workers whose next worker was killed or frozen as well. */
  readonly hitAgain: number;
}

export async function measureRecovery(
  admin: Admin,
  blows: readonly Blow[],
  windows: readonly Window[],
): Promise<Recovery> {
  const byJob = new Map<number, Blow[]>();
  for (const blow of blows) for (const id of blow.inverseIds) byJob.set(id, [...(byJob.get(id) ?? []), blow]);
  const rows = await admin.query<{ id: string; at: Date | null }>(
    'select id, suggested_at as at from inverses where id = any($1::bigint[])',
    [[...byJob.keys()]],
  );
  const found = { calmMs: [] as number[], disturbedMs: [] as number[], hitAgain: 0 };
  for (const { id, at: written } of rows) {
    const at = written?.getTime();
    // Written before the blow: its commit was under way already. Never written: stopped by the client.
    const hits = byJob.get(Number(id))!.filter((blow) => at !== undefined && at > blow.at);
    if (at === undefined || !hits.some(({ kind }) => kind === 'killed')) continue;
    if (hits.length > 1) found.hitAgain += 1;
    const last = Math.max(...hits.map((blow) => blow.at));
    const overlapping = windows.filter(({ from, to }) => from < at && to > last);
    if (overlapping.length === 0) found.calmMs.push(at - last);
    else found.disturbedMs.push(Math.max(0, at - Math.max(last, ...overlapping.map(({ to }) => to))));
  }
  const ascending = (a: number, b: number) => a - b;
  return { ...found, calmMs: found.calmMs.sort(ascending), disturbedMs: found.disturbedMs.sort(ascending) };
}

/** @param sorted  ascending; null for no values */
export function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

/** Same bits; -0 never leaves the service. */
function isSame(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isBefore(a: Date | null | undefined, b: Date | null | undefined): boolean {
  return a != null && b != null && a.getTime() < b.getTime();
}
