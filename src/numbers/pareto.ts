/** Fronts of points: rows of equal length, every coordinate of which is to be as small as possible. */

export type Points = readonly (readonly number[])[];

/** The numbers of the points that no other dominates, ascending; of equal points the first. O(n log n) up to two coordinates. */
export function nonDominated(points: Points): number[] {
  const front: number[] = [];
  // A point comes after all that dominate it.
  for (const i of inOrder(points)) {
    const point = points[i]!;
    // The last of a front in two coordinates has the smallest second one.
    const rivals = point.length > 2 ? front : front.slice(-1);
    if (!rivals.some((k) => points[k]!.every((value, c) => value <= point[c]!))) front.push(i);
  }
  return front.sort((a, b) => a - b);
}

/**
 * The number of the best compromise on a front: the point with the least sum of distances from the best values, each in units of
 * the range of the front; of equal sums the first in the order of the coordinates. -1 without points.
 */
export function kneeOf(front: Points): number {
  const ends = (front[0] ?? []).map((_, c) => {
    const least = front.reduce((a, point) => Math.min(a, point[c]!), Number.POSITIVE_INFINITY);
    return { least, range: front.reduce((a, point) => Math.max(a, point[c]!), least) - least || 1 };
  });
  let best = { number: -1, sum: Number.NaN };
  for (const number of inOrder(front)) {
    const sum = ends.reduce((total, { least, range }, c) => total + (front[number]![c]! - least) / range, 0);
    if (best.number < 0 || sum < best.sum) best = { number, sum };
  }
  return best.number;
}

/** The numbers of the points, ordered by their first coordinate that differs. */
function inOrder(points: Points): number[] {
  return Array.from(points.keys()).sort((a, b) => {
    const differing = points[a]!.findIndex((value, c) => value !== points[b]![c]!);
    return differing < 0 ? a - b : points[a]![differing]! - points[b]![differing]!;
  });
}
