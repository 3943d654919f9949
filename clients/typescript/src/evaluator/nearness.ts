/** Puts into words how surely the best input meets the targets, and formats numbers. */

/** Five significant digits tell runs apart. */
export function fiveDigits(value: number): string {
  return String(Number(value.toPrecision(5)));
}

interface Probability {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Certainty that the best input meets the targets, under a `confidence` or `confirm`. */
export interface Surety {
  readonly run: Probability;
  readonly mean: Probability;
}

/** Undefined where no confidence was asked for, or nothing is known yet. */
export function probabilityOf(
  standing: Surety | null | undefined,
  { confidence, confidenceOf }: AskedSurety,
): Probability | undefined {
  if (!standing || confidence == null) return undefined;
  return confidenceOf === 'mean' ? standing.mean : standing.run;
}

export interface AskedSurety {
  readonly confidence?: number | null | undefined;
  readonly confidenceOf?: string | null | undefined;
}

export function describeProbability(
  { value, low, high }: Probability,
  { confidence, confidenceOf }: AskedSurety,
): string {
  const when = confidenceOf === 'mean' ? 'on average' : 'in each run';
  return `everything is met ${when} with a probability of ${twoDigits(value)} (${twoDigits(low)} to ${twoDigits(high)}), ${confidence} was asked for`;
}

function twoDigits(share: number): string {
  return String(Number(share.toFixed(2)));
}
