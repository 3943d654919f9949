/** The targets of an objective as the form of a new problem writes them, to be changed. Needs no browser. */

import type { SearchOption } from '../../../../clients/typescript/src/generated/objective-fields.ts';
import type { Head } from '../../../presentation/columns.ts';
import { inputNames, outputNames } from '../../../presentation/values.ts';
import { type Draft, emptyDraft, NO_OPTIONS, newInput, newOutput, type OptionsDraft } from './draft.ts';
import { sigmaText } from './fits.ts';

type Targets = Pick<
  Head,
  | 'objectives'
  | 'objectiveTypes'
  | 'minimumBounds'
  | 'maximumBounds'
  | 'desiredL1Norm'
  | 'maximumAttempts'
  | 'parallelism'
  | 'outputNames'
  | 'outputUnits'
  | 'inputNames'
  | 'inputUnits'
  | 'minimums'
  | 'fits'
> &
  Asked;

/** The search options. */
type Asked = Pick<Head, SearchOption>;

export function draftOf(head: Targets): Draft {
  const names = outputNames(head);
  // Types without bounds get those that the form proposes, should one with bounds be chosen.
  const bound = (bounds: readonly (number | null)[], j: number, otherwise: string) => {
    const known = bounds[j] ?? null;
    return known === null ? otherwise : String(known);
  };
  return {
    ...emptyDraft(''),
    inputs: inputNames(head).map((name, i) =>
      newInput(i + 1, {
        name,
        unit: head.inputUnits?.[i] ?? '',
        tolerance: textOf(head.inputTolerances?.values[i] || null),
      }),
    ),
    outputs: names.map((name, j) =>
      newOutput(j + 1, {
        name,
        unit: head.outputUnits?.[j] ?? '',
        type: head.objectiveTypes[j]!,
        target: textOf(head.objectives[j]),
        sigma: sigmaText(head.fits, j),
        weight: textOf(head.weights?.[j]),
        priority: textOf(head.priorities?.[j] ?? 1) as '1',
        deviation: textOf(typeof head.noise === 'object' ? head.noise?.standardDeviations[j] : null),
        from: bound(head.minimumBounds, j, '-1'),
        to: bound(head.maximumBounds, j, '1'),
      }),
    ),
    desiredL1Norm: String(head.desiredL1Norm),
    maximumAttempts: String(head.maximumAttempts),
    parallelism: String(head.parallelism),
    options: optionsOf(head),
  };
}

function textOf(value: number | null | undefined): string {
  return value == null ? '' : String(value);
}

function noiseDraftOf(noise: Asked['noise']): OptionsDraft['noise'] {
  if (noise === null) return 'none';
  return noise === 'estimate' ? 'estimate' : 'stated';
}

function optionsOf({ noise, confirm, confidence, confidenceOf, stop, solutions, ...robust }: Asked): OptionsDraft {
  const { inputTolerances, aimAtRobustness, robustRuns } = robust;
  const sureWithoutConfidence = confirm === null ? 'run' : 'mean';
  return {
    ...NO_OPTIONS,
    noise: noiseDraftOf(noise),
    sure: confidence === null ? sureWithoutConfidence : 'probability',
    ...(confirm !== null && { confirm: String(confirm) }),
    ...(confidence !== null && { confidence: String(confidence) }),
    confidenceOf: confidenceOf ?? 'run',
    ...(stop !== null && {
      endsByEvidence: true,
      patience: textOf(stop.patience),
      improvementBelow: String(stop.improvementBelow),
      until: stop.until === null ? '' : localTime(new Date(stop.until)),
      maximumRuns: textOf(stop.maximumRuns),
    }),
    ...(solutions !== null && { solutionCount: String(solutions.count), apart: String(solutions.apart) }),
    toleranceKind: inputTolerances?.kind ?? 'normal',
    toleranceIn: inputTolerances?.in ?? 'units',
    aimsAtSurest: aimAtRobustness === true,
    aim: aimAtRobustness === true ? '' : textOf(aimAtRobustness),
    robustRuns: textOf(robustRuns),
  };
}

/** A time in the format of the browser's field. */
function localTime(time: Date): string {
  return new Date(time.getTime() - 60_000 * time.getTimezoneOffset()).toISOString().slice(0, 16);
}
