/** Prior information: `pi1 1.0 * log(k) = -0.3 2.0 group`, a sum of parameters that is known with an error of 1 / weight. */
import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import type { PestParameter, PriorEquation } from './control.ts';
import { type ControlLine, placeOf } from './control-sections.ts';
import { type FileTexts, numberIn, rowsOfFiles, textIn } from './control-tables.ts';
import { PestFileError } from './pest-error.ts';

/** @param files  undefined for lines of the control file itself. Throws PestFileError. */
export function readPriors(lines: readonly ControlLine[], files: FileTexts | undefined): readonly PriorEquation[] {
  if (files !== undefined) {
    return rowsOfFiles(lines, files, {}).map((row) =>
      toEquation(row.where, {
        name: textIn(row, 'pilbl'),
        equation: textIn(row, 'equation'),
        weight: numberIn(row, 'weight'),
        group: textIn(row, 'obgnme'),
      }),
    );
  }
  return joined(lines).map((line) => {
    const match = /^(\S+)\s+(.+?)\s+(\S+)\s+(\S+)$/.exec(line.text);
    const weight = readNumber(match?.[3] ?? '');
    if (match === null || weight === undefined) {
      throw new PestFileError(`${placeOf(line)}: is no prior information such as "pi1 1.0 * log(k) = -0.3 2.0 group".`);
    }
    return toEquation(placeOf(line), { name: match[1]!, equation: match[2]!, weight, group: match[4]! });
  });
}

/** A line that begins with & goes on with the one before. */
function joined(lines: readonly ControlLine[]): readonly ControlLine[] {
  const whole: ControlLine[] = [];
  for (const line of lines) {
    const before = whole.at(-1);
    if (line.text.startsWith('&') && before !== undefined) {
      whole[whole.length - 1] = { ...before, text: `${before.text} ${line.text.slice(1).trim()}` };
    } else whole.push(line);
  }
  return whole;
}

interface Stated {
  readonly name: string;
  readonly equation: string;
  readonly weight: number;
  readonly group: string;
}

const NUMBER = String.raw`[-+]?\s*(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?`;
const TERM = new RegExp(String.raw`^([-+])?\s*(?:(${NUMBER})\s*\*\s*)?(log\s*\(\s*([^)]+?)\s*\)|[^\s*=+]+)\s*`, 'i');

function toEquation(where: string, { name, equation, weight, group }: Stated): PriorEquation {
  const refuse = (): never => {
    throw new PestFileError(
      `${where}: the equation "${equation}" cannot be read; write 1.0 * log(k) - 2.0 * n = -0.3.`,
    );
  };
  const [left = '', right = '', ...more] = equation.split('=');
  const value = readNumber(right);
  if (value === undefined || more.length > 0) return refuse();
  const terms: PriorEquation['terms'][number][] = [];
  for (let rest = left.trim(); rest !== ''; ) {
    const match = TERM.exec(rest);
    if (match === null) return refuse();
    const [all, sign, factor = '1', word, inLog] = match;
    const parameter = (inLog ?? word)!.toLowerCase();
    const size = readNumber(factor.replace(/\s/g, ''));
    if (size === undefined) return refuse();
    terms.push({ factor: sign === '-' ? -size : size, parameter, isLog: inLog !== undefined });
    rest = rest.slice(all.length);
  }
  if (terms.length === 0) return refuse();
  return { name: name.toLowerCase(), terms, value, weight, group: group.toLowerCase() };
}

/** Number of standard errors that the likely range of a prior has on both sides. */
const LIKELY = 2;

/**
 * The range of two standard errors that an equation about one parameter states, within its bounds; undefined for other equations, those
 * without weight, and where nothing of the range is within the bounds.
 */
export function likelyRange(
  { terms, value, weight }: PriorEquation,
  { lower, upper }: PestParameter,
): [number, number] | undefined {
  const [{ factor, isLog }, ...others] = [terms[0]!, ...terms.slice(1)];
  if (others.length > 0 || factor === 0 || weight <= 0) return undefined;
  const [middle, half] = [value / factor, LIKELY / (weight * Math.abs(factor))];
  const ends = [middle - half, middle + half].map((end) => (isLog ? 10 ** end : end)) as [number, number];
  const range: [number, number] = [Math.max(lower, ends[0]), Math.min(upper, ends[1])];
  return range[0] < range[1] ? range : undefined;
}

/** Value of the left side of an equation. */
export function valueOfPrior({ terms }: PriorEquation, values: ReadonlyMap<string, number>): number {
  return terms.reduce((sum, { factor, parameter, isLog }) => {
    const value = values.get(parameter)!;
    return sum + factor * (isLog ? Math.log10(value) : value);
  }, 0);
}
