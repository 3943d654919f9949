/** Says how near an objective came to its targets, with misses in the units of its outputs. Needs no browser. */

import { chance, chanceWithRange } from './asked.ts';
import { type Head, openOutputs, seeksFront } from './columns.ts';
import { countMet, distanceOf, judgedCount, sumOfDistances, worstFirst } from './distances.ts';
import { counted, rough, short, withUnit } from './formats.ts';
import { outputNames } from './values.ts';

/** At most this many misses are listed, the worst ones. */
const TOLD = 3;

type Near = Pick<
  Head,
  | 'bestMisses'
  | 'bestMissedBy'
  | 'bestIteration'
  | 'bestCaseNumber'
  | 'optimalIteration'
  | 'objectives'
  | 'objectiveTypes'
  | 'l1Threshold'
  | 'outputNames'
  | 'outputUnits'
  | 'confidence'
  | 'confidenceOf'
  | 'standing'
> &
  // An older process of the service, during an upgrade, does not send it.
  Partial<Pick<Head, 'answer'>>;

/** Whether the answer is an input whose runs are judged together: a single one of them may miss what their mean meets. */
export function isOfSeveralRuns({ answer }: Partial<Pick<Head, 'answer'>>): boolean {
  return answer?.kind === 'declared' || answer?.kind === 'likeliest';
}

/** The answer and its misses. */
export function bestText(head: Near): string {
  const { bestMisses, bestMissedBy, optimalIteration } = head;
  if (bestMisses === null || bestMissedBy === null) return 'No run within the limits has been judged yet';
  if (head.objectiveTypes.includes('fit') && bestMisses.every((miss) => miss === 0)) {
    return `Best fit: ${nameOfBest(head)}`;
  }
  if (optimalIteration !== null && seeksFront(head)) return `Best compromise of its own runs: ${nameOfBest(head)}`;
  const judged = judgedCount(head);
  const met = countMet(head, (j) => bestMisses[j] === 0);
  const isMet = met === judged;
  const misses = isMet ? '' : `; ${missesText(head, bestMisses, bestMissedBy)}`;
  const counts = `${judged === 0 ? '' : `, ${met} of ${judged} met`}${misses}`;
  if (isOfSeveralRuns(head)) {
    return `${head.answer!.kind === 'declared' ? 'Met at' : 'Most likely so far:'} ${nameOfBest(head)}${counts}`;
  }
  if (optimalIteration !== null && isMet && openOutputs(head).length === 0) return `Met at ${nameOfBest(head)}`;
  return `Best: ${nameOfBest(head)}${counts}`;
}

type Named = Pick<Head, 'bestIteration' | 'bestCaseNumber'> & Partial<Pick<Head, 'answer'>>;

/** For example "run 6", "known case 2" or "the input of run 6, in the mean of 3 runs". */
export function nameOfBest(named: Named): string {
  const { answer } = named;
  const name = runOrCase(named) ?? answer?.name;
  if (!isOfSeveralRuns({ answer: answer ?? null })) return name ?? 'no run';
  const { runs } = answer!;
  return `the input of ${name}${runs === null ? '' : `, in the mean of ${counted(runs, 'run')}`}`;
}

function runOrCase({ bestIteration, bestCaseNumber }: Named): string | undefined {
  if (bestIteration !== null) return `run ${bestIteration}`;
  return bestCaseNumber === null ? undefined : `known case ${bestCaseNumber}`;
}

/** For example "misses sag by 0.71 mm and mass by 1.4 kg". */
function missesText(head: Near, misses: readonly number[], missedBy: readonly number[]): string {
  if (head.l1Threshold !== null) {
    return `the sum of all differences is ${rough(sumOfDistances(missedBy))} where ${short(head.l1Threshold)} is allowed`;
  }
  const names = outputNames(head);
  const missed = worstFirst(head).filter((j) => misses[j]! > 0);
  const told = missed.slice(0, TOLD).map((j) => {
    const distance = distanceOf(misses[j]!, missedBy[j]!);
    // The smallest number stands for the limit of a strict inequality.
    const by = distance === Number.MIN_VALUE ? 'a hair' : withUnit(rough(distance), head.outputUnits?.[j]);
    return `${names[j]} by ${by}`;
  });
  const rest = missed.length > TOLD ? [`${missed.length - TOLD} more`] : [];
  return `misses ${new Intl.ListFormat('en-GB').format([...told, ...rest])}`;
}

/** Says how well the best run fits its data, for example "Chi-square 58.2 with 57 degrees of freedom"; undefined without a fit. */
export function fitText({ fit }: Pick<Head, 'fit'>): string | undefined {
  // An older process of the service, during an upgrade, does not send it.
  if (fit == null) return undefined;
  const { chiSquare, freedom, reducedChiSquare, points, sets } = fit;
  if (chiSquare === null) {
    const scales = sets.map(({ scale }) => (scale === null ? 'unknown' : short(scale)));
    return `Residuals of standard deviation ${scales.join(' and ')} at ${counted(points, 'point')}`;
  }
  const each = reducedChiSquare === null ? '' : `, ${rough(reducedChiSquare)} per degree`;
  return `Chi-square ${rough(chiSquare)} with ${counted(freedom, 'degree')} of freedom${each}`;
}

/** The probability reached and the one required; undefined if either is missing. */
export function reachedText({ confidence, confidenceOf, standing }: Near): string | undefined {
  if (confidence === null || standing === null) return undefined;
  const reached = standing[confidenceOf ?? 'run'];
  return `Met with a probability of ${chanceWithRange(reached)}; ${chance(confidence)} is required`;
}
