/**
 * Template files of PEST: `ptf ~` on the first line, then the input file of the model with a space such as `~ k     ~` for each value,
 * which fills it from marker to marker.
 */
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import type { InputValues, Template } from '../files/template.ts';
import { withoutMark } from './control-sections.ts';
import { type NumberStyle, writeInWidth } from './number-in-width.ts';
import { PestFileError } from './pest-error.ts';

export interface PestTemplate extends Template {
  /** Names of parameters, in small letters, each once, with the width of its narrowest space. */
  readonly widths: ReadonlyMap<string, number>;
  /** Text written into the narrowest space of a parameter. Throws LocalFault if it does not fit. */
  write(name: string, value: number): string;
  readonly origin: string;
}

type Piece = string | { readonly name: string; readonly width: number };

/** PEST has no narrower spaces. */
const LEAST_WIDTH = 3;

/**
 * @param text    each byte as one character, so that every encoding stays as it is
 * @param origin  what messages call it
 *
 * Throws PestFileError.
 */
export function parsePestTemplate(text: string, origin: string, style: NumberStyle = {}): PestTemplate {
  const end = /\r?\n|$/.exec(text)!;
  const marker = readMarker(text.slice(0, end.index), origin, ['ptf', 'jtf']);
  const pieces: Piece[] = [];
  for (const [i, line] of text
    .slice(end.index + end[0].length)
    .split(/(?<=\n)/)
    .entries()) {
    const parts = line.split(marker);
    if (parts.length % 2 === 0) {
      throw new PestFileError(`${origin}:${i + 2}: the marker ${marker} must stand on both sides of each parameter.`);
    }
    pieces.push(...parts.map((part, k) => (k % 2 === 0 ? part : spaceOf(part, `${origin}:${i + 2}`))));
  }
  return makeTemplate(pieces, origin, style);
}

/** The character after `ptf` or `pif` on the first line. Throws PestFileError. */
export function readMarker(line: string, origin: string, words: readonly string[]): string {
  const [word = '', marker = '', ...rest] = withoutMark(line).trim().split(/\s+/);
  if (!words.includes(word.toLowerCase()) || rest.length > 0) {
    throw new PestFileError(`${origin}:1: must begin with "${words[0]} ~", where ~ is the marker of the file.`);
  }
  if (/^[^\w\s![\]():&]$/.test(marker)) return marker;
  throw new PestFileError(
    `${origin}:1: the marker must be one character, no letter, digit, !, [, ], (, ), : or &; it is "${marker}".`,
  );
}

function spaceOf(inner: string, where: string): Piece {
  const name = inner.trim().toLowerCase();
  const width = inner.length + 2;
  if (name === '') throw new PestFileError(`${where}: a space between two markers names no parameter.`);
  if (width < LEAST_WIDTH) throw new PestFileError(`${where}: the space of ${name} is narrower than ${LEAST_WIDTH}.`);
  return { name, width };
}

function makeTemplate(pieces: readonly Piece[], origin: string, style: NumberStyle): PestTemplate {
  const widths = new Map<string, number>();
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    widths.set(piece.name, Math.min(piece.width, widths.get(piece.name) ?? piece.width));
  }
  const write = (name: string, value: number, width: number): string => {
    const written = Number.isFinite(value) ? writeInWidth(value, width, style) : undefined;
    if (written !== undefined) return written;
    throw new LocalFault(`${origin}: ${name} = ${value} does not fit into ${width} characters; widen its space.`);
  };
  return {
    widths,
    origin,
    write: (name, value) => write(name, value, widths.get(name)!),
    check(names) {
      const missing = [...widths.keys()].find((name) => !names.includes(name));
      if (missing !== undefined) throw new LocalFault(`${origin}: there is no parameter "${missing}".`);
    },
    render(values: InputValues) {
      const writePiece = ({ name, width }: Exclude<Piece, string>) => write(name, Number(values[name]), width);
      return pieces.map((piece) => (typeof piece === 'string' ? piece : writePiece(piece))).join('');
    },
  };
}
