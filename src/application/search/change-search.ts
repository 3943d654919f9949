/**
 * Stores everything that happens to a search: reads its ledger, decides, and writes if nothing has changed since. After
 * two lost races the act runs under the objective's lock.
 */

import { ConflictError, type Db, inTransaction, type Trx } from '../../db/connection/transaction.ts';
import { findProject } from '../../db/problem/projects.ts';
import { listCompletedOutputs, listSolutionInputs } from '../../db/search/inverses.ts';
import type { LedgerChange, ObjectiveFields } from '../../db/search/ledger-changes.ts';
import { lockObjective, type ObjectiveWithParents } from '../../db/search/objectives.ts';
import { readSearch, readSearchAt, type Search, type SearchAt } from '../../db/search/search-ledger.ts';
import { type Written, writeChange } from '../../db/search/write-search.ts';
import type { Objective } from '../../domain/search/objective.ts';
import { isAdmissible } from '../../domain/search/objective-limits.ts';
import { questOf } from '../../domain/search/quest.ts';
import type { Outcome, Standing, Terms } from '../../domain/search/standing.ts';
import { isFinal } from '../../domain/search/stop-reason.ts';
import type { NewEvent } from '../../domain/webhooks/event.ts';
import { type InversePath, isUnder, missingInPath, type ObjectivePath, parentsOf } from '../paths.ts';
import { toOptimizerSpace } from '../problem/optimizer-space.ts';
import { withEnd } from '../record-event.ts';

/** Tries without the lock. */
const FREE_TRIES = 2;

type Stored = Extract<Written, { kind: 'written' }>;

/** Effect of an act on a search: a change and its consequences, or an answer without a change. */
export type Decision<Result> =
  | { readonly kind: 'answer'; readonly result: Result }
  | {
      readonly kind: 'change';
      readonly change: LedgerChange;
      readonly toResult: (stored: Stored) => Result;
      /** Called instead where nothing was stored since the account has no room for a new job. */
      readonly lacking?: (what: 'storage' | 'queue') => Promise<Result>;
    };

export function answer<Result>(result: Result): Decision<Result> {
  return { kind: 'answer', result };
}

/**
 * Joins the transaction when `db` is one. `decide` may read more on its handle: it counts only if nothing has changed when the
 * change is written. Throws what `read` and `decide` throw.
 */
export async function changeSearch<Found extends Search, Result>(
  db: Db | Trx,
  accountId: number,
  read: (db: Db | Trx) => Promise<Found>,
  decide: (search: Found, db: Db | Trx) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Result> {
  const attempt = async (handle: Db | Trx) => {
    const search = await read(handle);
    const decision = await decide(search, handle);
    if (decision.kind === 'answer') return decision;
    const written = await writeChange(handle, accountId, search, decision.change);
    if (written.kind === 'outdated') return { kind: 'outdated', objectiveId: search.objective.id } as const;
    const result = written.kind === 'written' ? decision.toResult(written) : await decision.lacking!(written.what);
    return { kind: 'answer', result } as const;
  };
  let objectiveId = 0;
  for (let tries = 0; tries < FREE_TRIES; tries++) {
    const outcome = await attempt(db);
    if (outcome.kind === 'answer') return outcome.result;
    objectiveId = outcome.objectiveId;
  }
  return inTransaction(db, async (trx) => {
    await lockObjective(trx, accountId, objectiveId);
    const outcome = await attempt(trx);
    if (outcome.kind === 'answer') return outcome.result;
    throw new ConflictError('the search changed behind the lock of its objective');
  });
}

/** The search of the path. Throws NOT_FOUND, also for a deleted objective. */
export async function getSearch(db: Db | Trx, accountId: number, path: ObjectivePath): Promise<Search> {
  const search = await readSearch(db, accountId, path.objectiveId);
  if (search !== undefined && isThere(search.objective, path)) return search;
  throw await missingInPath(db, accountId, path, { resource: 'objective', id: path.objectiveId });
}

/** The search of the path with the inverse that it names, or else the newest one. Throws NOT_FOUND, also for a deleted objective. */
export async function getSearchAt(
  db: Db | Trx,
  accountId: number,
  path: ObjectivePath | InversePath,
): Promise<SearchAt> {
  const found = await readSearchAt(db, accountId, path);
  if (found !== undefined && isThere(found.objective, path)) return found;
  const last =
    'inverseId' in path && (found === undefined || found.objective.disabledAt === null)
      ? { resource: 'inverse', id: path.inverseId }
      : { resource: 'objective', id: found?.objective.id ?? path.objectiveId! };
  throw await missingInPath(db, accountId, path, last);
}

/** Whether an objective is where a path says, and not deleted. */
export function isThere(objective: ObjectiveWithParents, path: ObjectivePath | InversePath): boolean {
  return objective.disabledAt === null && isUnder(path, { ...parentsOf(objective), objectiveId: objective.id });
}

/** The state of a search, as far as it is known without its runs: enough for everything but an output. */
export function standingIn({ objective, open, optimalOutput, nearestOutput }: Search): Standing {
  const { stopReason, attemptCount, maximumAttempts, optimalInverseId, nearestIteration, judgedThrough } = objective;
  const nearest =
    nearestIteration === null || nearestOutput === null ? null : { iteration: nearestIteration, output: nearestOutput };
  return {
    stopReason,
    attemptCount,
    maximumAttempts,
    open: open.map(({ id }) => id),
    optimal:
      optimalInverseId === null || optimalOutput === null ? null : { id: optimalInverseId, output: optimalOutput },
    nearest: judgedThrough === null ? undefined : nearest,
    hits: [],
    candidates: [],
  };
}

export function termsOf(objective: ObjectiveWithParents): Terms {
  return { quest: questOf(objective), definition: objective, variables: [] };
}

/** The same with the runs that an output is judged beside. */
export async function readStanding(
  db: Db | Trx,
  accountId: number,
  search: Search,
): Promise<{ readonly terms: Terms; readonly standing: Standing }> {
  const { objective } = search;
  const [terms, standing] = [termsOf(objective), standingIn(search)];
  const { apart, comparesAllRuns } = terms.quest;
  if (apart === null && !comparesAllRuns) return { terms, standing };
  const project = (await findProject(db, accountId, objective.projectId))!;
  if (apart !== null) {
    const { variables } = toOptimizerSpace(project, objective);
    return {
      terms: { ...terms, variables },
      standing: { ...standing, hits: await listSolutionInputs(db, objective.id) },
    };
  }
  const mayBeFirst = isAdmissible(project, objective, objective.initialInput);
  const outputs = await listCompletedOutputs(db, objective.id);
  return {
    terms,
    standing: { ...standing, candidates: outputs.filter(({ iteration }) => mayBeFirst || iteration > 1) },
  };
}

/**
 * Change of the ledger that follows from an outcome, besides that of the inverse that it is about. @param happened events of the act itself
 */
export function changeOf(search: Search, outcome: Outcome, happened: readonly NewEvent[]): LedgerChange {
  const { objective, open } = search;
  const { standing, givenUp } = outcome;
  const isEnd = isFinal(standing.stopReason) && !isFinal(objective.stopReason);
  const computing = open.find(({ id, isSuggested }) => !isSuggested && givenUp.includes(id));
  const events = [...happened, ...stoppedEvents(search, givenUp)];
  return {
    givenUp,
    ...(computing !== undefined && { job: { kind: 'ended' }, finished: computing.id }),
    objective: fieldsOf(objective, standing),
    events: isEnd ? withEnd(events, { id: objective.id, stopReason: standing.stopReason }) : events,
  };
}

/** For each of these open inverses that had been handed out. */
export function stoppedEvents({ open }: Search, givenUp: readonly number[]): readonly NewEvent[] {
  return open.flatMap(({ id, isSuggested }) =>
    isSuggested && givenUp.includes(id) ? [{ name: 'inverse.stopped', resourceId: id } as const] : [],
  );
}

function fieldsOf(objective: ObjectiveWithParents, { stopReason, optimal, nearest }: Standing): ObjectiveFields {
  return {
    ...(stopReason !== objective.stopReason && { stopReason }),
    ...(optimal !== null && optimal.id !== objective.optimalInverseId && { optimalInverseId: optimal.id }),
    ...(nearest != null && nearest.iteration !== objective.nearestIteration && { nearestIteration: nearest.iteration }),
  };
}

/** Events of hits, for objectives that report them one by one. */
export function solutionEvents(objective: Objective, isHit: boolean): readonly NewEvent[] {
  const isTold = isHit && questOf(objective).kind === 'several';
  return isTold ? [{ name: 'objective.solution_found', resourceId: objective.id }] : [];
}
