/** How near a run came to what was wanted, in the units of the outputs and in words. */

/** An output and its goal. */
export interface WantedOutput {
  readonly name: string;
  readonly unit: string;
  readonly type: string;
  /** null where there is none. */
  readonly target: number | null;
  /** Offsets from the target, in percent or in units of the output; null for types without bounds. */
  readonly lower: number | null;
  readonly upper: number | null;
}

/** By how much an output lies beyond its limit, in units of the output; negative below it, 0 within. */
export function missedBy(wanted: WantedOutput, value: number): number {
  const [low, high] = limitsOf(wanted);
  return value < low ? value - low : value > high ? value - high : 0;
}

/**
 * Each output that is missed, such as `mass = 12.35 kg is 0.35 kg above 12 kg`.
 *
 * @param misses  as the service judges: 0 where an output is met
 */
export function describeMisses(
  outputs: readonly WantedOutput[],
  values: readonly number[],
  misses: readonly number[],
): readonly string[] {
  return outputs.flatMap((wanted, j) => (misses[j]! > 0 ? [describeOne(wanted, values[j]!)] : []));
}

function describeOne(wanted: WantedOutput, value: number): string {
  const unit = wanted.unit === '' ? '' : ` ${wanted.unit}`;
  const by = missedBy(wanted, value);
  const [low, high] = limitsOf(wanted);
  const limit = `${fiveDigits(by < 0 ? low : high)}${unit}`;
  const given = `${wanted.name} = ${fiveDigits(value)}${unit}`;
  if (by === 0) return `${given} is at its limit and not beyond it`;
  return `${given} is ${fiveDigits(Math.abs(by))}${unit} ${by < 0 ? 'below' : 'above'} ${limit}`;
}

function limitsOf({ type, target, lower, upper }: WantedOutput): readonly [number, number] {
  if (target === null) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  switch (type) {
    case 'exact':
      return [target, target];
    case 'percent':
      return [target + (lower! * Math.abs(target)) / 100, target + (upper! * Math.abs(target)) / 100];
    case 'value':
      return [target + lower!, target + upper!];
    case 'lessthan':
    case 'lessthan_equal':
    case 'minimize':
      return [Number.NEGATIVE_INFINITY, target];
    default:
      return [target, Number.POSITIVE_INFINITY];
  }
}

/** Five significant digits tell runs apart. */
export function fiveDigits(value: number): string {
  return String(Number(value.toPrecision(5)));
}

interface Probability {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** How surely the best input meets the targets, under a `confidence` or `confirm`. */
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

/** Why the service ended a search, without what it says of the best run, which it calls by another number. */
export function whyEnded(endReason: string | null | undefined): string | undefined {
  const [why] = endReason?.split('; ') ?? [];
  return why?.replace(/\.$/, '').replace(/ of (?:iteration \d+|a case of the trial)\b/, '');
}
