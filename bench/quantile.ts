/** Returns a quantile of values in any order (nearest rank); NaN if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Returns the quantiles at the given shares, rounded to `digits` decimal places. */
export function quantiles<Name extends string>(
  values: readonly number[],
  shares: Readonly<Record<Name, number>>,
  digits = 2,
): Record<Name, number> {
  const found = Object.entries<number>(shares).map(([name, share]) => [
    name,
    Number(quantile(values, share).toFixed(digits)),
  ]);
  return Object.fromEntries(found) as Record<Name, number>;
}
