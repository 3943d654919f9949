/** The report of an objective: what came of it first, then how it was asked for and what was run. */
import { StopReason } from '../../clients/typescript/src/index.ts';
import type { Head } from '../presentation/columns.ts';
import { grouped } from '../presentation/formats.ts';
import { chartBlocks } from './charts.ts';
import { paragraph, type Report } from './document.ts';
import { fitBlocks } from './fit.ts';
import { frontBlocks } from './front.ts';
import { logBlocks } from './log.ts';
import { problemBlocks } from './problem.ts';
import { repeatBlocks } from './repeat.ts';
import { resultBlocks } from './result.ts';
import { runBlocks } from './runs.ts';
import { type ReportSource, subjectOf } from './source.ts';
import { moment } from './words.ts';

const STATES: Readonly<Record<Head['stopReason'], string>> = {
  [StopReason.RUNNING]: 'Running',
  [StopReason.SATISFIED]: 'Satisfied',
  [StopReason.STOPPED]: 'Stopped',
  [StopReason.EXHAUSTED]: 'Exhausted',
};

/** The same source makes the same report, wherever and whenever. */
export function makeReport(source: ReportSource): Report {
  const subject = subjectOf(source);
  const { head, changedAt, version } = subject;
  const { label, projectName, modelName, trialNumber, number, attemptCount, maximumAttempts } = head;
  return {
    title: label ?? projectName,
    facts: [
      ...(label === null ? [] : [`Project ${projectName}`]),
      `Model ${modelName}`,
      `Trial ${trialNumber}, objective ${number}`,
      `${grouped(attemptCount)} of ${grouped(maximumAttempts)} suggested runs`,
      `Last change ${moment(changedAt)}`,
    ],
    state: STATES[head.stopReason],
    changedAt,
    blocks: [
      ...resultBlocks(subject),
      ...fitBlocks(subject),
      ...frontBlocks(subject),
      ...chartBlocks(subject),
      ...problemBlocks(subject),
      ...runBlocks(subject),
      ...logBlocks(subject),
      ...repeatBlocks(subject),
      paragraph(
        `Made by Backsolve ${version}. Numbers have at most five digits; the CSV file of the runs has all.`,
        'hint',
      ),
    ],
  };
}
