/** A fit: its data with the curve of the best run, and what the data tell about the inputs. */

import { PAPER } from '../presentation/colours.ts';
import type { Head } from '../presentation/columns.ts';
import { isFit } from '../presentation/distances.ts';
import { drawFit, drawResiduals } from '../presentation/fit-drawing.ts';
import { fitSetsOf } from '../presentation/fit-points.ts';
import { classText, correlationTexts, type FoundFit, intervalText } from '../presentation/fit-words.ts';
import { near, short } from '../presentation/formats.ts';
import { inputLabel, inputText, outputLabel } from '../presentation/values.ts';
import { type Block, heading, list, paragraph } from './document.ts';
import type { ShownRun, Subject } from './source.ts';

/** More values are in the CSV file of the runs. */
const MOST_FITTED = 40;
const MOST_SETS = 6;

export function fitBlocks({ head, best, fit }: Subject): readonly Block[] {
  if (!isFit(head)) return [];
  const sets = fitSetsOf(head, fit?.fit?.outputs ?? []);
  const shown = sets.slice(0, MOST_SETS);
  const confidence = fit?.confidence ?? 0.95;
  return [
    heading('Fit'),
    ...shown.map(
      (set): Block => ({
        kind: 'charts',
        charts: [
          { drawing: drawFit(set, head.projectName, PAPER), caption: `${set.title} and the best run`, isWide: false },
          { drawing: drawResiduals(set, head.projectName, PAPER), caption: `Residuals of ${set.title}`, isWide: false },
        ],
      }),
    ),
    ...(shown.length < sets.length
      ? [paragraph(`The first ${shown.length} of ${sets.length} data sets are drawn.`, 'hint')]
      : []),
    ...(fit?.fit == null
      ? [paragraph('No run meets all other targets yet, so nothing is told about the inputs.', 'hint')]
      : foundBlocks(head, fit.fit, confidence)),
    ...(best === undefined ? [] : fittedTable(head, best)),
  ];
}

function foundBlocks(head: Head, found: FoundFit, confidence: number): readonly Block[] {
  const { parameters, combinations, correlations, sentences } = found;
  const told = parameters.filter(({ kind }) => kind !== 'held').length + combinations.length;
  return [
    heading('What the data tell about the inputs', 3),
    {
      kind: 'table',
      label: 'Estimates of the inputs',
      columns: [
        { title: 'Input' },
        { title: 'Estimate', isNumber: true },
        { title: 'Standard error', isNumber: true },
        { title: `${short(100 * confidence)} % interval` },
        { title: 'Class' },
      ],
      rows: parameters.map((parameter, i) => [
        inputLabel(head, i),
        { text: inputText(head, i, parameter.estimate), look: 'best' },
        parameter.standardError === null ? '–' : short(parameter.standardError),
        intervalText(head, parameter),
        classText(parameter),
      ]),
    },
    ...list([...sentences.slice(0, told), ...correlationTexts(head, correlations)]),
  ];
}

/** Compares the measured values with those of the best run, point by point. */
function fittedTable(head: Head, best: ShownRun): readonly Block[] {
  const fitted = [...head.objectives.keys()].filter((j) => head.objectiveTypes[j] === 'fit');
  if (fitted.length === 0) return [];
  const shown = fitted.slice(0, MOST_FITTED);
  return [
    {
      kind: 'table',
      label: 'Measured values and those of the best run',
      columns: [
        { title: 'Value' },
        { title: 'Measured' },
        { title: 'Best run', isNumber: true },
        { title: 'Difference', isNumber: true },
      ],
      rows: shown.map((j) => {
        const target = head.objectives[j] ?? null;
        const value = best.output[j]!;
        return [
          outputLabel(head, j),
          target === null ? near(null) : short(target),
          short(value),
          target === null ? '–' : short(value - target),
        ];
      }),
      isDense: true,
    },
    ...(shown.length < fitted.length
      ? [paragraph(`The first ${shown.length} of ${fitted.length} values; the CSV file of the runs has all.`, 'hint')]
      : []),
  ];
}
