/** Values of an input that are written before any run, to see what programs will read: both bounds and some between. */
import { isLogByRange } from '../../clients/typescript/src/solve/wide-range.ts';
import type { Trial } from './files/writing.ts';
import type { InputDefinition } from './problem.ts';

/** Between the bounds of a float. Two that are neighbours differ by a hundredth of the range. */
const COUNT = 100;
/** Stated values are all tried up to this number. */
const MOST = 1_000;
/** Not a round share, so that values have many digits as those of a search do. */
const SHARE = (Math.sqrt(5) - 1) / 2;

export function trialOf(input: InputDefinition): Trial {
  const { name, type, categories, minimum, maximum } = input;
  if (type === 'category') return { name, values: categories, bounds: null, areStated: true };
  if (type === 'boolean') return { name, values: [false, true], bounds: null, areStated: true };
  const bounds = [minimum, maximum] as const;
  const step = input.step ?? (type === 'integer' ? 1 : null);
  if (input.levels === null && step === null) return { name, values: between(input), bounds, areStated: false };
  const count = input.levels?.length ?? Math.floor((maximum - minimum) / step! + 1e-9) + 1;
  const valueAt = (k: number) => input.levels?.[k] ?? roundedStep(minimum + k * step!);
  return { name, values: placesAmong(count).map(valueAt), bounds, areStated: true };
}

/** Numbers from 0 to count - 1: all, or pairs of neighbours all over. */
function placesAmong(count: number): readonly number[] {
  if (count <= MOST) return Array.from({ length: count }, (_, k) => k);
  const pairs = Array.from({ length: MOST / 2 }, (_, k) => Math.floor((k * (count - 2)) / (MOST / 2 - 1)));
  return [...new Set(pairs.flatMap((k) => [k, k + 1]))];
}

/** Without the rounding of the sum. */
function roundedStep(value: number): number {
  return Number(value.toPrecision(15));
}

function between(input: InputDefinition): readonly number[] {
  const { minimum, maximum, scale } = input;
  const isLog = scale === 'log' || isLogByRange(input);
  const at = (share: number) =>
    isLog
      ? Math.exp((1 - share) * Math.log(minimum) + share * Math.log(maximum))
      : (1 - share) * minimum + share * maximum;
  const inner = Array.from({ length: COUNT - 1 }, (_, k) => at((k + SHARE) / (COUNT - 1)));
  return [minimum, ...inner, maximum];
}
