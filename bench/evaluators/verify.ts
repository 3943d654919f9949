/** Compares the database with the journals of the evaluators and with the black boxes. */
import type { Admin } from '../../harness/database-server.ts';
import type { Box } from '../chaos/problems.ts';
import type { Window } from '../chaos/verify.ts';
import type { MadeBatch } from './batches.ts';
import { boxNamed, type Fate, fateOf } from './boxes.ts';
import type { Blow } from './evaluator-chaos.ts';
import type { JournalLine } from './journal.ts';

type Vector = readonly number[];

interface EvaluationRow {
  readonly id: number;
  readonly batchId: number;
  readonly caseNumber: number | null;
  readonly inverseId: number | null;
  readonly input: Vector;
  readonly state: 'waiting' | 'leased' | 'done' | 'failed' | 'cancelled';
  readonly tries: number;
  readonly losses: number;
  readonly failureReason: string | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
}

interface InverseRow {
  readonly id: number;
  readonly objectiveId: number;
  readonly iteration: number;
  readonly status: string;
  readonly input: Vector | null;
  readonly output: Vector | null;
  readonly loadedAt: Date | null;
  readonly completedOrder: number | null;
  readonly failureReason: string | null;
}

interface ObjectiveRow {
  readonly id: number;
  readonly batchId: number;
  readonly position: number;
  readonly stopReason: number;
  readonly completedCount: number;
  readonly attemptCount: number;
  readonly inverses: readonly InverseRow[];
}

interface BatchRow {
  readonly id: number;
  readonly status: string;
  readonly failureReason: string | null;
  readonly plannedObjectives: number;
  readonly createdObjectives: number;
  readonly plannedCases: number;
  readonly outputCases: readonly Vector[] | null;
  readonly failedCases: Vector | null;
}

interface Violations {
  /** Known to an evaluator as stored; missing or different in the database. */
  readonly lost: string[];
  /** Counted twice, claimed by two evaluators at a time, or claimed after it was done. */
  readonly doubled: string[];
  /** Neither finished nor given up, although the batches have ended. */
  readonly stuck: string[];
  /** An output that the black box does not give. */
  readonly wrong: string[];
  /** Failed, although the black box gives an output; or the other way round. */
  readonly misjudged: string[];
  /** Iterations or orders of completion with gaps or twice. */
  readonly outOfOrder: string[];
}

export interface Verified {
  readonly violations: Violations;
  /** Evaluations by state. */
  readonly states: Readonly<Record<string, number>>;
  /** Finished ones by fate. */
  readonly fates: Readonly<Record<string, number>>;
  readonly losses: number;
  readonly retries: number;
  readonly lateReports: Readonly<Record<string, number>>;
  /** Time at which each evaluation became claimable for the first time, in Unix milliseconds, and its batch. */
  readonly began: ReadonlyMap<number, { readonly at: number; readonly batchId: number }>;
  /** Inverses of objectives that were suggested, for repeating them. */
  readonly suggested: readonly { readonly inverseId: number; readonly name: string; readonly input: Vector }[];
}

export async function verify(
  admin: Admin,
  lines: readonly JournalLine[],
  batches: readonly MadeBatch[],
  leaseMs: number,
): Promise<Verified> {
  const violations: Violations = { lost: [], doubled: [], stuck: [], wrong: [], misjudged: [], outOfOrder: [] };
  const evaluations = await readEvaluations(admin);
  const objectives = await readObjectives(admin);
  const rows = await readBatches(admin);
  const boxes = new Map(batches.map(({ id, box }) => [id, boxNamed(box)]));
  const inverses = new Map(objectives.flatMap((objective) => objective.inverses.map((row) => [row.id, row])));
  for (const row of rows) verifyBatch(row, evaluations, boxes.get(row.id)!, violations);
  for (const objective of objectives) verifyObjective(objective, violations);
  const byInverse = new Map(evaluations.map((row) => [row.inverseId, row]));
  for (const objective of objectives) {
    for (const inverse of objective.inverses) {
      verifyInverse(inverse, byInverse.get(inverse.id), boxes.get(objective.batchId)!, violations);
    }
  }
  for (const row of evaluations) {
    if (row.inverseId !== null && !inverses.has(row.inverseId)) {
      violations.lost.push(`evaluation ${row.id}: its inverse ${row.inverseId}`);
    }
  }
  const lateReports = verifyJournals(lines, new Map(evaluations.map((row) => [row.id, row])), leaseMs, violations);
  const jobs = await admin.query<{ id: string }>('select id from suggestion_jobs');
  for (const { id } of jobs) violations.stuck.push(`suggestion job ${id}`);
  const finished = evaluations.filter(({ state }) => state === 'done' || state === 'failed');
  return {
    violations,
    states: count(evaluations.map(({ state }) => state)),
    fates: count(finished.map(({ batchId, input }) => fateOf(boxes.get(batchId)!, input))),
    losses: sum(evaluations.map(({ losses }) => losses)),
    retries: sum(evaluations.map(({ tries }) => tries)),
    lateReports,
    began: new Map(evaluations.map(({ id, batchId, createdAt }) => [id, { at: createdAt.getTime(), batchId }])),
    suggested: objectives.flatMap(({ inverses: own }) =>
      own
        .filter(({ iteration, input, loadedAt }) => iteration > 1 && input !== null && loadedAt !== null)
        .map(({ id, objectiveId, iteration, input }) => ({
          inverseId: id,
          name: `objective ${objectiveId}, iteration ${iteration}`,
          input: input!,
        })),
    ),
  };
}

/** The batch has ended with all planned objectives, and its trial holds the black box's output for each designed case. */
function verifyBatch(
  row: BatchRow,
  all: readonly EvaluationRow[],
  box: Box,
  { stuck, lost, wrong, misjudged, doubled }: Violations,
): void {
  const name = `batch ${row.id}`;
  if (row.status === 'failed') misjudged.push(`${name} failed: ${row.failureReason}`);
  else if (row.status !== 'completed' && row.status !== 'cancelled') stuck.push(`${name} is ${row.status}`);
  if (row.status === 'completed' && row.createdObjectives !== row.plannedObjectives) {
    lost.push(`${name}: ${row.createdObjectives} of its ${row.plannedObjectives} objectives`);
  }
  const own = all.filter(({ batchId }) => batchId === row.id);
  for (const { id, state } of own) {
    if (state === 'waiting' || state === 'leased') stuck.push(`evaluation ${id} of ${name} is ${state}`);
  }
  if (row.outputCases === null) return;
  const cases = own.filter(({ caseNumber }) => caseNumber !== null);
  if (cases.length !== row.plannedCases || row.outputCases.length !== row.plannedCases) {
    lost.push(`${name}: ${cases.length} evaluations of ${row.plannedCases} cases, ${row.outputCases.length} loaded`);
  }
  if (new Set(cases.map(({ caseNumber }) => caseNumber)).size !== cases.length) doubled.push(`${name}: a case`);
  for (const evaluation of cases) {
    const number = evaluation.caseNumber!;
    const isFailed = row.failedCases!.includes(number - 1);
    const fate = fateOf(box, evaluation.input);
    if (isFailed !== isHopeless(fate)) misjudged.push(`${name}, case ${number}, ${fate}: ${describe(evaluation)}`);
    if (isFailed === (evaluation.state === 'done')) misjudged.push(`${name}, case ${number}: ${describe(evaluation)}`);
    if (!isFailed && !isSame(row.outputCases[number - 1]!, box.run(evaluation.input)))
      wrong.push(`${name}, case ${number}`);
  }
}

function verifyObjective(objective: ObjectiveRow, { stuck, outOfOrder, doubled }: Violations): void {
  const name = `objective ${objective.id}`;
  if (objective.stopReason === 0) stuck.push(`${name} is running`);
  objective.inverses.forEach(({ iteration }, i) => {
    if (iteration !== i + 1) outOfOrder.push(`${name}: iteration ${iteration} is stored as number ${i + 1}`);
  });
  const orders = objective.inverses.flatMap(({ completedOrder }) => completedOrder ?? []).sort((a, b) => a - b);
  // A run that was given up and whose output came late has been numbered twice; the second number counts.
  const late = objective.inverses.filter(({ status, loadedAt }) => status === 'stopped' && loadedAt !== null).length;
  const isDistinct =
    new Set(orders).size === orders.length && orders.every((order) => order <= objective.completedCount);
  if (!isDistinct || orders.length + late !== objective.completedCount) {
    outOfOrder.push(`${name}: completed in the order ${orders.join(', ')}, counted ${objective.completedCount}`);
  }
  const run = objective.inverses.filter(
    ({ input, status, output }) => input !== null && !(status === 'stopped' && output !== null),
  );
  const inputs = run.map(({ input }) => JSON.stringify(input));
  for (const input of new Set(inputs.filter((input, i) => inputs.indexOf(input) !== i))) {
    doubled.push(`${name}: the input ${input} is run more than once`);
  }
}

function verifyInverse(
  row: InverseRow,
  evaluation: EvaluationRow | undefined,
  box: Box,
  { stuck, lost, wrong, misjudged, doubled }: Violations,
): void {
  const name = `objective ${row.objectiveId}, iteration ${row.iteration}`;
  if (row.output !== null && !isSame(row.output, box.run(row.input!))) wrong.push(name);
  if (row.iteration === 1) {
    if (evaluation !== undefined) doubled.push(`${name}: a known input is evaluated`);
    return;
  }
  if (row.input === null) {
    if (row.status !== 'failed' && row.status !== 'stopped') stuck.push(`${name} has no input`);
    if (row.status === 'failed') misjudged.push(`${name} was not computed: ${row.failureReason}`);
    return;
  }
  const fate = fateOf(box, row.input);
  if (row.status === 'stopped') {
    // Given up when its objective ended; or it repeats a known input, which is not run.
    if (evaluation?.state === 'failed') misjudged.push(`${name}: stopped, ${describe(evaluation)}`);
    return;
  }
  if (evaluation === undefined) lost.push(`${name}: its evaluation`);
  else if (row.status === 'failed') {
    if (evaluation.state !== 'failed' || !isHopeless(fate)) misjudged.push(`${name}, ${fate}: ${describe(evaluation)}`);
  } else if (row.loadedAt === null) stuck.push(`${name} is open`);
  else if (evaluation.state !== 'done' || isHopeless(fate)) misjudged.push(`${name}, ${fate}: ${describe(evaluation)}`);
}

/** Returns the answers to reports that came too late, by kind. */
function verifyJournals(
  lines: readonly JournalLine[],
  evaluations: ReadonlyMap<number, EvaluationRow>,
  leaseMs: number,
  { lost, doubled, wrong }: Violations,
): Readonly<Record<string, number>> {
  const late: string[] = [];
  // The service releases evaluations claimed for a closed connection, so those of a dead evaluator may be free early.
  const lastSeen = new Map(lines.map(({ evaluator, at }) => [evaluator, at]));
  for (const [id, own] of Map.groupBy(lines, (line) => line.id)) {
    const name = `evaluation ${id}`;
    const row = evaluations.get(id);
    if (row === undefined) {
      lost.push(`${name}, which ${own[0]!.evaluator} held`);
      continue;
    }
    const answered = own.filter((line) => line.event === 'answered');
    const accepted = answered.filter(({ status, state }) => status === 200 && state === 'done');
    const acceptedTokens = new Set(accepted.map(({ leaseToken }) => leaseToken));
    if (acceptedTokens.size > 1) doubled.push(`${name}: reported under ${acceptedTokens.size} leases`);
    if (acceptedTokens.size > 0 && row.state !== 'done') lost.push(`${name}: confirmed as done, ${describe(row)}`);
    const sent = own.filter((line) => line.event === 'reports');
    const reported = sent.filter(({ what }) => what === 'output');
    if (row.state === 'done' && reported.length === 0) wrong.push(`${name} is done without a report`);
    for (const { status, state, what } of answered) {
      if (status === 400 || status === 404) lost.push(`${name}: its ${what} was refused with ${status} ${state}`);
      else if (status !== 200 || state === 'cancelled') late.push(`${what}: ${state}`);
    }
    const leases = leasesOf(own, leaseMs);
    leases.forEach((lease, i) => {
      const before = leases[i - 1];
      const gaveBack = sent.some(({ leaseToken, what }) => leaseToken === before?.leaseToken && what !== 'output');
      const wasAlive = before !== undefined && lastSeen.get(before.evaluator)! > lease.from;
      if (wasAlive && !gaveBack && lease.from < before.to) {
        doubled.push(`${name}: claimed ${before.to - lease.from} ms before the lease before it expired`);
      }
      if (row.finishedAt !== null && lease.from > row.finishedAt.getTime()) {
        doubled.push(`${name}: claimed ${lease.from - row.finishedAt.getTime()} ms after its end`);
      }
    });
  }
  return count(late);
}

interface LeaseTimes {
  readonly leaseToken: string;
  readonly evaluator: string;
  /** By the clock of the database, which is that of this machine. */
  readonly from: number;
  readonly to: number;
}

/** By the time of the claim. */
function leasesOf(lines: readonly JournalLine[], leaseMs: number): readonly LeaseTimes[] {
  const found = new Map<string, LeaseTimes>();
  for (const line of lines) {
    if (line.event !== 'claimed' && line.event !== 'kept') continue;
    const known = found.get(line.leaseToken);
    const from = line.event === 'claimed' ? line.leaseExpiresAt - leaseMs : (known?.from ?? line.at);
    found.set(line.leaseToken, {
      evaluator: line.evaluator,
      leaseToken: line.leaseToken,
      from,
      to: Math.max(known?.to ?? 0, line.leaseExpiresAt),
    });
  }
  return [...found.values()].sort((a, b) => a.from - b.from);
}

export interface Reclaims {
  /**
   * Milliseconds from the last sign of life of a dead or frozen evaluator to the next claim of what it held, while Postgres was
   * undisturbed.
   */
  readonly calmMs: readonly number[];
  /** The same where every evaluator had other inputs to run that had waited for longer. */
  readonly queuedMs: readonly number[];
  /** The same while Postgres was disturbed, from the blow or the end of the disturbance, whichever came later. */
  readonly disturbedMs: readonly number[];
  /** Held inputs that needed no other claim: reported before, or after a thaw, or no longer wanted. */
  readonly needless: number;
}

export interface ReclaimContext {
  readonly blows: readonly Blow[];
  /** Postgres was disturbed, or a batch was paused. */
  readonly windows: readonly Window[];
  readonly idleTimes: readonly number[];
  readonly began: Verified['began'];
  readonly leaseMs: number;
  /** Time after its lease within which an input may be claimed again. */
  readonly marginMs: number;
}

/** By the clock of the database, which is that of this machine. */
export function measureReclaims(
  lines: readonly JournalLine[],
  { blows, windows, idleTimes, began, leaseMs, marginMs }: ReclaimContext,
): Reclaims {
  const byId = Map.groupBy(lines, ({ id }) => id);
  const deaths: Blow[] = lines
    .filter((line) => line.event === 'dies')
    .map(({ at, id, leaseToken }) => ({ kind: 'killed', at, leases: [{ id, leaseToken }] }));
  const firstClaims = [...byId].flatMap(([id, own]) => {
    const [first] = leasesOf(own, leaseMs);
    const known = began.get(id);
    return first === undefined || known === undefined ? [] : [{ ...known, began: known.at, claimedAt: first.from }];
  });
  const found = { calmMs: [] as number[], queuedMs: [] as number[], disturbedMs: [] as number[], needless: 0 };
  for (const { at, leases } of [...blows, ...deaths]) {
    for (const { id, leaseToken } of leases) {
      const own = byId.get(id) ?? [];
      const held = leasesOf(own, leaseMs);
      const index = held.findIndex((lease) => lease.leaseToken === leaseToken);
      const next = held.find((lease, i) => (index < 0 ? lease.from > at : i === index + 1));
      const gaveBack = own.some(
        (line) => line.event === 'answered' && line.leaseToken === leaseToken && line.status === 200,
      );
      if (next === undefined || gaveBack) {
        found.needless += 1;
        continue;
      }
      // An evaluator that was frozen briefly continued to extend its lease.
      const from = Math.max(at, (held[index]?.to ?? 0) - leaseMs);
      const overlapping = windows.filter((window) => window.from < next.from && window.to > from);
      const due = from + leaseMs + marginMs;
      const wasIdle = idleTimes.some((time) => time > due && time < next.from);
      const batchId = began.get(id)?.batchId;
      const isOvertaken = firstClaims.some(
        (claim) => claim.batchId === batchId && claim.began > due && claim.claimedAt < next.from,
      );
      if (overlapping.length > 0) {
        found.disturbedMs.push(Math.max(0, next.from - Math.max(from, ...overlapping.map(({ to }) => to))));
      } else if (next.from > due && !wasIdle && !isOvertaken) found.queuedMs.push(next.from - from);
      else found.calmMs.push(next.from - from);
    }
  }
  return found;
}

function isHopeless(fate: Fate): boolean {
  return fate === 'fails' || fate === 'kills';
}

function describe({ id, state, tries, losses, failureReason }: EvaluationRow): string {
  return `evaluation ${id} is ${state} after ${tries} failed tries and ${losses} lost leases (${failureReason})`;
}

async function readEvaluations(admin: Admin): Promise<readonly EvaluationRow[]> {
  const rows = await admin.query<EvaluationRow>(`
    select id::float8, batch_id::float8 as "batchId", case_number as "caseNumber", inverse_id::float8 as "inverseId", input,
      state, tries, losses, failure_reason as "failureReason", finished_at as "finishedAt",
      created_at as "createdAt"
    from evaluations order by id`);
  return rows;
}

async function readObjectives(admin: Admin): Promise<readonly ObjectiveRow[]> {
  const objectives = await admin.query<Omit<ObjectiveRow, 'inverses'>>(`
    select o.id::float8, o.batch_id::float8 as "batchId", bo.position, o.stop_reason as "stopReason",
      o.completed_count as "completedCount", o.attempt_count as "attemptCount"
    from objectives o join batch_objectives bo on bo.objective_id = o.id order by o.id`);
  const inverses = await admin.query<InverseRow>(`
    select id::float8, objective_id::float8 as "objectiveId", iteration, status, input, output, loaded_at as "loadedAt",
      completed_order as "completedOrder", failure_reason as "failureReason"
    from inverses order by objective_id, iteration`);
  const byObjective = Map.groupBy(inverses, ({ objectiveId }) => objectiveId);
  return objectives.map((objective) => ({ ...objective, inverses: byObjective.get(objective.id) ?? [] }));
}

function readBatches(admin: Admin): Promise<readonly BatchRow[]> {
  return admin.query<BatchRow>(`
    select b.id::float8, b.status, b.failure_reason as "failureReason", p.case_count as "plannedCases",
      (select count(*)::int from batch_objectives o where o.batch_id = b.id) as "plannedObjectives",
      (select count(objective_id)::int from batch_objectives o where o.batch_id = b.id) as "createdObjectives",
      s.output_cases as "outputCases", s.failed_cases as "failedCases"
    from batches b join projects p on p.id = b.project_id
      left join trials t on t.id = b.trial_id left join output_case_sets s on s.id = t.output_case_set_id
    order by b.id`);
}

function count(names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of names) found[name] = (found[name] ?? 0) + 1;
  return found;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Compares all bits; the service never returns -0. */
function isSame(a: Vector, b: Vector): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
