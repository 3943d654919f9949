/** The targets of an objective as the form of a new problem writes them, to be changed. Needs no browser. */
import { type Draft, emptyDraft, newOutput } from '../../new-problem/draft.ts';
import type { Head } from '../columns.ts';
import { outputNames } from '../values.ts';

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
>;

export function draftOf(head: Targets): Draft {
  const names = outputNames(head);
  // Types without bounds get those that the form proposes, should one with bounds be chosen.
  const bound = (bounds: readonly (number | null)[], j: number, otherwise: string) => {
    const known = bounds[j] ?? null;
    return known === null ? otherwise : String(known);
  };
  return {
    ...emptyDraft(''),
    outputs: names.map((name, j) =>
      newOutput(j + 1, {
        name,
        unit: head.outputUnits?.[j] ?? '',
        type: head.objectiveTypes[j]!,
        target: String(head.objectives[j]),
        from: bound(head.minimumBounds, j, '-1'),
        to: bound(head.maximumBounds, j, '1'),
      }),
    ),
    desiredL1Norm: String(head.desiredL1Norm),
    maximumAttempts: String(head.maximumAttempts),
    parallelism: String(head.parallelism),
  };
}
