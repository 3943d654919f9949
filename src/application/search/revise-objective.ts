/**
 * The verdicts of objectives whose runs were corrected, formed again from their inverses as they are now: the states, the optimal
 * inverse, and the event that follows.
 */

import { ConflictError, type Trx } from '../../db/connection/transaction.ts';
import { findProject } from '../../db/problem/projects.ts';
import { listInverses, storeRevisedStates } from '../../db/search/inverses.ts';
import { findObjective, type ObjectiveWithParents, updateObjective } from '../../db/search/objectives.ts';
import { readSearch } from '../../db/search/search-ledger.ts';
import { writeChange } from '../../db/search/write-search.ts';
import type { RunResult } from '../../domain/data/run-result.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Page } from '../../domain/page.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import { type LedgerRun, toLedgerRun } from '../../domain/search/ledger-run.ts';
import { questOf } from '../../domain/search/quest.ts';
import { type Formed, standingOf } from '../../domain/search/standing-of.ts';
import { isFinal, StopReason } from '../../domain/search/stop-reason.ts';
import { areEqualVectors } from '../../domain/vectors.ts';
import { revisionEvent } from '../../domain/webhooks/event.ts';
import type { AccountLimits } from '../accounts/account-limits.ts';
import { toOptimizerSpace } from '../problem/optimizer-space.ts';
import { changeOf, stoppedEvents, termsOf } from './change-search.ts';
import { refuseManyOpen } from './load-objectives.ts';

/** The account, and its limits on objectives that go on. */
interface RevisionContext {
  readonly accountId: number;
  readonly limits?: AccountLimits | undefined;
}

interface RevisedResult {
  /** Id of the inverse. */
  readonly id: number;
  readonly result: RunResult;
  /** no: a change of the verdict of an objective that has ended is refused. verdict: it is made. yes: a stopped one goes on, too. */
  readonly reopening: 'no' | 'verdict' | 'yes';
}

/**
 * Stores the states and the optimal inverse that follow from the inverses as they are now, with the events if there are any. The
 * caller holds the lock of the objective. Throws REOPENING_NEEDED, LIMIT_REACHED.
 */
export async function reviseObjective(
  trx: Trx,
  { accountId, limits }: RevisionContext,
  { id }: ObjectiveWithParents,
  revised: RevisedResult,
): Promise<void> {
  const search = (await readSearch(trx, accountId, id))!;
  const { objective } = search;
  const { form, isVerdictAffected } = await reviewInverses(trx, accountId, objective, revised);
  const revise = (mayReopen: boolean) => form({ mayReopen, isVerdictAffected });
  const formed =
    revised.reopening === 'yes'
      ? revise(true)
      : (revise(false) ?? (revised.reopening === 'no' ? undefined : revise(true)));
  if (formed === undefined) throw reopeningNeeded(objective, revised.id);
  const { standing, statuses, exhaustedId } = formed;
  const { stopReason } = standing;
  const event = revisionEvent(objective.stopReason, stopReason);
  if (event === 'objective.reopened') await refuseManyOpen(trx, accountId, limits?.openObjectives ?? 0);
  const givenUp = isFinal(stopReason) ? search.open.map(({ id: openId }) => openId) : [];
  const kept = new Map([...statuses].filter(([inverseId]) => !givenUp.includes(inverseId)));
  await storeRevisedStates(trx, id, { stopReason, statuses: kept, exhaustedId });
  // An objective of this kind was ended by all runs at the input, not by the best of them.
  const isHeld = !questOf(objective).endsWithRuns && stopReason === StopReason.satisfied;
  const ended = event === undefined ? [] : [{ name: event, resourceId: id }];
  const outcome = { standing, status: undefined, isHit: false, isExhausting: false, givenUp };
  const change = changeOf(search, outcome, []);
  const written = await writeChange(trx, accountId, search, {
    ...change,
    objective: { stopReason, ...(!isHeld && { optimalInverseId: standing.optimal?.id ?? null }) },
    events: [...stoppedEvents(search, givenUp), ...ended],
  });
  if (written.kind !== 'written') throw new ConflictError('the objective changed behind its lock');
}

/** Finds the optimal inverses of objectives again whose repeats followed a correction. Their states stay. */
export async function reviseOptima(trx: Trx, accountId: number, objectiveIds: Iterable<number>): Promise<void> {
  for (const id of objectiveIds) {
    const objective = (await findObjective(trx, accountId, id))!;
    const { form } = await reviewInverses(trx, accountId, objective);
    const { standing } = form({ mayReopen: true })!;
    await updateObjective(trx, id, { optimalInverseId: standing.optimal?.id ?? null });
  }
}

function describeVerdict(objective: ObjectiveWithParents): string {
  const { id, stopReason } = objective;
  if (!questOf(objective).endsWithRuns) {
    return `The objective ${id} is satisfied, and its verdict rests on all runs at this input`;
  }
  return stopReason === StopReason.satisfied
    ? `The objective ${id} is satisfied, and with this correction no run satisfies it any more`
    : `The objective ${id} has ended without success, and with this correction a run satisfies it`;
}

function reopeningNeeded(objective: ObjectiveWithParents, inverseId: number): DomainError {
  const message = `${describeVerdict(objective)}. Nothing was stored; to change the verdict, send the correction with reopen: true.`;
  return new DomainError('REOPENING_NEEDED', message, { inverse: { objectiveId: objective.id, inverseId } });
}

/** Inverses read at a time. */
const INVERSES_PER_READ = 200;

/** Reads all inverses of an objective, with the new result of one of them if it is given, for what they lead to. */
async function reviewInverses(
  trx: Trx,
  accountId: number,
  objective: ObjectiveWithParents,
  revised?: RevisedResult,
): Promise<{
  readonly form: (options: { mayReopen?: boolean; isVerdictAffected?: boolean }) => Formed | undefined;
  /** See reviseStates. */
  readonly isVerdictAffected: boolean;
}> {
  const project = (await findProject(trx, accountId, objective.projectId))!;
  const runs: LedgerRun[] = [];
  let after: number | null = null;
  let held: readonly number[] | null = null;
  let changed: readonly number[] | null = null;
  do {
    const page: Page<Inverse> = await listInverses(trx, accountId, objective.id, { limit: INVERSES_PER_READ, after });
    for (const inverse of page.items) {
      if (inverse.id === objective.optimalInverseId) held = inverse.input;
      if (inverse.id === revised?.id) changed = inverse.input;
      runs.push(toLedgerRun(project, objective, inverse, revised?.id === inverse.id ? revised.result : undefined));
    }
    after = page.nextAfter;
  } while (after !== null);
  const terms = { ...termsOf(objective), variables: toOptimizerSpace(project, objective).variables };
  const isVerdictAffected =
    !terms.quest.endsWithRuns &&
    objective.stopReason === StopReason.satisfied &&
    held !== null &&
    changed !== null &&
    areEqualVectors(held, changed);
  return { form: (options) => standingOf(terms, objective, runs, options), isVerdictAffected };
}
