/** The cells of a workbook as rows of the draft. Needs no browser. */
import { type Draft, newInput, newOutput, nextKey, withInputs, withOutputs } from './draft.ts';

type Side = 'inputs' | 'outputs';

interface Named {
  readonly cell: string;
  readonly name: string | null;
  readonly label: string | null;
}

/** Limit of the names in the form. */
const LONGEST_NAME = 64;

/** The draft with a row for the cell, named as the workbook calls it. Rows without anything in them make room. */
export function takeCell(draft: Draft, side: Side, { cell, name, label }: Named): Partial<Draft> {
  const called = plain(name ?? label ?? cell);
  const taken = new Set(draft[side].map((row) => row.name));
  const own = { name: taken.has(called) ? plain(`${called} ${cell}`) : called, cell };
  if (side === 'inputs') {
    const kept = draft.inputs.filter((row) => row.cell !== '' || `${row.name}${row.minimum}${row.maximum}` !== '');
    return withInputs(draft, [...kept, newInput(nextKey(draft.inputs), own)]);
  }
  const kept = draft.outputs.filter((row) => row.cell !== '' || `${row.name}${row.target}` !== '');
  return withOutputs(draft, [...kept, newOutput(nextKey(draft.outputs), own)]);
}

/** Makes a valid name: one line without control characters. */
function plain(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return [...line].slice(-LONGEST_NAME).join('');
}

export function withoutCell(draft: Draft, side: Side, cell: string): Partial<Draft> {
  return side === 'inputs'
    ? withInputs(
        draft,
        draft.inputs.filter((row) => row.cell !== cell),
      )
    : withOutputs(
        draft,
        draft.outputs.filter((row) => row.cell !== cell),
      );
}

/** Without the rows that the workbook has brought. */
export function withoutWorkbook(draft: Draft): Partial<Draft> {
  const inputs = draft.inputs.filter(({ cell }) => cell === '');
  const outputs = draft.outputs.filter(({ cell }) => cell === '');
  return {
    workbook: null,
    ...withInputs(draft, inputs.length === 0 ? [newInput(1), newInput(2)] : inputs),
    ...withOutputs(draft, outputs.length === 0 ? [newOutput(1)] : outputs),
  };
}
