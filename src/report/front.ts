/** The runs on the front of several outputs without target. */
import { openOutputs } from '../presentation/columns.ts';
import { counted, short } from '../presentation/formats.ts';
import { frontRows } from '../presentation/front-rows.ts';
import { inputLabel, inputText, outputLabel } from '../presentation/values.ts';
import { type Block, heading, paragraph } from './document.ts';
import type { Subject } from './source.ts';

const MOST_ROWS = 40;
/** Limit of the inputs shown; all outputs that make the front are there. */
const MOST_INPUTS = 8;

export function frontBlocks({ head, columns, best }: Subject): readonly Block[] {
  const open = openOutputs(head);
  if (open.length < 2) return [];
  const front = frontRows({ columns }, head, open);
  if (front.length === 0) return [heading('Front'), paragraph('No run meets all targets yet.')];
  const sorted = front.toSorted((a, b) => columns.outputs[open[0]!]![a]! - columns.outputs[open[0]!]![b]!);
  const shown = sorted.slice(0, MOST_ROWS);
  const inputs = [...head.minimums.keys()].slice(0, MOST_INPUTS);
  return [
    heading('Front'),
    paragraph(
      `${counted(front.length, 'run')} ${front.length === 1 ? 'is' : 'are'} on the front: no other run is better in every output without a target.`,
    ),
    {
      kind: 'table',
      label: 'Runs on the front',
      isDense: true,
      columns: [
        { title: 'Run', isNumber: true },
        ...open.map((j) => ({ title: outputLabel(head, j), isNumber: true })),
        ...inputs.map((i) => ({ title: inputLabel(head, i), isNumber: true })),
      ],
      rows: shown.map((row) => [
        row === best?.row ? { text: `${columns.iterations[row]} best`, look: 'best' } : String(columns.iterations[row]),
        ...open.map((j) => short(columns.outputs[j]![row]!)),
        ...inputs.map((i) => inputText(head, i, columns.inputs[i]![row]!)),
      ]),
    },
    ...(shown.length < front.length
      ? [paragraph(`${shown.length} of them; all are in the CSV file of the runs.`, 'hint')]
      : []),
  ];
}
