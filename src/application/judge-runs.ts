/**
 * Finds the run that comes nearest to an objective and keeps it up to date: cases are judged once, when the objective is loaded,
 * inverses by the worker that computes the next one. Readers judge what came later.
 */
import { readCases } from '../db/cases.ts';
import { listInverses } from '../db/inverses.ts';
import { findObjective, listUnjudgedObjectives, type NearestIteration, storeNearest } from '../db/objectives.ts';
import { findOutputCaseSet } from '../db/output-case-sets.ts';
import type { Snapshot } from '../db/suggestions.ts';
import type { Db, Trx } from '../db/transaction.ts';
import { InverseStatus } from '../domain/inverse.ts';
import { type JudgedCase, judgeIterations, makeMissMeasure, nearestCase } from '../domain/nearest.ts';
import { type NearestSoFar, NO_NEAREST_CASE, type Objective, type ObjectiveDefinition } from '../domain/objective.ts';
import type { OutputCaseSet } from '../domain/trial.ts';

type KnownCases = Pick<Snapshot, 'inputCases' | 'outputCases' | 'failedCases' | 'caseNumbers'>;

export type NearestCase = typeof NO_NEAREST_CASE;

/** Numbers read and judged at a time: some 5 ms of the event loop. Each read makes the server unpack the whole set. */
const NUMBERS_PER_READ = 200_000;

/** Judges all cases of a set. Memory does not grow with their number. */
export async function findNearestCase(
  db: Db | Trx,
  accountId: number,
  definition: ObjectiveDefinition,
  { projectId, set }: { readonly projectId: number; readonly set: OutputCaseSet },
): Promise<NearestCase> {
  const measure = makeMissMeasure(definition);
  const failed = new Set(set.failedCases);
  const size = Math.max(1, Math.floor(NUMBERS_PER_READ / set.outputCount));
  let nearest: JudgedCase | null = null;
  let output: readonly number[] | null = null;
  for (let first = 0; first < set.caseCount; first += size) {
    const outputs = await readCases(db, accountId, 'output_case_sets', set.id, first, size);
    const judged = nearestCase(measure, outputs, failed, { first, holder: nearest });
    if (judged !== null && judged !== nearest) output = outputs.row(judged.number - first);
    nearest = judged;
  }
  if (nearest === null) return NO_NEAREST_CASE;
  const input = await readCases(db, accountId, 'projects', projectId, nearest.number, 1);
  return { nearestCase: nearest.number, nearestCaseInput: input.row(0), nearestCaseOutput: output };
}

type KnownRuns = Pick<
  Snapshot,
  'inputCases' | 'outputCases' | 'failedCases' | 'caseNumbers' | 'iterations' | 'outputs'
>;

/** What is to be stored about the nearest run once all of `runs` are known. Judges only what has not been judged. */
export function judgeRuns(objective: Objective, runs: KnownRuns): NearestSoFar | NearestIteration {
  const iteration = judgeIterations(makeMissMeasure(objective), objective, iterationsOf(runs));
  return objective.judgedThrough === null ? { ...caseAmong(runs, objective), ...iteration } : iteration;
}

/** Ascending. */
function* iterationsOf({ iterations, outputs }: KnownRuns) {
  for (const [row, iteration] of iterations.entries()) {
    const output = outputs.row(row);
    yield { iteration, output: Number.isNaN(output[0]) ? null : output };
  }
}

/** The nearest of some cases. */
export function caseAmong(
  { inputCases, outputCases, failedCases, caseNumbers }: KnownCases,
  definition: ObjectiveDefinition,
): NearestCase {
  const nearest = nearestCase(makeMissMeasure(definition), outputCases, new Set(failedCases));
  if (nearest === null) return NO_NEAREST_CASE;
  const { number: row } = nearest;
  return {
    nearestCase: caseNumbers?.[row] ?? row,
    nearestCaseInput: inputCases.row(row),
    nearestCaseOutput: outputCases.row(row),
  };
}

/** Most objectives of one pass. */
const PASS_LIMIT = 200;
/** Inverses read at a time. */
const INVERSES_PER_READ = 200;

/** Judges objectives of an earlier version that no suggestion has judged yet, and returns how many were stored. */
export async function judgeEarlierObjectives(
  db: Db,
  { signal, limit = PASS_LIMIT }: { readonly signal: AbortSignal; readonly limit?: number },
): Promise<{ readonly judged: number }> {
  let judged = 0;
  for (const { id, accountId } of await listUnjudgedObjectives(db, limit)) {
    if (signal.aborted) break;
    const objective = await findObjective(db, accountId, id);
    const set = objective && (await findOutputCaseSet(db, accountId, objective.outputCaseSetId));
    // It has been purged since.
    if (objective === undefined || set === undefined) continue;
    const found = await findNearestCase(db, accountId, objective, { projectId: objective.projectId, set });
    const nearest = { ...found, ...(await judgeAllInverses(db, accountId, objective)) };
    if (await storeNearest(db, id, nearest)) judged += 1;
  }
  return { judged };
}

async function judgeAllInverses(db: Db, accountId: number, objective: Objective): Promise<NearestIteration> {
  const measure = makeMissMeasure(objective);
  let known: NearestIteration = { nearestIteration: null, judgedThrough: 0 };
  let holder: Parameters<typeof judgeIterations>[2] = [];
  let after: number | null = null;
  do {
    const page = await listInverses(db, accountId, objective.id, { limit: INVERSES_PER_READ, after });
    // Its output may arrive between two pages: neither it nor a later one counts as judged.
    const openAt = page.items.findIndex(({ status, output }) => status === InverseStatus.active && output === null);
    const runs = [...holder, ...(openAt < 0 ? page.items : page.items.slice(0, openAt))];
    known = judgeIterations(measure, known, runs);
    holder = runs.filter(({ iteration }) => iteration === known.nearestIteration);
    after = openAt < 0 ? page.nextAfter : null;
  } while (after !== null);
  return known;
}
