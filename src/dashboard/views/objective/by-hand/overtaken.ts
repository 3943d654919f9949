/** Outputs typed for a run that is no longer open. Needs no browser. */
import { type Columns, stateOf, vectorAt } from '../../../../presentation/columns.ts';
import { readOutputs } from '../corrections/read-outputs.ts';
import type { Typed } from './typed.ts';

/** The run has since got a result or was given up. */
export interface Overtaken {
  readonly inverseId: number;
  readonly row: number;
  readonly texts: readonly string[];
  readonly kind: 'reported' | 'given up';
}

/**
 * In order of iteration; those that were stored just as they were typed are not among them.
 *
 * @param takesLate  whether inputs that were given up still take their outputs
 */
export function findOvertaken(
  columns: Columns,
  typed: Typed,
  { takesLate }: { readonly takesLate: boolean },
): readonly Overtaken[] {
  const found = [...typed].flatMap(([inverseId, texts]) => {
    const row = columns.inverseIds.indexOf(inverseId);
    const kind = row < 0 ? undefined : kindOf(columns, row);
    const isOpen = kind === undefined || (kind === 'given up' && takesLate);
    return isOpen || isStored(columns, row, texts) ? [] : [{ inverseId, row, texts, kind }];
  });
  return found.sort((a, b) => a.row - b.row);
}

function kindOf(columns: Columns, row: number): Overtaken['kind'] | undefined {
  const state = stateOf(columns, row);
  if (state === 'waiting' || state === 'computing') return undefined;
  return state === 'given up' ? 'given up' : 'reported';
}

/** Whether exactly these outputs are stored, as after a lost answer to a report. */
function isStored(columns: Columns, row: number, texts: readonly string[]): boolean {
  const { output } = readOutputs(texts);
  const stored = vectorAt(columns.outputs, row);
  return output !== undefined && stored !== undefined && output.every((value, j) => value === stored[j]);
}
