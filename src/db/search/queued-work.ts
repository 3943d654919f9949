/** Whether there is anything left for workers. */
import { sql } from 'kysely';
import type { Db } from '../connection/transaction.ts';

/**
 * Whether a suggestion is to be computed, an evaluation to be posted to its evaluator, or an event is due; what pauses before
 * another try counts, except events, which may pause for hours. What an http evaluator has accepted and reports later does not.
 */
export async function hasQueuedWork(db: Db): Promise<boolean> {
  const { rows } = await sql<{ isQueued: boolean }>`
    select exists (select from suggestion_jobs)
      or exists (
        select from batches b
        where b.status in ('evaluating-cases', 'solving') and not b.is_paused and b.evaluator->>'kind' <> 'pull' and exists (
          select from evaluations e where e.batch_id = b.id and e.state in ('waiting', 'leased')
            and (e.state = 'waiting' or e.visible_at <= now())))
      or exists (
        select from webhooks w where w.enabled and exists (
          select from webhook_deliveries d
          where d.webhook_id = w.id and d.state in ('waiting', 'leased') and d.visible_at <= now())) as "isQueued"`.execute(
    db,
  );
  return rows[0]!.isQueued;
}
