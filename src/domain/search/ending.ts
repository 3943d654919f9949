/** Stored reasons why an objective was stopped. The words for it are in end-reason.ts. */
import type { Proposal } from '../../optimizer/interface/problem.ts';
import { StopReason } from './stop-reason.ts';

/** Kinds of reasons why an objective was stopped. */
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
  'out-of-reach',
  'fitted',
] as const;
type EndingKind = (typeof ENDING_KINDS)[number];

/** Ends by evidence: the search judges that more runs would gain nothing. */
type EvidenceKind = 'standstill' | 'out-of-reach' | 'fitted';

/** As stored with an objective that was stopped. */
export type Ending =
  | { readonly kind: Exclude<EndingKind, EvidenceKind> }
  | {
      readonly kind: EvidenceKind;
      /** Suggested inputs since the last improvement. */
      readonly quiet: number;
      /** The largest improvement that the models expect, a share or, of a fit, in chi-square; null when they were not asked. */
      readonly expectedGain: number | null;
    };

/** Ending of an objective that stops because nothing is left to suggest; null when it ends satisfied or for another reason. */
export function endingOf(proposal: Proposal): Ending | null {
  if (proposal.kind === 'candidate') return null;
  const { reason, standstill } = proposal;
  if (reason === 'reached' || reason === 'robust') return null;
  const isByEvidence = reason === 'standstill' || reason === 'out-of-reach' || reason === 'fitted';
  return isByEvidence ? { kind: reason, ...standstill! } : { kind: reason };
}

/** Ends after which the same search may go on, because more runs or another stop rule change what ended it. */
const RESUMABLE: readonly EndingKind[] = [
  'standstill',
  'out-of-reach',
  'no-improvement-expected',
  'no-further-solution',
  'until',
];

/** Whether an objective that has ended may run on with a larger budget or another stop rule: a fit may, to be found more exactly. */
export function isResumable({ stopReason, ended }: { readonly stopReason: StopReason; readonly ended: Ending | null }) {
  if (stopReason === StopReason.exhausted) return true;
  if (stopReason === StopReason.satisfied) return ended?.kind === 'fitted';
  return stopReason === StopReason.stopped && ended !== null && RESUMABLE.includes(ended.kind);
}
