/** How near an objective came to its targets, in words, with misses in the units of its outputs. Needs no browser. */
import { short, withUnit } from '../../parts/formats.ts';
import type { Head } from './columns.ts';
import { distanceOf, totalDistance, verdictsOn, worstFirst } from './distances.ts';
import { chance, chanceWithRange } from './standing/words.ts';
import { outputNames } from './values.ts';

/** Outputs whose misses are told; of more the worst. */
const TOLD = 3;

type Near = Pick<
  Head,
  | 'bestOutput'
  | 'bestIteration'
  | 'bestCaseNumber'
  | 'optimalIteration'
  | 'objectives'
  | 'objectiveTypes'
  | 'intervals'
  | 'tolerances'
  | 'l1Threshold'
  | 'outputNames'
  | 'outputUnits'
  | 'confidence'
  | 'confidenceOf'
  | 'standing'
>;

/** Which run is the best, and what it misses. */
export function bestText(head: Near): string {
  const { bestOutput, optimalIteration } = head;
  if (bestOutput === null) return 'No run has been judged yet';
  if (optimalIteration !== null && head.objectives.includes(null)) {
    return `Best compromise of its own runs: run ${optimalIteration}`;
  }
  const isMet = verdictsOn(head, bestOutput).every(Boolean);
  if (optimalIteration !== null && isMet) return `Met at run ${optimalIteration}`;
  const met = verdictsOn(head, bestOutput).filter(Boolean).length;
  const misses = isMet ? '' : `; ${missesText(head, bestOutput)}`;
  return `Best: ${nameOfBest(head)}, ${met} of ${bestOutput.length} met${misses}`;
}

function nameOfBest({ bestIteration, bestCaseNumber }: Pick<Head, 'bestIteration' | 'bestCaseNumber'>): string {
  return bestIteration === null ? `known case ${bestCaseNumber}` : `run ${bestIteration}`;
}

/** For example "misses sag by 0.71 mm and mass by 1.4 kg". */
function missesText(head: Near, output: readonly number[]): string {
  if (head.l1Threshold !== null) {
    return `the sum of all differences is ${short(totalDistance(head, output))} where ${short(head.l1Threshold)} is allowed`;
  }
  const names = outputNames(head);
  const missed = worstFirst(head, output).filter((j) => distanceOf(head, j, output[j]!) > 0);
  const told = missed.slice(0, TOLD).map((j) => {
    const distance = distanceOf(head, j, output[j]!);
    // The smallest number stands for the limit of a strict inequality.
    const by = distance === Number.MIN_VALUE ? 'a hair' : withUnit(short(distance), head.outputUnits?.[j]);
    return `${names[j]} by ${by}`;
  });
  const rest = missed.length > TOLD ? [`${missed.length - TOLD} more`] : [];
  return `misses ${new Intl.ListFormat('en-GB').format([...told, ...rest])}`;
}

/** How surely the best input holds beside what is asked; undefined where no probability is asked for or none is known. */
export function reachedText({ confidence, confidenceOf, standing }: Near): string | undefined {
  if (confidence === null || standing === null) return undefined;
  const reached = standing[confidenceOf ?? 'run'];
  return `Met with a probability of ${chanceWithRange(reached)}; ${chance(confidence)} is required`;
}
