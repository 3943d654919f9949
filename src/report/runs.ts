/** The table of runs: all of them up to some hundred, then the best and the last. */
import { type Columns, factAt, STATE_TEXTS, stateOf } from '../presentation/columns.ts';
import { misfitTitle } from '../presentation/distance-data.ts';
import { isFit, worstFirst } from '../presentation/distances.ts';
import { grouped, short } from '../presentation/formats.ts';
import { inputLabel, inputText, outputLabel } from '../presentation/values.ts';
import { type Block, type Cell, type Column, heading, paragraph } from './document.ts';
import type { Subject } from './source.ts';

const MOST_RUNS = 500;
/** Number of the best runs and of the last ones that longer tables keep. */
const KEPT = 100;
/** Columns of values that fit on a page. */
const MOST_VALUES = 12;
const LEAST_OUTPUTS = 6;

export function runBlocks(subject: Subject): readonly Block[] {
  const { head, areOthersCut } = subject;
  const { columns } = subject.all;
  if (columns.count === 0) return [heading('Runs'), paragraph('There are no runs yet.')];
  const rows = chosenRows(subject);
  const { inputs, outputs } = chosenColumns(subject);
  const left = columns.count - rows.length;
  const isThinned = head.every > 1;
  const hidden = head.minimums.length + head.objectives.length - inputs.length - outputs.length;
  return [
    heading('Runs'),
    {
      kind: 'table',
      label: 'Runs',
      isDense: true,
      columns: [
        { title: 'Run' },
        ...inputs.map((i): Column => ({ title: inputLabel(head, i), isNumber: true })),
        ...outputs.map((j): Column => ({ title: outputLabel(head, j), isNumber: true })),
        { title: isFit(head) ? misfitTitle(head) : 'Worst miss', isNumber: true },
        { title: 'State' },
      ],
      rows: rows.map((row) => rowOfTable(subject, row, inputs, outputs)),
    },
    ...notesOf({ left, hidden, isThinned, every: head.every, areOthersCut }),
  ];
}

function notesOf(facts: {
  readonly left: number;
  readonly hidden: number;
  readonly isThinned: boolean;
  readonly every: number;
  readonly areOthersCut: boolean;
}): readonly Block[] {
  const { left, hidden, isThinned, every, areOthersCut } = facts;
  const said = [
    'An arrow says on which side of its target a value is.',
    ...(left > 0 ? [`The ${KEPT} best and the ${KEPT} last runs; ${grouped(left)} are left out.`] : []),
    ...(isThinned ? [`This report has one run in ${every}, because there are so many, and the best ones.`] : []),
    ...(areOthersCut ? ['The trial has further cases and runs of other objectives.'] : []),
    ...(hidden > 0 ? [`${grouped(hidden)} further inputs and outputs are left out.`] : []),
    ...(left > 0 || hidden > 0 || isThinned || areOthersCut ? ['The CSV file of the runs has everything.'] : []),
  ];
  return [paragraph(said.join(' '), 'hint')];
}

function chosenRows({ head, all: { columns, distances, best: answer } }: Subject): readonly number[] {
  const all = [...columns.iterations.keys()];
  if (all.length <= MOST_RUNS) return all;
  const values = isFit(head) ? columns.misfits : distances.worst;
  const best = all.filter((row) => !Number.isNaN(values[row]!) && columns.excluded[row] !== 1);
  best.sort((a, b) => values[a]! - values[b]! || distances.sum[a]! - distances.sum[b]! || a - b);
  return [...new Set([...best.slice(0, KEPT), ...all.slice(-KEPT), ...(answer < 0 ? [] : [answer])])].sort(
    (a, b) => a - b,
  );
}

/** As many as fit: the outputs that miss most, then inputs. The values of a fit are left out. */
function chosenColumns({ head }: Subject): { readonly inputs: readonly number[]; readonly outputs: readonly number[] } {
  const inputs = [...head.minimums.keys()];
  const outputs = worstFirst(head).filter((j) => head.objectiveTypes[j] !== 'fit');
  const outputRoom = Math.max(LEAST_OUTPUTS, MOST_VALUES - inputs.length);
  const shown = outputs.slice(0, outputRoom).sort((a, b) => a - b);
  return { inputs: inputs.slice(0, MOST_VALUES - shown.length), outputs: shown };
}

function rowOfTable(
  { head, all: { columns, distances, others, best } }: Subject,
  row: number,
  inputs: readonly number[],
  outputs: readonly number[],
): readonly Cell[] {
  const state = stateOf(columns, row);
  const measure = isFit(head) ? columns.misfits[row]! : distances.worst[row]!;
  const source = factAt(columns, 'sources', row);
  const look = state === 'failed' ? 'missed' : 'muted';
  const marks = [
    STATE_TEXTS[state],
    ...(row === best ? ['best'] : []),
    ...(source === undefined ? [] : [source]),
    ...(columns.excluded[row] === 1 ? ['left out'] : []),
    ...(columns.corrected[row] === 1 ? ['corrected'] : []),
    ...(factAt(columns, 'notes', row) === undefined ? [] : ['note']),
  ];
  return [
    others.sources[row]?.name ?? `run ${columns.iterations[row]}`,
    ...inputs.map((i) => inputCell(head, columns.inputs[i]![row]!, i)),
    ...outputs.map((j) => outputCell(columns, j, row)),
    measureCell(measure, !isFit(head)),
    { text: marks.join(', '), look: row === best ? 'best' : look },
  ];
}

/** @param hasMet  whether 0 means that everything is met; a misfit only gets smaller */
function measureCell(measure: number, hasMet: boolean): Cell {
  if (Number.isNaN(measure)) return '–';
  return measure === 0 && hasMet ? { text: 'met', look: 'met' } : short(measure);
}

function inputCell(head: Subject['head'], value: number, i: number): Cell {
  return Number.isNaN(value) ? '–' : inputText(head, i, value);
}

function outputCell({ outputs, misses, missedBy }: Columns, j: number, row: number): Cell {
  const value = outputs[j]![row]!;
  if (Number.isNaN(value)) return '–';
  const miss = misses[j]![row]!;
  if (!(miss > 0)) return short(value);
  return { text: `${short(value)} ${missedBy[j]![row]! < 0 ? '↓' : '↑'}`, look: 'missed' };
}
