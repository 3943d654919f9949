/** The correction of a wrong result. Needs no browser. */
import type { NewInverseCorrection } from '../../../../../clients/typescript/src/index.ts';
import { readOutputs } from '../by-hand/read-outputs.ts';

export type CorrectionKind = 'output' | 'failed' | 'exclude' | 'include';

export interface CorrectionDraft {
  readonly kind: CorrectionKind;
  /** One per output. */
  readonly texts: readonly string[];
  readonly failureReason: string;
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

export function readCorrection({ kind, texts, failureReason, reason, reopens }: CorrectionDraft): CorrectionRead {
  const reasonFault = reason.trim() === '' ? 'Enter a reason: the log of corrections keeps it.' : undefined;
  const read = kind === 'output' ? readOutputs(texts) : undefined;
  const outputFaults = read?.faults ?? new Map<number, string>();
  if (reasonFault !== undefined || outputFaults.size > 0) return { body: undefined, outputFaults, reasonFault };
  const failure = failureReason.trim();
  const change: Omit<NewInverseCorrection, 'reason'> = {
    output: { output: read?.output },
    failed: { failed: true as const, ...(failure !== '' && { failureReason: failure }) },
    exclude: { excluded: true },
    include: { excluded: false },
  }[kind];
  const body = { ...change, reason: reason.trim(), ...(reopens && { reopen: true }) };
  return { body, outputFaults, reasonFault };
}
