/** Why an objective was stopped, as stored. The words for it are in end-reason.ts. */
import type { Proposal } from '../../optimizer/problem.ts';

/** Why an objective was stopped, in a word. */
export const ENDING_KINDS = [
  'by-hand',
  'continued',
  'batch',
  'not-computed',
  'until',
  'space-used-up',
  'duplicate',
  'no-improvement-expected',
  'no-further-solution',
  'standstill',
] as const;
type EndingKind = (typeof ENDING_KINDS)[number];

/** As stored with an objective that was stopped. */
export type Ending =
  | { readonly kind: Exclude<EndingKind, 'standstill'> }
  | {
      readonly kind: 'standstill';
      /** Suggested inputs since the last improvement. */
      readonly quiet: number;
      /** The largest improvement that the models expect, a share; null when they were not asked. */
      readonly expectedGain: number | null;
    };

/** Of an objective that stops because nothing is left to suggest; null when it ends satisfied or for another reason. */
export function endingOf(proposal: Proposal): Ending | null {
  if (proposal.kind === 'candidate') return null;
  const { reason, standstill } = proposal;
  if (reason === 'reached' || reason === 'robust') return null;
  return reason === 'standstill' ? { kind: reason, ...standstill! } : { kind: reason };
}
