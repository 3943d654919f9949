/** The value that `share` of the values do not exceed (nearest rank), in any order; NaN of no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The quantiles at these shares, rounded to `digits` digits after the point. */
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
