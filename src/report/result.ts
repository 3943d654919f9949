/** The result: why it ended, the best run and its margins, and what to do where the targets are out of reach. */
import { StopReason } from '../../clients/typescript/src/index.ts';
import { chanceWithRange } from '../presentation/asked.ts';
import { type Head, openOutputs } from '../presentation/columns.ts';
import { distanceOf, sumOfDistances } from '../presentation/distances.ts';
import { capitalized, counted, short, withUnit } from '../presentation/formats.ts';
import { marginText, wantedText } from '../presentation/margin.ts';
import { bestText, fitText, reachedText } from '../presentation/nearness.ts';
import { inputLabel, inputText, outputLabel, outputNames } from '../presentation/values.ts';
import { verdictOf } from '../presentation/verdict.ts';
import { type Block, type Cell, heading, list, paragraph, type Table } from './document.ts';
import type { ShownRun, Subject } from './source.ts';

export function resultBlocks({ head, best }: Subject): readonly Block[] {
  const facts = [reachedText(head), fitText(head), chancesOf(head)].filter((text) => text !== undefined);
  return [
    heading('Result'),
    paragraph(leadOf(head, best), 'lead'),
    ...(head.endReason === null ? [] : [paragraph(head.endReason)]),
    ...facts.map((text) => paragraph(`${text}.`)),
    ...(head.fit?.warnings ?? []).map((text) => paragraph(text, 'warning')),
    ...(best === undefined ? [] : bestBlocks(head, best)),
    ...diagnosisBlocks(head),
    ...adviceBlocks(head),
  ];
}

function chancesOf({ standing }: Head): string | undefined {
  if (standing === null) return undefined;
  const runs = counted(standing.runs, 'run');
  return `After ${runs} at the best input, a new run meets all targets with a probability of ${chanceWithRange(standing.run)}, and the means of the outputs do with ${chanceWithRange(standing.mean)}`;
}

function leadOf(head: Head, best: ShownRun | undefined): string {
  if (head.stopReason !== StopReason.RUNNING) return verdictOf(head, best !== undefined).replace(/:$/, '.');
  return best === undefined
    ? 'The search is running; no run has been judged yet.'
    : `The search is running. ${bestText(head)}.`;
}

function bestBlocks(head: Head, best: ShownRun): readonly Block[] {
  const hasTargets = head.objectiveTypes.some((type) => type !== 'fit');
  return [
    heading(`${capitalized(titleOf(best))}: inputs`, 3),
    inputsOf(head, best),
    ...(hasTargets ? [heading(`${capitalized(titleOf(best))}: outputs and margins`, 3), marginsOf(head, best)] : []),
    ...togetherBlocks(head, best),
  ];
}

function titleOf({ name, meanOf }: ShownRun): string {
  return meanOf === null ? name : `the input of ${name}, mean of ${counted(meanOf, 'run')}`;
}

function inputsOf(head: Head, { input }: ShownRun): Table {
  return {
    kind: 'table',
    label: 'Inputs of the best run',
    columns: [
      { title: 'Input' },
      { title: 'Value', isNumber: true },
      { title: 'From', isNumber: true },
      { title: 'To', isNumber: true },
    ],
    rows: input.map((value, i) => [
      inputLabel(head, i),
      { text: inputText(head, i, value), look: 'best' },
      inputText(head, i, head.minimums[i]!),
      inputText(head, i, head.maximums[i]!),
    ]),
  };
}

function marginsOf(head: Head, best: ShownRun): Table {
  const judged = [...head.objectives.keys()].filter((j) => head.objectiveTypes[j] !== 'fit');
  return {
    kind: 'table',
    label: 'Outputs of the best run',
    columns: [
      { title: 'Output' },
      { title: 'Wanted' },
      { title: 'Value', isNumber: true },
      { title: 'Margin' },
      { title: 'In tolerances', isNumber: true },
      { title: 'Met' },
    ],
    rows: judged.map((j) => [
      outputLabel(head, j),
      wantedText(head, j),
      { text: short(best.output[j]!), look: 'best' },
      ...marginCells(head, best, j),
    ]),
  };
}

/** Rounds a multiple: three digits tell enough. */
const rough = (multiple: number) => short(Number(multiple.toPrecision(3)));

function marginCells(head: Head, { output, misses, missedBy }: ShownRun, j: number): readonly Cell[] {
  const unit = head.outputUnits?.[j];
  if (head.objectives[j] === null) return ['–', '–', '–'];
  // The sum of all differences counts.
  if (head.l1Threshold !== null) return [`${withUnit(short(Math.abs(missedBy[j]!)), unit)} from the target`, '–', '–'];
  const miss = misses[j]!;
  const interval = head.intervals[j]!;
  const margin = marginText(interval, output[j]!, unit);
  if (miss > 0) {
    const off = distanceOf(miss, missedBy[j]!) === Number.MIN_VALUE ? '–' : `${rough(miss)} off`;
    return [{ text: margin, look: 'missed' }, off, { text: 'no', look: 'missed' }];
  }
  const room = Math.min(
    interval.lower === null ? Number.POSITIVE_INFINITY : output[j]! - interval.lower,
    interval.upper === null ? Number.POSITIVE_INFINITY : interval.upper - output[j]!,
  );
  const tolerance = head.tolerances[j]!;
  const inTolerances = tolerance > 0 && Number.isFinite(room) ? `${rough(room / tolerance)} inside` : '–';
  return [margin, inTolerances, { text: 'yes', look: 'met' }];
}

function togetherBlocks(head: Head, { missedBy }: ShownRun): readonly Block[] {
  if (head.l1Threshold === null) {
    const open = openOutputs(head).length > 0 || head.objectiveTypes.every((type) => type === 'fit');
    return open
      ? []
      : [
          paragraph(
            'A tolerance is the deviation that a target allows; for a limit it is one percent of the limit.',
            'hint',
          ),
        ];
  }
  return [
    paragraph(
      `All outputs are judged together: the sum of their distances from the targets may be at most ${short(head.l1Threshold)}; for this run it is ${short(sumOfDistances(missedBy))}.`,
    ),
  ];
}

function diagnosisBlocks(head: Head): readonly Block[] {
  const { diagnosis, stopReason } = head;
  if (diagnosis === null || stopReason === StopReason.SATISFIED) return [];
  const names = outputNames(head);
  const isPredicted = diagnosis.nearestIs === 'predicted';
  return [
    heading('The targets may be out of reach', 3),
    paragraph(diagnosis.detail),
    ...list(
      diagnosis.unmet.map(({ number, distance, isOutOfReachAlone }) => {
        const unit = head.outputUnits?.[number];
        const nearest = withUnit(short(diagnosis.nearestOutput[number]!), unit);
        const alone = isOutOfReachAlone ? '; out of reach even without the other targets' : '';
        const what = isPredicted ? 'the models expect' : 'the nearest is';
        return `${names[number]}: ${what} ${nearest}, off by ${withUnit(short(distance), unit)}${alone}.`;
      }),
    ),
    paragraph('This is an estimate and can be wrong.', 'hint'),
  ];
}

function adviceBlocks({ advice }: Head): readonly Block[] {
  if (advice.length === 0) return [];
  return [heading('Advice', 3), ...list(advice.map(({ sentence }) => sentence))];
}
