/** The card of a run that waits: one page to take to the rig, with its input, room for what is measured, and a code that leads back. */
import { encode } from 'uqr';
import type { History } from '../../clients/typescript/src/index.ts';
import { emptyColumns, factAt, headOf, replaceRows, rowOf, vectorAt } from '../presentation/columns.ts';
import { wantedText } from '../presentation/margin.ts';
import { fullInputText, inputLabel, inputText, outputLabel } from '../presentation/values.ts';
import { type Block, heading, type Report, type Table } from './document.ts';
import { moment } from './words.ts';

export interface CardSource {
  /** From the run on. */
  readonly history: History;
  readonly iteration: number;
  /** Address of the page of the run. */
  readonly address: string;
  /** Time at which the run was suggested, ISO 8601. */
  readonly suggestedAt: string;
}

/** More rows are printed small, so that one page holds twelve outputs or more. */
const MOST_ROWS = 24;
/** White modules around the code. */
const BORDER = 2;

/** The same run makes the same card. */
export function makeCard({ history, iteration, address, suggestedAt }: CardSource): Report {
  const head = headOf(history);
  const columns = replaceRows(emptyColumns(history.minimums.length, history.objectives.length), 0, history);
  const row = rowOf(columns, iteration);
  const input = vectorAt(columns.inputs, row)!;
  const source = factAt(columns, 'sources', row);
  const isDense = head.minimums.length + head.objectives.length > MOST_ROWS;
  const { label, projectName, modelName, trialNumber, number } = head;
  return {
    title: `Run ${iteration}: ${label ?? projectName}`,
    facts: [
      ...(label === null ? [] : [`Project ${projectName}`]),
      `Model ${modelName}`,
      `Trial ${trialNumber}, objective ${number}`,
      `Suggested ${moment(suggestedAt)}`,
      ...(source === undefined ? [] : [`To be run with: ${source}`]),
    ],
    state: 'Waits for its outputs',
    changedAt: suggestedAt,
    blocks: [
      codeOf(address),
      heading('Set these inputs'),
      { ...inputsOf(head, input), isDense },
      heading('Measure these outputs'),
      { ...outputsOf(head), isDense },
      heading('By hand'),
      { ...REMARKS, isDense },
    ],
  };
}

type Head = ReturnType<typeof headOf>;

function inputsOf(head: Head, input: readonly number[]): Table {
  const isShortened = input.some((value, i) => inputText(head, i, value) !== fullInputText(head, i, value));
  return {
    kind: 'table',
    label: 'Inputs',
    columns: [
      { title: 'Input' },
      { title: 'Set to', isNumber: true },
      ...(isShortened ? [{ title: 'All digits', isNumber: true }] : []),
    ],
    rows: input.map((value, i) => [
      inputLabel(head, i),
      { text: inputText(head, i, value), look: 'best' },
      ...(isShortened ? [{ text: fullInputText(head, i, value), look: 'muted' as const }] : []),
    ]),
  };
}

function outputsOf(head: Head): Table {
  return {
    kind: 'table',
    label: 'Outputs',
    hasRoom: true,
    columns: [{ title: 'Output' }, { title: 'Wanted' }, { title: 'Measured' }],
    rows: head.objectives.map((_, j) => [outputLabel(head, j), wantedText(head, j), '']),
  };
}

const REMARKS: Table = {
  kind: 'table',
  label: 'By hand',
  hasRoom: true,
  columns: [{ title: 'What' }, { title: 'Entry' }],
  rows: [
    ['Date and time', ''],
    ['Who', ''],
    ['The run failed, because', ''],
    ['Remarks', ''],
  ],
};

function codeOf(address: string): Block {
  const { data, size } = encode(address, { ecc: 'M', border: BORDER });
  // One path of rows of dark modules.
  const d = data
    .flatMap((row, y) =>
      Array.from(
        row
          .map((isDark) => (isDark ? '#' : ' '))
          .join('')
          .matchAll(/#+/g),
        ({ 0: dark, index }) => {
          return `M${index} ${y}h${dark.length}v1h${-dark.length}z`;
        },
      ),
    )
    .join('');
  return {
    kind: 'scan',
    address,
    text: 'Scan the code to open this run on a phone and enter its outputs there. Sign in first if the phone is new.',
    picture: { width: size, height: size, shapes: [{ d, fill: '#000000' }] },
  };
}
