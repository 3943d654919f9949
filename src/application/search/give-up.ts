import type { Db, Trx } from '../../db/connection/transaction.ts';
import { type LedgerChange, NOT_RUN } from '../../db/search/ledger-changes.ts';
import type { SearchAt } from '../../db/search/search-ledger.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Inverse, InverseStatus } from '../../domain/search/inverse.ts';
import { goesOn } from '../../domain/search/opening.ts';
import { after } from '../../domain/search/standing.ts';
import { isFinal } from '../../domain/search/stop-reason.ts';
import type { InversePath } from '../paths.ts';
import { type InverseView, viewOf } from '../views.ts';
import { answer, changeOf, changeSearch, getSearchAt, standingIn, termsOf } from './change-search.ts';

/**
 * Gives up one open inverse, whose input will not be run, or while it is being computed; those that were asked for behind it are
 * computed all the same. The objective goes on unless this was the last of all attempts. An inverse that is stopped already is
 * returned as it is. Joins the transaction when `db` is one. Events: inverse.stopped for one that had been handed out, and
 * objective.exhausted.
 *
 * Throws NOT_FOUND; NO_OPEN_ITERATION when it is completed.
 */
export async function giveUpInverse(db: Db | Trx, accountId: number, path: InversePath): Promise<InverseView> {
  const read = (handle: Db | Trx) => getSearchAt(handle, accountId, path);
  return changeSearch(db, accountId, read, (found) => {
    const { objective, inverse, open } = found;
    const own = open.find(({ id }) => id === inverse.id);
    const outcome = own && after(termsOf(objective), standingIn(found), { kind: 'given-up', id: inverse.id });
    if (outcome === undefined) {
      refuseCompleted(inverse);
      return answer(viewOf(objective, inverse));
    }
    const stopped = own!.isSuggested ? [{ name: 'inverse.stopped', resourceId: inverse.id } as const] : [];
    const change: LedgerChange = {
      ...changeOf(found, outcome, stopped),
      closed: {
        ...NOT_RUN,
        inverseId: inverse.id,
        status: outcome.status!,
        isStopped: true,
        isExhausted: outcome.isExhausting,
        isNumbered: true,
      },
      ...(!own!.isSuggested && goOnBehind(found, inverse.id, isFinal(outcome.standing.stopReason))),
    };
    return { kind: 'change', change, toResult: (stored) => viewOf(stored.objective, stored.inverse!) };
  });
}

/** Goes on when the job of a search ends without an input: inverses that were asked for behind it, if any, are computed. */
export function goOnBehind(
  { objective, open, job }: Pick<SearchAt, 'objective' | 'open' | 'job'>,
  inverseId: number,
  isEnd: boolean,
  askers: readonly string[] = job?.askers ?? [],
): Pick<LedgerChange, 'job' | 'opened' | 'finished'> {
  const [askedBy, ...others] = askers;
  const rest = open.filter(({ id }) => id !== inverseId);
  const finished = inverseId;
  if (askedBy === undefined || isEnd || !goesOn(objective, rest)) return { job: { kind: 'ended' }, finished };
  return { job: { kind: 'restarted', askers: others }, opened: { askedBy }, finished };
}

function refuseCompleted({ iteration, status, output }: Inverse): void {
  if (status === InverseStatus.stopped) return;
  const message = `Run ${iteration} is not open: it is ${output === null ? status : 'completed'}. Only a run that waits for its output can be given up.`;
  throw new DomainError('NO_OPEN_ITERATION', message);
}
