/** All objectives of an account at a glance, without their inverses. */
import { findObjectives } from '../db/objectives.ts';
import {
  listNewestObjectives,
  listUnjudgedRunsOf,
  type ObjectiveSurroundings,
  readSurroundings,
} from '../db/overview.ts';
import type { Db } from '../db/transaction.ts';
import { makeVerdict } from '../domain/acceptance.ts';
import { awaitsOutput, type Inverse, type InverseStatus, isBeingComputed } from '../domain/inverse.ts';
import { findNearestRun } from '../domain/nearest.ts';
import type { Objective } from '../domain/objective.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { StopReason } from '../domain/stop-reason.ts';
import { rowsPerRead } from './read-objectives.ts';

/** What an objective waits for: a worker, the client's output, or nothing. */
type AwaitedThing = 'suggestion' | 'output' | null;

export interface ObjectiveGlance {
  readonly objective: Objective;
  readonly surroundings: ObjectiveSurroundings;
  /** Outputs of the nearest run that meet their objectives; null while nothing has been judged. */
  readonly metCount: number | null;
  readonly waitsFor: AwaitedThing;
  readonly hasDiagnosis: boolean;
}

/** Objectives read first, before it is known how large they are. */
const FIRST_BATCH = 8;

/** Newest first; of one stop reason unless that is null. They are read while they are written. */
export async function listAllObjectives(
  db: Db,
  accountId: number,
  stopReason: StopReason | null,
  request: PageRequest,
): Promise<Pick<Page<never>, 'nextAfter'> & { readonly batches: AsyncIterable<readonly ObjectiveGlance[]> }> {
  const { items, nextAfter } = await listNewestObjectives(db, accountId, stopReason, request);
  return { nextAfter, batches: readGlances(db, accountId, items) };
}

async function* readGlances(
  db: Db,
  accountId: number,
  ids: readonly number[],
): AsyncGenerator<readonly ObjectiveGlance[], void> {
  let size = FIRST_BATCH;
  for (let from = 0; from < ids.length; ) {
    const some = ids.slice(from, from + size);
    const objectives = await findObjectives(db, accountId, some);
    const surroundings = await readSurroundings(db, some);
    const runs = Map.groupBy(await listUnjudgedRunsOf(db, some), ({ objectiveId }) => objectiveId);
    // Newest first; one that was purged meanwhile is left out.
    yield objectives.toReversed().flatMap((objective) => {
      const around = surroundings.get(objective.id);
      return around === undefined ? [] : [glanceAt(objective, around, runs.get(objective.id) ?? [])];
    });
    from += size;
    const numbers = objectives.map(
      ({ objectives: targets, initialInput }) => 6 * targets.length + 3 * initialInput.length,
    );
    size = rowsPerRead(Math.max(1, ...numbers));
  }
}

function glanceAt(
  objective: Objective,
  surroundings: ObjectiveSurroundings,
  runs: Parameters<typeof findNearestRun>[1],
): ObjectiveGlance {
  const best = findNearestRun(objective, runs);
  return {
    objective,
    surroundings,
    metCount: best && makeVerdict(objective)(best.output).filter(Boolean).length,
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
