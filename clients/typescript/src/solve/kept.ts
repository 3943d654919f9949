/** Whether kept runs still count: one of them is made once more where the black box may have changed, and compared. */
import { fiveDigits } from '../evaluator/nearness.ts';
import type { NewObjectives } from '../generated/schemas.ts';
import { type Changes, OWN } from './looks.ts';

/** Probability that runs that differ by chance alone are taken for a change. */
const ERROR = 1e-4;
/**
 * Largest difference, relative to an output plus a thousandth of its usual size, that other threads, compilers or
 * versions of a library may make.
 */
const ROUNDING = 1e-6;
const MOST_NAMED = 3;

/** A run that is kept, as the service counts. */
export interface Kept {
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** null for a run of the black box itself. */
  readonly source: string | null;
}

/** The run that was made once more, on disk when it ends, so that it is made once however often it is judged. */
export interface MadeAgain extends Kept {
  /** The parts of the black box then, as text. */
  readonly looks: string;
}

/** The standard deviation of each output as it is stated; `estimate` where runs are only known to differ by chance. */
type Noise = readonly number[] | 'estimate' | null;

export function noiseOf(objectives: readonly NewObjectives[]): Noise {
  for (const { noise, confirm, confidence } of objectives) {
    if (typeof noise === 'object' && noise !== null) return noise.standardDeviations as readonly number[];
    if (noise != null || confirm != null || confidence != null) return 'estimate';
  }
  return null;
}

/**
 * The run to make once more: of the black box if that may have changed, else of the first source that may; the answer of the search where
 * it is one of them, else the newest.
 */
export function chooseKept(
  runs: readonly Kept[],
  changes: Changes,
  answer: readonly number[] | null,
): Kept | undefined {
  const source = changes.has(OWN) ? null : [...changes.keys()][0];
  const some = runs.filter((run) => run.source === source);
  const repeats = some.filter(({ input }) => answer !== null && keyOf(input) === keyOf(answer));
  return repeats.at(-1) ?? some.at(-1);
}

/**
 * The outputs that differ beyond the noise, by number, the farthest first. Undefined where runs are known to differ by chance and nothing
 * says by how much.
 *
 * The noise is what is stated; else what runs at one input tell that are kept. Without either a black box repeats itself. The limit is
 * exceeded by chance in one of 10,000 comparisons in all: of m outputs, sqrt(2 ln(m / 1e-4)) standard deviations of a difference (the
 * Chernoff bound of a normal variable), widened for few repeats (Wallace 1959, doi:10.1214/aoms/1177705914).
 */
export function differing(
  kept: Kept,
  now: readonly number[],
  runs: readonly Kept[],
  noise: Noise,
): readonly number[] | undefined {
  const ofSource = runs.filter(({ source }) => source === kept.source);
  const { spreads, freedom } = Array.isArray(noise)
    ? { spreads: noise as readonly number[], freedom: Number.POSITIVE_INFINITY }
    : spreadOf(ofSource, now.length);
  if (noise === 'estimate' && freedom === 0) return undefined;
  const wide = Math.SQRT2 * widened(Math.sqrt(2 * Math.log(now.length / ERROR)), freedom);
  const excess = now.map((after, k) => {
    const before = kept.output[k]!;
    const size = medianOf(ofSource.map(({ output }) => Math.abs(output[k]!)));
    const rounding = ROUNDING * Math.max(Math.abs(before), Math.abs(after)) + (ROUNDING / 1000) * size;
    const limit = rounding + (freedom > 0 ? wide * spreads[k]! : 0);
    const by = Math.abs(after - before);
    if (by <= limit) return 0;
    return limit > 0 ? by / limit : Number.POSITIVE_INFINITY;
  });
  return [...excess.keys()].filter((k) => excess[k] !== 0).sort((a, b) => compare(excess[b]!, excess[a]!));
}

function compare(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The standard deviation of each output of runs at one input, pooled, and their degrees of freedom. */
function spreadOf(runs: readonly Kept[], count: number): { spreads: readonly number[]; freedom: number } {
  const groups = new Map<string, Kept[]>();
  for (const run of runs) groups.set(keyOf(run.input), [...(groups.get(keyOf(run.input)) ?? []), run]);
  const repeated = [...groups.values()].filter(({ length }) => length > 1);
  const freedom = repeated.reduce((sum, { length }) => sum + length - 1, 0);
  const spreads = Array.from({ length: count }, (_, k) => {
    const squares = repeated.map((group) => {
      const mean = group.reduce((sum, { output }) => sum + output[k]!, 0) / group.length;
      return group.reduce((sum, { output }) => sum + (output[k]! - mean) ** 2, 0);
    });
    return freedom === 0 ? 0 : Math.sqrt(squares.reduce((sum, one) => sum + one, 0) / freedom);
  });
  return { spreads, freedom };
}

/** A quantile of Student's t with so many degrees of freedom, from that of the normal distribution. */
function widened(z: number, freedom: number): number {
  if (freedom === 0 || freedom === Number.POSITIVE_INFINITY) return z;
  const factor = (freedom - 5 / 6) / (freedom - 2 / 3 + 0.1 / freedom) ** 2;
  return Math.sqrt(freedom * Math.expm1(Math.min(700, z * z * factor)));
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function keyOf(input: readonly number[]): string {
  return JSON.stringify(input);
}

interface ToDescribe {
  readonly parts: readonly string[];
  readonly kept: Kept;
  /** The input by name. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly outputNames: readonly string[];
}

/** That and why the kept runs do not count, without what to do. */
export function describeDifference(
  { parts, kept, input, outputNames }: ToDescribe,
  now: readonly number[],
  others: readonly number[],
): string {
  const shown = others
    .slice(0, MOST_NAMED)
    .map((k) => `${outputNames[k]} was ${told(kept.output[k]!, now[k]!)} and is ${told(now[k]!, kept.output[k]!)}`);
  const more = others.length - shown.length;
  return `${changedAt({ parts, kept, input })} ${shown.join(', ')}${more > 0 ? `, and ${more} more differ` : ''}. The kept runs do not fit.`;
}

/** The same of a run that fails now. */
export function describeNewFailure({ parts, kept, input, outputNames }: ToDescribe, reason: string): string {
  const outputs = outputNames.slice(0, MOST_NAMED).map((name, k) => `${name}=${fiveDigits(kept.output[k]!)}`);
  const more = outputNames.length > MOST_NAMED ? ' ...' : '';
  return `${changedAt({ parts, kept, input })} the run that gave ${outputs.join(' ')}${more} fails: ${reason.replace(/\.$/, '')}. The kept runs do not fit.`;
}

function changedAt({ parts, kept, input }: Omit<ToDescribe, 'outputNames'>): string {
  const values = Object.entries(input).map(
    ([name, value]) => `${name}=${typeof value === 'number' ? fiveDigits(value) : value}`,
  );
  const of = kept.source === null ? '' : ` of the source ${kept.source}`;
  return `${describeParts(parts)} changed since earlier runs${of}, and with it the outputs: at ${values.join(' ')}`;
}

/** Such as `model.py has`; the start of a sentence. */
export function describeParts(parts: readonly string[]): string {
  const named = parts.slice(0, MOST_NAMED);
  const more = parts.length - named.length;
  const [first = ''] = named;
  const listed = [first.startsWith('the ') || first.startsWith('how ') ? capital(first) : first, ...named.slice(1)];
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${parts.length === 1 ? 'has' : 'have'}`;
}

/** Message about runs that are known to differ by chance. */
export function describeNoise(parts: readonly string[]): string {
  return `${describeParts(parts)} changed since earlier runs, which are kept: no input was run twice, so that one further run cannot tell a change from the noise.`;
}

/** Before it happens. */
export function describeComparison(parts: readonly string[]): string {
  return `${describeParts(parts)} changed since earlier runs: one of them is made once more.`;
}

/** Message about inputs or outputs that have changed. */
export const ANEW = 'The inputs or outputs have changed, and no run gave an output yet: the problem begins anew.';

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function told(value: number, other: number): string {
  return fiveDigits(value) === fiveDigits(other) ? String(value) : fiveDigits(value);
}
