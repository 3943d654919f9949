/** Cheaper versions of a black box, such as a coarse mesh. */
/** The black box itself, where sources are named. */
export const FINE = 'fine';

/** The cost of a run, in runs of the black box itself: 0.1 for a tenth. */
export interface Cost {
  readonly cost: number;
}

/** Throws RangeError. */
export function checkSources(sources: Readonly<Record<string, Cost>>): void {
  for (const [name, { cost }] of Object.entries(sources)) {
    if (name === FINE) throw new RangeError('A source cannot be called fine: that is the black box itself.');
    if (!(cost > 0 && cost < 1)) {
      throw new RangeError(
        `sources.${name}.cost is that of a run in runs of the black box, between 0 and 1, is ${cost}.`,
      );
    }
  }
}

/** As the service takes them. */
export function sourcesOf(sources: Readonly<Record<string, Cost>> | undefined): {
  readonly sources?: { readonly name: string; readonly cost: number }[];
} {
  const named = Object.entries(sources ?? {}).map(([name, { cost }]) => ({ name, cost }));
  return named.length === 0 ? {} : { sources: named };
}
