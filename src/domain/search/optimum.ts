/**
 * Picks the best of several judged outputs: a satisfied one; with minimize or maximize and none satisfied, the one nearest
 * to its aspirations among those that meet all other objectives; otherwise none.
 */
import { type Evaluation, evaluateOutput } from '../acceptance.ts';
import { isAspiration, type ObjectiveDefinition, outputsWithoutTarget } from '../objective.ts';

/** Whether everything except aspirations is satisfied. Without aspirations: whether everything is. */
export function isEligible(evaluation: Evaluation): boolean {
  if (evaluation.isSatisfied) return true;
  const hasAspiration = evaluation.results.some((result) => isAspiration(result.type));
  return hasAspiration && evaluation.results.every((result) => isAspiration(result.type) || result.satisfied);
}

/** Whether `challenger` beats `holder`, both eligible. In a tie the holder stays. */
export function isBetter(challenger: Evaluation, holder: Evaluation): boolean {
  if (challenger.isSatisfied !== holder.isSatisfied) return challenger.isSatisfied;
  return challenger.convergence < holder.convergence;
}

/** Position of the best output, the first of equals; null if none is eligible. Without aspirations it is the knee of the front. */
export function findOptimum(
  definition: ObjectiveDefinition,
  outputs: readonly (readonly number[] | null)[],
): number | null {
  if (outputsWithoutTarget(definition).length > 0) return findKnee(definition, outputs);
  let best: { readonly index: number; readonly evaluation: Evaluation } | null = null;
  outputs.forEach((output, index) => {
    if (output === null) return;
    const evaluation = evaluateOutput(definition, output);
    if (isEligible(evaluation) && (best === null || isBetter(evaluation, best.evaluation)))
      best = { index, evaluation };
  });
  return (best as { readonly index: number } | null)?.index ?? null;
}

/**
 * The best compromise of several outputs without aspiration: of the eligible outputs that none beats in all of them, the one with
 * the least sum of distances from the best values, each in units of the range among them.
 */
function findKnee(definition: ObjectiveDefinition, outputs: readonly (readonly number[] | null)[]): number | null {
  const open = outputsWithoutTarget(definition).map((j) => ({
    j,
    sign: definition.objectiveTypes[j] === 'minimize' ? 1 : -1,
  }));
  const points = outputs.flatMap((output, index) =>
    output !== null && isEligible(evaluateOutput(definition, output))
      ? [{ index, at: open.map(({ j, sign }) => sign * output[j]!) }]
      : [],
  );
  const beats = (a: readonly number[], b: readonly number[]) =>
    a.every((value, c) => value <= b[c]!) && a.some((value, c) => value < b[c]!);
  const byValues = (a: readonly number[], b: readonly number[]) => {
    const differing = a.findIndex((value, c) => value !== b[c]!);
    return differing < 0 ? 0 : a[differing]! - b[differing]!;
  };
  // In this order what beats a point comes before it.
  const front: typeof points = [];
  for (const point of points.toSorted((a, b) => byValues(a.at, b.at))) {
    if (!front.some((other) => beats(other.at, point.at))) front.push(point);
  }
  const ends = open.map((_, c) => {
    const values = front.map(({ at }) => at[c]!);
    const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    return { least, range: values.reduce((a, b) => Math.max(a, b), least) - least || 1 };
  });
  let best: { readonly index: number; readonly sum: number } | null = null;
  for (const { index, at } of front) {
    const sum = at.reduce((total, value, c) => total + (value - ends[c]!.least) / ends[c]!.range, 0);
    if (best === null || sum < best.sum) best = { index, sum };
  }
  return best?.index ?? null;
}
