/** How near an objective came to its targets, in words, with misses in the units of its outputs. Needs no browser. */

import { chance, chanceWithRange } from './asked.ts';
import { type Head, openOutputs, seeksFront } from './columns.ts';
import { distanceOf, sumOfDistances, worstFirst } from './distances.ts';
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
>;

/** The best run and its misses. */
export function bestText(head: Near): string {
  const { bestMisses, bestMissedBy, optimalIteration } = head;
  if (bestMisses === null || bestMissedBy === null) return 'No run has been judged yet';
  if (head.objectiveTypes.includes('fit') && bestMisses.every((miss) => miss === 0)) {
    return `Best fit: ${nameOfBest(head)}`;
  }
  if (optimalIteration !== null && seeksFront(head)) return `Best compromise of its own runs: run ${optimalIteration}`;
  const open = openOutputs(head);
  const judged = bestMisses.filter((_, j) => !open.includes(j));
  const met = judged.filter((miss) => miss === 0).length;
  const isMet = met === judged.length;
  if (optimalIteration !== null && isMet && open.length === 0) return `Met at run ${optimalIteration}`;
  const misses = isMet ? '' : `; ${missesText(head, bestMisses, bestMissedBy)}`;
  return `Best: ${nameOfBest(head)}${judged.length === 0 ? '' : `, ${met} of ${judged.length} met`}${misses}`;
}

function nameOfBest({ bestIteration, bestCaseNumber }: Pick<Head, 'bestIteration' | 'bestCaseNumber'>): string {
  return bestIteration === null ? `known case ${bestCaseNumber}` : `run ${bestIteration}`;
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

/** How well the best run fits its data, for example "Chi-square 58.2 with 57 degrees of freedom"; undefined without a fit. */
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
