/** Cells of a workbook as rows of a draft, and where their faults stand. */
import { expect, it } from 'vitest';
import { takeCell, withoutCell, withoutWorkbook } from '../../src/dashboard/views/new-problem/cells.ts';
import { type Draft, emptyDraft } from '../../src/dashboard/views/new-problem/draft.ts';
import { placeViolations } from '../../src/dashboard/views/new-problem/pointers.ts';
import { faultsIn } from '../../src/dashboard/views/new-problem/requests.ts';

const HEIGHT = { cell: 'S!B1', name: 'height', label: 'Height' };
const chosen = (): Draft => ({ ...emptyDraft('d'), name: 'Beam', workbook: { id: 7, name: 'beam.xlsx' } });
const taken = (draft: Draft, side: 'inputs' | 'outputs', cell: Parameters<typeof takeCell>[2]): Draft => ({
  ...draft,
  ...takeCell(draft, side, cell),
});

it('a chosen cell takes the place of empty rows, by its name, else its label, else itself', () => {
  let draft = taken(chosen(), 'inputs', HEIGHT);
  draft = taken(draft, 'inputs', { cell: 'S!B2', name: null, label: 'Width' });
  draft = taken(draft, 'inputs', { cell: 'S!B3', name: null, label: null });
  draft = taken(draft, 'outputs', { cell: 'S!B4', name: null, label: 'Sag' });
  expect(draft.inputs.map(({ name, cell }) => [name, cell])).toEqual([
    ['height', 'S!B1'],
    ['Width', 'S!B2'],
    ['S!B3', 'S!B3'],
  ]);
  expect(draft.outputs.map(({ name, cell }) => [name, cell])).toEqual([['Sag', 'S!B4']]);
});

it('names are made such that the service takes them: unlike, in one line, not too long', () => {
  let draft = taken(chosen(), 'inputs', HEIGHT);
  draft = taken(draft, 'inputs', { cell: 'S!C1', name: null, label: 'height' });
  draft = taken(draft, 'inputs', { cell: 'S!D1', name: null, label: `a\u202eb\n${'😀'.repeat(70)}` });
  expect(draft.inputs.map(({ name }) => name)).toEqual(['height', 'height S!C1', '😀'.repeat(64)]);
});

it('a cell is taken back, and with the workbook all of its rows', () => {
  const draft = taken(taken(chosen(), 'inputs', HEIGHT), 'outputs', { cell: 'S!B4', name: null, label: 'Sag' });
  expect({ ...draft, ...withoutCell(draft, 'inputs', 'S!B1') }.inputs).toEqual([]);
  const without = { ...draft, ...withoutWorkbook(draft) };
  expect(without.workbook).toBeNull();
  expect(without.inputs).toHaveLength(2);
  expect([...without.inputs, ...without.outputs].every(({ cell, name }) => cell === '' && name === '')).toBe(true);
});

it('a row without a cell is told beside a workbook, and so are two equal names', () => {
  const draft = taken(chosen(), 'inputs', HEIGHT);
  expect(faultsIn(draft, 'inputs')).toMatchObject({
    'outputs/0/name': 'Has no cell: choose it in the workbook, or remove this row.',
  });
  const twice = {
    ...emptyDraft('d'),
    name: 'Beam',
    inputs: emptyDraft('d').inputs.map((row) => ({ ...row, name: 'a' })),
  };
  expect(faultsIn(twice, 'inputs')).toMatchObject({ 'inputs/1/name': 'a is the name of input 1.' });
  const onInput = { ...twice, outputs: emptyDraft('d').outputs.map((row) => ({ ...row, name: 'a' })) };
  expect(faultsIn(onInput, 'inputs')).toMatchObject({
    'outputs/0/name': 'a is input 1. Limit an input by its bounds, or give the output another name.',
  });
});

it('what the service finds in a batch stands where the form has it', () => {
  const found = placeViolations(chosen(), 'batch', [
    { property: '', pointer: '/evaluator/inputs/1', message: 'S!B3 holds the formula =1.' },
    { property: '', pointer: '/evaluator/workbookId', message: 'the account has no workbook 7.' },
    { property: '', pointer: '/objectives/0/maximumAttempts', message: 'must be at least 1.' },
    { property: '', pointer: '/objectives/0/objectives/0', message: 'must be a number.' },
  ]);
  expect(Object.keys(found)).toEqual(['inputs/1/name', 'workbook', 'maximumAttempts', 'outputs/0/target']);
});
