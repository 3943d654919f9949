/** How near a run came to what was wanted, in the units of the outputs and in words. */

interface NamedOutput {
  readonly name: string;
  readonly unit: string;
}

/** How far an output is from its goal, as the service says. */
interface Missed {
  readonly value: number;
  /** In tolerances; 0 where it is met. */
  readonly miss: number;
  /** In its unit; negative below its limit, 0 at it. */
  readonly missedBy: number;
}

/** Such as `mass = 12.35 kg is 0.35 kg above 12 kg`; undefined for an output that is met. */
export function describeMiss(output: NamedOutput, { value, miss, missedBy }: Missed): string | undefined {
  if (miss === 0) return undefined;
  const unit = output.unit === '' ? '' : ` ${output.unit}`;
  const given = `${output.name} = ${fiveDigits(value)}${unit}`;
  if (missedBy === 0) return `${given} is at its limit and not beyond it`;
  const limit = `${fiveDigits(value - missedBy)}${unit}`;
  return `${given} is ${fiveDigits(Math.abs(missedBy))}${unit} ${missedBy < 0 ? 'below' : 'above'} ${limit}`;
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
