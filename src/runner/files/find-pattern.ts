/** A number in a text by a regular expression: `/mass = (\S+)/`, `/mass = (\S+)/first`. */
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { shorten } from './exchange.ts';
import { linesOf } from './last-words.ts';
import { ReadingError } from './reading-error.ts';

interface Match {
  readonly text: string;
  /** Start of the text in the content. */
  readonly from: number;
  readonly to: number;
  /** End of everything that the pattern matches. */
  readonly end: number;
}

/** @param origin  the rule with its flag, for messages. Throws LocalFault for a wrong pattern, what it returns ReadingError. */
export function findByPattern(source: string, flags: string, origin: string): (content: string) => string | undefined {
  const match = /^(i?)(first)?(i?)$/.exec(flags);
  if (match === null) throw new LocalFault(`${origin}: "${flags}" is unknown; after /.../ comes i, first or nothing.`);
  const pattern = toPattern(source, flags.includes('i') && flags !== 'first', origin);
  const isFirst = match[2] !== undefined;
  const takesComma = source.includes('),');
  return (content) => {
    const found = isFirst ? firstMatch(content, pattern) : lastMatch(content, pattern);
    if (found === undefined) return undefined;
    refusePart(content, found, takesComma);
    // Maxima writes a blank behind the sign.
    return found.text.replace(/^([-+])\s+(?=[\d.])/, '$1');
  };
}

/** The first line that the pattern matches, between those before and behind it, on one line. Throws LocalFault for a wrong pattern. */
export function findLines(source: string, flags: string, origin: string): (content: string) => string | undefined {
  if (flags !== '' && flags !== 'i')
    throw new LocalFault(`${origin}: "${flags}" is unknown; after /.../ comes i or nothing.`);
  const pattern = toPattern(source, flags === 'i', origin);
  return (content) => {
    const at = content.matchAll(pattern).next().value?.index;
    if (at === undefined) return undefined;
    const start = content.lastIndexOf('\n', at - 1) + 1;
    const [line, next] = linesOf(content.slice(start, start + SHOWN_LENGTH));
    const before = linesOf(content.slice(Math.max(0, start - SHOWN_LENGTH), start)).at(-1);
    return shorten([before, line, next].filter((one) => one !== undefined).join(' | '), SHOWN_LENGTH);
  };
}

const SHOWN_LENGTH = 400;

function toPattern(source: string, ignoresCase: boolean, origin: string): RegExp {
  try {
    return new RegExp(source, ignoresCase ? 'dgmi' : 'dgm');
  } catch (error) {
    throw new LocalFault(`${origin}: ${(error as Error).message}.`);
  }
}

function firstMatch(content: string, pattern: RegExp): Match | undefined {
  for (const one of content.matchAll(pattern)) return toMatch(one);
  return undefined;
}

function lastMatch(content: string, pattern: RegExp): Match | undefined {
  let found: RegExpExecArray | undefined;
  for (const one of content.matchAll(pattern)) found = one;
  return found && toMatch(found);
}

function toMatch(found: RegExpExecArray): Match {
  const at = found[1] === undefined ? 0 : 1;
  const text = found[at]!;
  const from = found.indices![at]![0] + text.length - text.trimStart().length;
  return { text: text.trim(), from, to: from + text.trim().length, end: found.index + found[0].length };
}

/** A number as it may stand in a text, with a power of ten behind it; PARI writes a blank before its letter. */
const NUMBER =
  /(?:\d+\.?\d*|\.\d+)(?:[eEdDbBqQ][-+]?\d+|(?<=\.\d*)[-+]\d{3}(?!\d)|(?<=\.\d*)\s[eE][-+]?\d+(?![\w.])|\.?#\w+|\s?(?:\*|x|×|·)\s?10\s?(?:\^|\*\*)\s?[-+({]*\d+|\*\^[-+]?\d+)?/g;
/** A sign before a number: at the number itself, or with blanks between where it cannot be an operator. */
const SIGN = /(?:^|[^\s\w])([-+])$|(?:^|[^\s\d])\s*([-+])[^\S\n]+$|\s([-+])$/;

/** A term behind a number with which it is another one: 1/3, 2*1.0 (Fortran: twice 1.0), 2 + 1/3, 10^3, 1.5 - 0.25i, and 0.25i itself. */
const TERM = /^(?:\s?(?:\/|\*{1,2}|\^)\s?[-+(]*[\w.]+|\s\+\s\d[\d./]*|\s?[-+]\s?[\d.]+(?:e[-+]?\d+)?[ij]\b|[ij]\b)/;
/** `+/-` before the error of a value and `--` in an empty column (GROMACS), which are no signs. */
const NO_SIGN = /(?:\+\/?-\s*|--\s+)$/;

/** Throws ReadingError where the text is a part of a number. @param takesComma  whether the pattern says that a comma follows */
function refusePart(content: string, { text, from, to, end: matched }: Match, takesComma: boolean): void {
  if (!/^[-+]?[\d.]/.test(text)) return;
  const start = content.lastIndexOf('\n', from - 1) + 1;
  const end = content.indexOf('\n', to);
  const line = content.slice(start, end < 0 ? undefined : end).replace(/\r$/, '');
  const [first, last] = [from - start, to - start];
  const refuse = (whole: string): never => {
    throw new ReadingError(`it takes ${text} of ${whole.trim()} in the line ${JSON.stringify(shorten(line.trim()))}`);
  };
  for (const number of line.matchAll(NUMBER)) {
    const [a, b] = [number.index, number.index + number[0].length];
    if (b <= first || a >= last) continue;
    if (a < first || b > last) refuse(line.slice(Math.min(a, first), Math.max(b, last)));
  }
  const comma = /^,\d+/.exec(line.slice(last));
  if (comma !== null && !takesComma && /^[-+]?\d+$/.test(text)) refuse(text + comma[0]);
  const behind = line.slice(last);
  // A pattern that goes on behind the number says what stands there.
  const term = matched > to ? null : TERM.exec(behind);
  if (term !== null && /\d$/.test(text)) refuse(text + term[0]);
  if (/^[-+]/.test(text)) return;
  const before = line.slice(0, first);
  if (NO_SIGN.test(before)) return;
  const inComplex = /^[ij]\b/.test(behind) ? /([-+])\s+$/.exec(before) : null;
  const sign = SIGN.exec(before) ?? inComplex ?? (text.includes('.') ? /\w([-+])$/.exec(before) : null);
  // A plus sign, as in `+ 0.5`, changes nothing.
  if (sign?.slice(1).includes('-')) refuse(`${line.slice(before.lastIndexOf('-'), first)}${text}`);
}
