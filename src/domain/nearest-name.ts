/** Longer names are not compared: comparing takes the product of both lengths. */
const LONGEST_COMPARED = 64;
/** Typing errors change at most this share of a name. */
const LARGEST_CHANGE = 0.5;

/** The known name that was probably meant by a misspelled one. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_COMPARED) return undefined;
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const changes = countChanges(comparable(name), comparable(candidate));
    if (changes < least && changes <= LARGEST_CHANGE * candidate.length) {
      nearest = candidate;
      least = changes;
    }
  }
  return nearest;
}

/** snake_case and camelCase of the same name are equal. */
function comparable(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** Insertions, deletions, replacements and swaps of neighbouring characters that make `to` out of `from`. */
function countChanges(from: string, to: string): number {
  let beforeAbove: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? beforeAbove[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, above[j]! + 1, row[j - 1]! + 1));
    }
    [beforeAbove, above] = [above, row];
  }
  return above[to.length]!;
}
