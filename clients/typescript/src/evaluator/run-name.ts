/** Names runs as the service and its page do. */
import type { RunKind } from './journal.ts';

/** A run that is over, or one in progress, which has no outcome. */
interface Numbered {
  readonly kind: RunKind;
  /** null for the start, also while it runs as a case. */
  readonly caseNumber: number | null;
  readonly iteration?: number | null | undefined;
  readonly outcome?: { readonly kind: 'output' | 'failure' };
}

/**
 * The number of the case or of the suggested run. null for a start without an output, and for suggested runs that the journal of an
 * earlier release or an older service leaves without a number.
 */
export function numberOf(run: Numbered): number | null {
  // A search begins with the output of its start as its run 1.
  if (isStart(run)) return run.outcome?.kind === 'output' ? 1 : null;
  return (run.kind === 'case' ? run.caseNumber : run.iteration) ?? null;
}

/** For example `case 3` or `run 17`; `of` follows where one number means several runs, such as `of an earlier search`. */
export function nameOf(run: Numbered, of = ''): string {
  const number = numberOf(run);
  if (isStart(run)) return number === null ? 'start' : `run ${number} (start)`;
  if (run.kind === 'case') return `case ${number}`;
  if (run.kind === 'verify') return 'verifying run';
  const name = number === null ? 'suggested run' : `run ${number}`;
  return of === '' ? name : `${name} ${of}`;
}

function isStart({ kind, caseNumber }: Numbered): boolean {
  return kind === 'start' || (kind === 'case' && caseNumber === null);
}
