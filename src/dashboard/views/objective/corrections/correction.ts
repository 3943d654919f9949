/** The correction of a wrong result. Needs no browser. */
import type { NewInverseCorrection } from '../../../../../clients/typescript/src/index.ts';
import { readOutputs } from './read-outputs.ts';

export type CorrectionKind = 'output' | 'failed' | 'exclude' | 'include';

/** Labels of the kinds of corrections. */
export const KINDS: Readonly<Record<CorrectionKind, string>> = {
  output: 'The output was different',
  failed: 'The run failed: there is no output',
  exclude: 'Leave it out: it stays in the table, but the search ignores it',
  include: 'Count it again',
};

/** Those that make sense for a run. Run 1 starts the search and needs an output, so it cannot be marked as failed. */
export function kindsOf(target: {
  readonly isCase: boolean;
  readonly number: number;
  readonly isExcluded: boolean;
}): readonly CorrectionKind[] {
  const mayFail = target.isCase || target.number !== 1;
  return ['output', ...(mayFail ? (['failed'] as const) : []), target.isExcluded ? 'include' : 'exclude'];
}

export interface CorrectionDraft {
  readonly kind: CorrectionKind;
  /** One per output. */
  readonly texts: readonly string[];
  /** Reason for the failure of the run; empty if unknown. */
  readonly failure: string;
  /** The reason for the correction. */
  readonly reason: string;
  readonly reopens: boolean;
}

export interface CorrectionRead {
  /** undefined where there are faults. */
  readonly body: NewInverseCorrection | undefined;
  readonly outputFaults: ReadonlyMap<number, string>;
  readonly reasonFault: string | undefined;
}

export function readCorrection({ kind, texts, failure, reason, reopens }: CorrectionDraft): CorrectionRead {
  const reasonFault = reason.trim() === '' ? 'Enter a reason: the log of corrections keeps it.' : undefined;
  const read = kind === 'output' ? readOutputs(texts) : undefined;
  const outputFaults = read?.faults ?? new Map<number, string>();
  if (reasonFault !== undefined || outputFaults.size > 0) return { body: undefined, outputFaults, reasonFault };
  const failureReason = failure.trim();
  const change: Omit<NewInverseCorrection, 'reason'> = {
    output: { output: read?.output },
    failed: { failed: true as const, ...(failureReason !== '' && { failureReason }) },
    exclude: { excluded: true },
    include: { excluded: false },
  }[kind];
  const body = { ...change, reason: reason.trim(), ...(reopens && { reopen: true }) };
  return { body, outputFaults, reasonFault };
}
