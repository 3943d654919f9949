/** All objectives of an account at a glance, without their inverses. */

import type { Db } from '../../db/connection/transaction.ts';
import { findProjects } from '../../db/problem/projects.ts';
import { readArrangedStamp } from '../../db/search/arranged-objectives.ts';
import { findObjectives } from '../../db/search/objectives.ts';
import {
  countObjectives,
  listOutputsAt,
  type ObjectiveSurroundings,
  type OverviewKey,
  type OverviewStamp,
  readOverviewStamps,
  readSurroundings,
  searchObjectives,
} from '../../db/search/overview.ts';
import { makeVerdict } from '../../domain/search/acceptance.ts';
import type { Answer } from '../../domain/search/answer.ts';
import { awaitsOutput, type Inverse, type InverseStatus, isBeingComputed } from '../../domain/search/inverse.ts';
import { makeMissMeasure, type WorstOutput, worstOutputOf } from '../../domain/search/nearest.ts';
import { type Objective, outputsWithoutTarget } from '../../domain/search/objective.ts';
import { isAdmissible } from '../../domain/search/objective-limits.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { chooseIterations, makeTrend, type Trend } from '../../domain/search/trend.ts';
import { readAnswers } from './read-answers.ts';
import { rowsPerRead } from './read-objectives.ts';

export { type Arrangement, type OverviewStamp, SORTS } from '../../db/search/overview.ts';

/** The thing that an objective waits for: a worker, the client's output, or nothing. */
type AwaitedThing = 'suggestion' | 'output' | null;

export interface ObjectiveGlance {
  readonly objective: Objective;
  readonly surroundings: ObjectiveSurroundings;
  /** Outputs of the answer that meet their objectives; null while nothing has been judged. */
  readonly metCount: number | null;
  /** Number of outputs that a run can meet by themselves: all but those of a fit, which count together. */
  readonly limitCount: number;
  /** Number of these without a target. */
  readonly openCount: number;
  /** Number of these that the answer meets; null while nothing has been judged. */
  readonly limitsMet: number | null;
  /** Misfit of the answer; null without a fit. */
  readonly misfit: number | null;
  /** Largest miss of an output of the answer; null while nothing has been judged. */
  readonly worstMiss: number | null;
  /** null as well when it meets everything. */
  readonly worstOutput: WorstOutput | null;
  /** null if not asked for, or while nothing has been judged. */
  readonly trend: Trend | null;
  readonly waitsFor: AwaitedThing;
  readonly hasDiagnosis: boolean;
  /** Objectives of its project on all pages of an arranged list; null in others. */
  readonly inProject: number | null;
}

/** Objectives read first, before it is known how large they are. */
const FIRST_BATCH = 8;

/** The current stamp; with search words, only of the matching objectives. */
export async function getOverviewStamp(db: Db, key: OverviewKey, search = ''): Promise<OverviewStamp> {
  const { arrangement } = key;
  if (arrangement !== undefined) return readArrangedStamp(db, { ...key, arrangement });
  const words = wordsOf(search);
  return words.length === 0 ? (await readOverviewStamps(db, [key]))[0]! : searchObjectives(db, key, words);
}

/** Different words of a search. */
export function wordsOf(search: string): readonly string[] {
  return [...new Set(search.split(/\s+/))].filter((word) => word !== '');
}

/** Number of objectives of a list on all its pages; null for a search that is not arranged, which does not look at all of them. */
export async function countListed(
  db: Db,
  key: OverviewKey,
  { arranged }: OverviewStamp,
  search = '',
): Promise<number | null> {
  if (arranged !== undefined) return arranged.total;
  return search.trim() === '' ? countObjectives(db, key) : null;
}

/**
 * The objectives of a stamp, newest first, read while they are written.
 *
 * @param trendPoints  points of the trends; 0 for none
 */
export async function* listGlances(
  db: Db,
  accountId: number,
  stamp: OverviewStamp,
  trendPoints: number,
): AsyncGenerator<readonly ObjectiveGlance[], void> {
  yield* readGlances(db, accountId, stamp, await readSurroundings(db, stamp.items), trendPoints);
}

async function* readGlances(
  db: Db,
  accountId: number,
  { items: ids, arranged }: OverviewStamp,
  surroundings: ReadonlyMap<number, ObjectiveSurroundings>,
  trendPoints: number,
): AsyncGenerator<readonly ObjectiveGlance[], void> {
  const inProjects = new Map(ids.map((id, i) => [id, arranged?.inProjects[i] ?? null]));
  let size = FIRST_BATCH;
  for (let from = 0; from < ids.length; ) {
    const some = ids.slice(from, from + size);
    const found = new Map((await findObjectives(db, accountId, some)).map((one) => [one.id, one]));
    // One that was purged meanwhile is left out.
    const objectives = some.flatMap((id) => found.get(id) ?? []);
    const answers = await readAnswers(db, objectives);
    const outputs =
      trendPoints === 0
        ? undefined
        : await readOutputs(db, accountId, { objectives, surroundings, points: trendPoints });
    yield objectives.flatMap((objective) => {
      const around = surroundings.get(objective.id);
      if (around === undefined) return [];
      const { answer, nearest } = answers.get(objective.id)!;
      const isKnown = outputs !== undefined && objective.judgedThrough !== null;
      const trend = isKnown ? makeTrend(objective, nearest, outputs.get(objective.id) ?? []) : null;
      return [{ ...glanceAt(objective, around, answer, trend), inProject: inProjects.get(objective.id) ?? null }];
    });
    from += size;
    const numbers = objectives.map(
      ({ objectives: targets, initialInput }) => (6 + trendPoints) * targets.length + 3 * initialInput.length,
    );
    size = rowsPerRead(Math.max(1, ...numbers));
  }
}

interface Looked {
  readonly objectives: readonly Objective[];
  readonly surroundings: ReadonlyMap<number, ObjectiveSurroundings>;
  readonly points: number;
}

/** The outputs of some runs of each objective that may be its answer, by its id. */
async function readOutputs(db: Db, accountId: number, { objectives, surroundings, points }: Looked) {
  const chosen = objectives.flatMap((objective) =>
    chooseIterations(objective, surroundings.get(objective.id)?.iteration ?? 1, points).map((iteration) => ({
      objectiveId: objective.id,
      iteration,
    })),
  );
  const outputs = Map.groupBy(await listOutputsAt(db, chosen), ({ objectiveId }) => objectiveId);
  // The nearest run may be the answer.
  const unsure = objectives.filter(
    ({ id, nearestIteration }) => nearestIteration !== 1 && outputs.get(id)?.[0]?.iteration === 1,
  );
  const projectIdOf = ({ id }: Objective) => surroundings.get(id)!.projectId;
  const projects = await findProjects(db, accountId, [...new Set(unsure.map(projectIdOf))]);
  for (const objective of unsure) {
    const project = projects.get(projectIdOf(objective));
    if (project === undefined || isAdmissible(project, objective, objective.initialInput)) continue;
    outputs.set(objective.id, outputs.get(objective.id)!.slice(1));
  }
  return outputs;
}

function glanceAt(
  objective: Objective,
  surroundings: ObjectiveSurroundings,
  answer: Answer | null,
  trend: Trend | null,
): Omit<ObjectiveGlance, 'inProject'> {
  const verdicts = answer && makeVerdict(objective)(answer.output);
  const limits = [...objective.objectives.keys()].filter((j) => objective.objectiveTypes[j] !== 'fit');
  return {
    objective,
    surroundings,
    trend,
    limitCount: limits.length,
    openCount: outputsWithoutTarget(objective).length,
    limitsMet: verdicts === null ? null : limits.filter((j) => verdicts[j]).length,
    misfit: answer && makeMissMeasure(objective).misfitOf(answer.output),
    worstMiss: answer && Math.max(...answer.misses),
    worstOutput: answer && worstOutputOf(objective, answer),
    metCount: verdicts?.filter(Boolean).length ?? null,
    waitsFor: objective.stopReason === StopReason.running ? awaitedOf(surroundings) : null,
    // A satisfying output refutes it.
    hasDiagnosis: surroundings.hasDiagnosis && objective.stopReason !== StopReason.satisfied,
  };
}

function awaitedOf({ status, hasInput, hasOutput }: ObjectiveSurroundings): AwaitedThing {
  const known = (isKnown: boolean) => (isKnown ? [] : null);
  const newest: Pick<Inverse, 'status' | 'input' | 'output'> = {
    status: status as InverseStatus,
    input: known(hasInput),
    output: known(hasOutput),
  };
  if (isBeingComputed(newest)) return 'suggestion';
  return awaitsOutput(newest) ? 'output' : null;
}
