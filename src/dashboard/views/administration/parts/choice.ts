/** The state of the administration view, as in the query of its address. Needs no browser. */

export const SECTIONS = { keys: 'Keys', webhooks: 'Webhooks', evaluators: 'Evaluators', batches: 'Batches' } as const;
export type Section = keyof typeof SECTIONS;

export const BATCH_STATUSES = {
  'evaluating-cases': 'Evaluating cases',
  solving: 'Solving',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const;
export type BatchStatus = keyof typeof BATCH_STATUSES;

export interface Choice {
  readonly show: Section;
  /** Only batches with this status; undefined: all. */
  readonly status: BatchStatus | undefined;
  /** The batch or the webhook whose details are open. */
  readonly open: number | undefined;
}

export interface SectionProps {
  readonly choice: Choice;
}

export function readChoice(query: URLSearchParams, fallback: Section): Choice {
  const show = query.get('show') ?? '';
  const status = query.get('status') ?? '';
  const open = Number(query.get('open') ?? Number.NaN);
  return {
    show: Object.hasOwn(SECTIONS, show) ? (show as Section) : fallback,
    status: Object.hasOwn(BATCH_STATUSES, status) ? (status as BatchStatus) : undefined,
    open: Number.isSafeInteger(open) && open > 0 ? open : undefined,
  };
}

export function addressOf({ show, status, open }: Pick<Choice, 'show'> & Partial<Choice>): string {
  const query = new URLSearchParams({ show });
  if (status !== undefined) query.set('status', status);
  if (open !== undefined) query.set('open', String(open));
  return `/page/administration?${query}`;
}
