/**
 * Finds the run that comes nearest to an objective: cases are judged once, when the objective is loaded, and every output when it is
 * stored (domain/search/standing.ts). A change of the trial's data (added cases, a
 * correction) makes all of this unknown: judgeTrial judges again immediately, and scheduled passes judge what it leaves. Both tell those who wait.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterCommit, type Db, type Trx } from '../../db/connection/transaction.ts';
import { countAddedCases, readAddedOutputs, readAddedRows, readCorrectedCases } from '../../db/data/added-cases.ts';
import { readCases } from '../../db/data/cases.ts';
import { findOutputCaseSet } from '../../db/data/output-case-sets.ts';
import { findTrial } from '../../db/data/trials.ts';
import { findProject } from '../../db/problem/projects.ts';
import { listInverses } from '../../db/search/inverses.ts';
import {
  findObjective,
  findObjectives,
  type NearestIteration,
  type ObjectiveWithParents,
} from '../../db/search/objectives.ts';
import {
  listUnjudgedObjectives,
  listUnjudgedOfTrial,
  storeNearest,
  tellJudged,
} from '../../db/search/unjudged-objectives.ts';
import type { OutputCaseSet } from '../../domain/data/trial.ts';
import { Matrix } from '../../domain/matrix.ts';
import type { Project } from '../../domain/problem/project.ts';
import { sourceNames } from '../../domain/problem/sources.ts';
import { mayBeAnswer, toLedgerRun } from '../../domain/search/ledger-run.ts';
import {
  type JudgedCase,
  judgeIterations,
  makeMissMeasure,
  nearestCase,
  type WeighedDefinition,
} from '../../domain/search/nearest.ts';
import type { NearestSoFar, Objective } from '../../domain/search/objective.ts';
import { conditionsOf, hasLimits, isAdmissible, type ObjectiveLimits } from '../../domain/search/objective-limits.ts';

export type NearestCase = Pick<NearestSoFar, 'nearestCase' | 'nearestCaseInput' | 'nearestCaseOutput'>;

/** Numbers read and judged at a time: some 5 ms of the event loop. Each read makes the server unpack the whole set. */
const NUMBERS_PER_READ = 200_000;

/** The cases of a trial: those of its output case set, then the added ones. */
interface TrialCases {
  readonly project: Project;
  readonly trialId: number;
  /** Revision of the trial's data; 0: nothing was added or corrected. */
  readonly revision: number;
  readonly set: OutputCaseSet;
}

/** Outputs of cases as they count now. */
interface CountedCases {
  /** Zero-based number of the case in row 0. */
  readonly first: number;
  readonly outputs: Matrix;
  /** Zero-based numbers of the failed and the excluded ones. */
  readonly leftOut: ReadonlySet<number>;
  /** The input of the case in a row. */
  readInput(row: number): Promise<readonly number[]>;
  /** Reads the inputs of all rows. */
  readInputs(): Promise<Matrix>;
}

/** A definition with the limits on its inputs. */
type LimitedDefinition = WeighedDefinition & ObjectiveLimits;

/** Judges all cases of a trial, as they are after all corrections. Memory does not grow with their number. */
export async function findNearestCase(
  db: Db | Trx,
  accountId: number,
  definition: LimitedDefinition,
  cases: TrialCases,
): Promise<NearestCase> {
  const [nearest] = await findNearestCases(db, accountId, [definition], cases);
  return nearest!;
}

/** The same for several definitions, with one look at the cases. */
async function findNearestCases(
  db: Db | Trx,
  accountId: number,
  definitions: readonly LimitedDefinition[],
  cases: TrialCases,
): Promise<readonly NearestCase[]> {
  const { project } = cases;
  const found = definitions.map((definition) => ({
    admits: isLimited(project, definition)
      ? (input: readonly number[]) => isAdmissible(project, definition, input)
      : null,
    measure: makeMissMeasure(definition),
    holder: null as JudgedCase | null,
    output: null as readonly number[] | null,
    readInput: async (): Promise<readonly number[] | null> => null,
  }));
  const areInputsNeeded = found.some(({ admits }) => admits !== null);
  for await (const { first, outputs, leftOut, readInput, readInputs } of readCountedCases(db, accountId, cases)) {
    const inputs = areInputsNeeded ? await readInputs() : null;
    for (const one of found) {
      const { admits } = one;
      const passedOver =
        admits === null
          ? leftOut
          : new Set([...leftOut, ...rowsThat((row) => !admits(inputs!.row(row)), first, outputs)]);
      const judged = nearestCase(one.measure, outputs, passedOver, { first, holder: one.holder });
      if (judged !== null && judged !== one.holder) {
        const row = judged.number - first;
        one.holder = judged;
        one.output = outputs.row(row);
        one.readInput = () => readInput(row);
      }
      if (found.length > 1) await yieldToEventLoop();
    }
  }
  const nearest: NearestCase[] = [];
  for (const { holder, output, readInput } of found) {
    const nearestCaseInput = await readInput();
    nearest.push({ nearestCase: holder?.number ?? null, nearestCaseInput, nearestCaseOutput: output });
  }
  return nearest;
}

function isLimited(project: Project, limits: ObjectiveLimits): boolean {
  return hasLimits(limits) || conditionsOf(project, limits).length > 0;
}

/** Numbers of the cases whose rows hold it. */
function rowsThat(holds: (row: number) => boolean, first: number, { rows }: Matrix): readonly number[] {
  return Array.from({ length: rows }, (_, row) => row).flatMap((row) => (holds(row) ? [first + row] : []));
}

async function* readCountedCases(
  db: Db | Trx,
  accountId: number,
  { project, trialId, revision, set }: TrialCases,
): AsyncGenerator<CountedCases, void> {
  const size = Math.max(1, Math.floor(NUMBERS_PER_READ / set.outputCount));
  for (let from = 0; from < set.caseCount; from += size) {
    const outputs = await readCases(db, accountId, 'output_case_sets', set.id, from, size);
    const readFrom = (row: number, count: number) => readCases(db, accountId, 'projects', project.id, row, count);
    const rowOf = async (row: number) => (await readFrom(from + row, 1)).row(0);
    const readInputs = () => readFrom(from, size);
    const loaded = { first: from, outputs, failed: set.failedCases };
    const counted =
      revision === 0
        ? { first: from, outputs, leftOut: new Set(set.failedCases) }
        : await withCorrections(db, accountId, trialId, loaded);
    yield { ...counted, readInput: rowOf, readInputs };
  }
  if (revision === 0) return;
  const total = set.caseCount + (await countAddedCases(db, accountId, trialId));
  const names = sourceNames(project.sources);
  for (let first = set.caseCount; first < total; first += size) {
    const { outputs, failed, sources } = await readAddedOutputs(db, accountId, trialId, first + 1, size);
    const rowOf = async (row: number) =>
      (await readAddedRows(db, accountId, trialId, first + row + 1, 1))[0]!.inputs.row(0);
    const readInputs = async () => {
      const batches = await readAddedRows(db, accountId, trialId, first + 1, size);
      return Matrix.from(batches.flatMap(({ inputs }) => Array.from({ length: inputs.rows }, (_, i) => inputs.row(i))));
    };
    const added = { first, outputs, failed: failed.map((row) => first + row) };
    const counted = await withCorrections(db, accountId, trialId, added);
    const coarse = sources.flatMap((source, row) => (source !== null && names.has(source) ? [first + row] : []));
    yield { ...counted, leftOut: new Set([...counted.leftOut, ...coarse]), readInput: rowOf, readInputs };
  }
}

/** Rows of outputs as they count: with the corrected values, and without those that failed or are excluded. */
async function withCorrections(
  db: Db | Trx,
  accountId: number,
  trialId: number,
  { first, outputs, failed }: Pick<CountedCases, 'first' | 'outputs'> & { readonly failed: readonly number[] },
): Promise<Omit<CountedCases, 'readInput' | 'readInputs'>> {
  const leftOut = new Set(failed);
  for (const { number, result } of await readCorrectedCases(db, accountId, trialId, first + 1, outputs.rows)) {
    const { output, isExcluded } = result;
    if (output !== null) outputs.values.set(output, (number - 1 - first) * outputs.columns);
    if (output === null || isExcluded) leftOut.add(number - 1);
    else leftOut.delete(number - 1);
  }
  return { first, outputs, leftOut };
}

/**
 * The nearest run of an objective, from everything stored. The objective is read before the rest: if the trial's data changed in
 * between, `storeNearest` refuses what is returned. Undefined when it is being purged.
 */
export async function judgeAll(
  db: Db,
  accountId: number,
  objective: Objective & Pick<ObjectiveWithParents, 'projectId' | 'outputCaseSetId'>,
): Promise<NearestSoFar | undefined> {
  const { projectId, trialId, outputCaseSetId, dataRevision: revision } = objective;
  const project = await findProject(db, accountId, projectId);
  const set = await findOutputCaseSet(db, accountId, outputCaseSetId);
  if (project === undefined || set === undefined) return undefined;
  const nearest = await findNearestCase(db, accountId, objective, { project, trialId, revision, set });
  return { ...nearest, ...(await judgeAllInverses(db, accountId, project, objective)) };
}

/** Most objectives of one pass. */
const PASS_LIMIT = 200;
/** Inverses read at a time. */
const INVERSES_PER_READ = 200;
/** Objectives judged with one look at the cases. */
const JUDGED_TOGETHER = 20;
/** Time that a request that changed the data of a trial spends on judging its objectives again; the rest is left to the passes. */
const JUDGING_MS = 2_000;

/**
 * Judges the newest objectives of a trial whose data changed, as many as fit into two seconds. Call it after the transaction of
 * the change: inside, its locks would be held for as long.
 */
async function judgeTrial(db: Db, accountId: number, trialId: number): Promise<void> {
  const startedAt = performance.now();
  const trial = await findTrial(db, accountId, trialId);
  const project = trial && (await findProject(db, accountId, trial.projectId));
  const set = trial && (await findOutputCaseSet(db, accountId, trial.outputCaseSetId));
  if (trial === undefined || project === undefined || set === undefined) return;
  const ids = await listUnjudgedOfTrial(db, accountId, trialId, PASS_LIMIT);
  for (let from = 0; from < ids.length && performance.now() - startedAt < JUDGING_MS; from += JUDGED_TOGETHER) {
    const objectives = await findObjectives(db, accountId, ids.slice(from, from + JUDGED_TOGETHER));
    const cases = { project, trialId, revision: trial.revision, set };
    const nearest = await findNearestCases(db, accountId, objectives, cases);
    for (const [i, objective] of objectives.entries()) {
      const iteration = await judgeAllInverses(db, accountId, project, objective);
      await storeNearest(db, objective, { ...nearest[i]!, ...iteration });
    }
  }
  if (ids.length > 0) await tellJudged(db, accountId);
}

/** The same, after the commit where a transaction is open, as under an Idempotency-Key. */
export async function judgeAfterCommit(db: Db | Trx, accountId: number, trialId: number): Promise<void> {
  await afterCommit(db, (committed) => judgeTrial(committed, accountId, trialId));
}

/** Judges objectives that nothing has judged yet, of an earlier version or of changed data; returns how many were stored. */
export async function judgeEarlierObjectives(
  db: Db,
  { signal, limit = PASS_LIMIT }: { readonly signal: AbortSignal; readonly limit?: number },
): Promise<{ readonly judged: number }> {
  let judged = 0;
  const accountIds = new Set<number>();
  for (const { id, accountId } of await listUnjudgedObjectives(db, limit)) {
    if (signal.aborted) break;
    const objective = await findObjective(db, accountId, id);
    const nearest = objective && (await judgeAll(db, accountId, objective));
    // It has been purged since.
    if (objective === undefined || nearest === undefined) continue;
    if (!(await storeNearest(db, objective, nearest))) continue;
    judged += 1;
    accountIds.add(accountId);
  }
  for (const accountId of accountIds) await tellJudged(db, accountId);
  return { judged };
}

async function judgeAllInverses(
  db: Db,
  accountId: number,
  project: Project,
  objective: Objective,
): Promise<NearestIteration> {
  const measure = makeMissMeasure(objective);
  let known: NearestIteration = { nearestIteration: null, judgedThrough: 0 };
  let holder: Parameters<typeof judgeIterations>[2] = [];
  let after: number | null = null;
  do {
    const page = await listInverses(db, accountId, objective.id, { limit: INVERSES_PER_READ, after });
    const runs = [
      ...holder,
      ...page.items.map((inverse) => {
        const run = toLedgerRun(project, objective, inverse);
        return { iteration: run.iteration, output: mayBeAnswer(run) ? run.output : null };
      }),
    ];
    known = judgeIterations(measure, known, runs);
    holder = runs.filter(({ iteration }) => iteration === known.nearestIteration);
    after = page.nextAfter;
  } while (after !== null);
  // Also where it may not be the answer, the initial point has been judged.
  return { ...known, judgedThrough: Math.max(1, known.judgedThrough ?? 0) };
}
