/** Compares the database with the answers that the clients got. */
import type { Admin } from '../../harness/database-server.ts';
import type { Journal } from './play.ts';
import { isParallel, reusesRuns } from './problems.ts';
import type { Blow } from './process-chaos.ts';

export interface Violations {
  /** Known to a client; missing or different in the database. */
  lost: string[];
  /** In the database but unknown to the client, two inputs seen for one iteration, or a second objective. */
  doubled: string[];
  /** Gaps in the iterations, or timestamps or numbers that contradict their order. */
  outOfOrder: string[];
  /** More open inverses than allowed. */
  tooMany: string[];
  wrongAttemptCounts: string[];
  /** Jobs left behind. */
  leftOver: string[];
}

interface InverseRow {
  readonly id: number;
  readonly iteration: number;
  readonly status: string;
  readonly input: readonly number[] | null;
  readonly output: readonly number[] | null;
  readonly suggestedAt: Date | null;
  readonly loadedAt: Date | null;
  readonly pending: readonly number[] | null;
  readonly completedOrder: number | null;
}

interface ObjectiveRow {
  readonly id: number;
  readonly attemptCount: number;
  readonly parallelism: number;
  readonly completedCount: number;
  readonly inverses: readonly InverseRow[];
}

export async function verify(admin: Admin, journals: readonly Journal[]): Promise<Violations> {
  const found: Violations = {
    lost: [],
    doubled: [],
    outOfOrder: [],
    tooMany: [],
    wrongAttemptCounts: [],
    leftOver: [],
  };
  const objectives = await readObjectives(admin);
  const known = new Set(journals.map(({ objectiveId }) => objectiveId));
  for (const id of objectives.keys()) if (!known.has(id)) found.doubled.push(`objective ${id} was created twice`);
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
  const byId = new Map(objective.inverses.map((inverse) => [inverse.id, inverse]));
  for (const inverse of journal.inverses) {
    const row = byId.get(inverse.inverseId);
    if (row === undefined || row.iteration !== inverse.iteration || !isSame(row.input, inverse.input)) {
      found.lost.push(`${name(inverse.iteration)}: not as the client knows it`);
    } else if (inverse.output !== null && (!isSame(row.output, inverse.output) || row.loadedAt === null)) {
      found.lost.push(`${name(inverse.iteration)}: its output`);
    }
  }
  const told = new Set(journal.inverses.map(({ inverseId }) => inverseId));
  objective.inverses.forEach((row, i) => {
    if (row.iteration !== i + 1) found.outOfOrder.push(`${name(row.iteration)} is stored as number ${i + 1}`);
    const before = objective.inverses[i - 1];
    const isAfterAnother = objective.parallelism === 1 && isBefore(row.suggestedAt, before?.loadedAt);
    if (isAfterAnother || isBefore(row.loadedAt, row.suggestedAt)) {
      found.outOfOrder.push(`${name(row.iteration)}: its timestamps`);
    }
    // A late copy of a call may have opened the last inverse before the client stopped the objective.
    const mayBeStopped = objective.parallelism > 1 ? row.loadedAt === null : i === objective.inverses.length - 1;
    const isStoppedOpen = mayBeStopped && row.status === 'stopped';
    if (i > 0 && !told.has(row.id) && row.status !== 'failed' && !isStoppedOpen) {
      found.doubled.push(`${name(row.iteration)}: unknown to the client`);
    }
  });
  for (const [iteration, inputs] of journal.seen) {
    if (inputs.size > 1) found.doubled.push(`${name(iteration)}: ${inputs.size} different inputs seen`);
  }
  verifyOpen(objective, found);
  // An inverse with which the optimizer stopped repeats a known input and its output; it does not count as an attempt.
  const suggested = objective.inverses.filter(
    (row) =>
      row.iteration > 1 &&
      row.input !== null &&
      !(row.status === 'stopped' && row.output !== null && row.loadedAt === null),
  );
  if (objective.attemptCount !== suggested.length) {
    found.wrongAttemptCounts.push(`objective ${objective.id}: ${objective.attemptCount}, not ${suggested.length}`);
  }
}

/**
 * Checks which inverses were open when each was suggested, the order of their completion, and that no input was suggested that was pending or
 * known. One that was given up without an output is neither.
 */
function verifyOpen({ id, parallelism, completedCount, inverses }: ObjectiveRow, found: Violations): void {
  const earlier = new Map<string, InverseRow>();
  const orders = new Set<number>();
  for (const row of inverses) {
    const { iteration, pending, completedOrder, input, suggestedAt, status, loadedAt, output } = row;
    const name = `objective ${id}, iteration ${iteration}`;
    if ((pending?.length ?? 0) >= parallelism) found.tooMany.push(`${name}: beside ${pending!.length} others`);
    if (completedOrder !== null && (orders.has(completedOrder) || completedOrder > completedCount)) {
      found.outOfOrder.push(`${name}: its completion has the number ${completedOrder}`);
    }
    if (completedOrder !== null) orders.add(completedOrder);
    const isRepeat = status === 'stopped' && output !== null && loadedAt === null;
    if (parallelism === 1 || input === null || suggestedAt === null || isRepeat) continue;
    const same = earlier.get(JSON.stringify(input));
    const isForgotten =
      same?.status === 'stopped' && !pending?.includes(same.iteration) && !isBefore(same.loadedAt, suggestedAt);
    if (same !== undefined && !isForgotten) found.doubled.push(`${name}: the input of iteration ${same.iteration}`);
    earlier.set(JSON.stringify(input), row);
  }
}

/** Without those of batches, which ../evaluators/verify.ts compares. */
async function readObjectives(admin: Admin): Promise<ReadonlyMap<number, ObjectiveRow>> {
  const objectives = await admin.query<Omit<ObjectiveRow, 'id' | 'inverses'> & { id: string }>(
    'select id, attempt_count as "attemptCount", parallelism, completed_count as "completedCount" from objectives where batch_id is null order by id',
  );
  const inverses = await admin.query<InverseRow & { id: string; objectiveId: string }>(`
    select id, objective_id as "objectiveId", iteration, status, input, output,
      suggested_at as "suggestedAt", loaded_at as "loadedAt", pending, completed_order as "completedOrder"
    from inverses order by objective_id, iteration`);
  const byObjective = Map.groupBy(inverses, ({ objectiveId }) => Number(objectiveId));
  return new Map(
    objectives.map(({ id, ...objective }) => {
      const rows = (byObjective.get(Number(id)) ?? []).map((row) => ({ ...row, id: Number(row.id) }));
      return [Number(id), { ...objective, id: Number(id), inverses: rows }];
    }),
  );
}

/** Returns the objectives whose suggested inputs differ in any bit; what depends on the order of outputs is repeated instead. */
export function compareRuns(disturbed: readonly Journal[], undisturbed: readonly Journal[]): readonly string[] {
  const calm = new Map(undisturbed.map((journal) => [journal.index, journal]));
  const differences: string[] = [];
  for (const journal of disturbed.filter(({ index }) => !reusesRuns(index) && !isParallel(index))) {
    const other = calm.get(journal.index);
    const inputs = JSON.stringify(journal.inverses.map(({ input }) => input));
    const expected = JSON.stringify(other?.inverses.map(({ input }) => input));
    if (inputs !== expected) differences.push(`objective number ${journal.index}`);
  }
  return differences;
}

/** A period in which Postgres was disturbed, in Unix milliseconds. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Recovery {
  /**
   * Milliseconds from the kill of a worker to the result of another, while Postgres was undisturbed; ascending. If the next
   * worker was hit as well, the time starts at the last hit.
   */
  readonly calmMs: readonly number[];
  /** The same while Postgres was disturbed, from the hit or the end of the disturbance, whichever came later. */
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
    // A result written before the hit was already being committed; one never written was stopped by the client.
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

/** Compares all bits; the service never returns -0. */
function isSame(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isBefore(a: Date | null | undefined, b: Date | null | undefined): boolean {
  return a != null && b != null && a.getTime() < b.getTime();
}
