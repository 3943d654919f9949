/**
 * Instruction files of PEST: `pif ~` on the first line, then how to find observations in an output file of the model.
 *
 *   l3                advances by three lines
 *   ~time =~          first on a line: to the next line with this text; later on a line: behind it
 *   w   t20           to the next word; to column 20
 *   !h1!              the number that comes next, to a blank, a comma, or the marker that follows; !dum! passes over anything
 *   [h1]5:12          the number in these columns
 *   (h1)5:12          the number that lies in these columns at least in part
 *   &                 first on a line: the line before goes on
 */
import { PestFileError } from './pest-error.ts';
import { readMarker } from './template-file.ts';

export type Instruction =
  | { readonly kind: 'lines'; readonly count: number }
  | { readonly kind: 'marker'; readonly text: string }
  | { readonly kind: 'word' }
  | { readonly kind: 'column'; readonly column: number }
  | { readonly kind: 'free'; readonly name: string }
  | { readonly kind: 'fixed' | 'semi-fixed'; readonly name: string; readonly from: number; readonly to: number };

export interface InstructionLine {
  /** In the file, from 1. */
  readonly line: number;
  readonly instructions: readonly Instruction[];
}

export interface InstructionFile {
  /** As messages call it. */
  readonly origin: string;
  readonly lines: readonly InstructionLine[];
  /** Names of observations, in small letters and the order of the file. */
  readonly names: readonly string[];
}

/** Name that makes PEST read over a value. */
export const DUMMY = 'dum';

/** @param origin  what messages call it. Throws PestFileError. */
export function parseInstructionFile(text: string, origin: string): InstructionFile {
  const [first = '', ...rest] = text.split(/\r?\n/);
  const marker = readMarker(first, origin, ['pif', 'jif']);
  const lines: { line: number; instructions: Instruction[] }[] = [];
  for (const [i, content] of rest.entries()) {
    const where = `${origin}:${i + 2}`;
    const tokens = tokensOf(content, marker, where);
    if (tokens.length === 0) continue;
    const goesOn = tokens[0] === '&';
    const instructions = tokens.slice(goesOn ? 1 : 0).map((token) => toInstruction(token, marker, where));
    if (goesOn && lines.length > 0) lines.at(-1)!.instructions.push(...instructions);
    else if (isStart(instructions[0])) lines.push({ line: i + 2, instructions });
    else throw new PestFileError(`${where}: must begin with a line advance such as l1, a marker, or &.`);
  }
  const names = lines.flatMap(({ instructions }) => instructions.flatMap(nameIn));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new PestFileError(`${origin}: the observation ${twice} is read twice.`);
  return { origin, lines, names };
}

function isStart(first: Instruction | undefined): boolean {
  return first?.kind === 'lines' || first?.kind === 'marker';
}

function nameIn(one: Instruction): readonly string[] {
  return 'name' in one && one.name !== DUMMY ? [one.name] : [];
}

/** Words; what stands between two markers is one, with its markers. */
function tokensOf(line: string, marker: string, where: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < line.length; ) {
    if (/\s/.test(line[at]!)) {
      at += 1;
      continue;
    }
    const isMarker = line[at] === marker;
    const close = line.indexOf(marker, at + 1);
    if (isMarker && close < 0) {
      throw new PestFileError(`${where}: the marker ${marker} must stand on both sides of a text.`);
    }
    const rest = /^\S*/.exec(line.slice(at))![0].split(marker)[0]!;
    const end = isMarker ? close + 1 : at + rest.length;
    tokens.push(line.slice(at, end));
    at = end;
  }
  return tokens;
}

const COLUMNS = /^([[(])([^\])]+)([\])])(\d+):(\d+)$/;

function toInstruction(token: string, marker: string, where: string): Instruction {
  const refuse = (why: string): never => {
    throw new PestFileError(`${where}: ${token}: ${why}`);
  };
  if (token.startsWith(marker)) {
    const text = token.slice(1, -1);
    return text === '' ? refuse('there is no text between the markers.') : { kind: 'marker', text };
  }
  const advance = /^l(\d+)$/i.exec(token);
  if (advance !== null) {
    const count = Number(advance[1]);
    return count > 0 ? { kind: 'lines', count } : refuse('a line advance is l1 or more.');
  }
  if (/^w$/i.test(token)) return { kind: 'word' };
  const tab = /^t(\d+)$/i.exec(token);
  if (tab !== null)
    return Number(tab[1]) > 0 ? { kind: 'column', column: Number(tab[1]) } : refuse('columns count from 1.');
  const free = /^!([^!]+)!$/.exec(token);
  if (free !== null) return { kind: 'free', name: free[1]!.trim().toLowerCase() };
  const columns = COLUMNS.exec(token);
  if (columns === null)
    return refuse(
      'is not an instruction; known are l1, w, t20, !name!, [name]1:8, (name)1:8 and texts between markers.',
    );
  const [, open, name, close, from, to] = columns;
  if ((open === '[') !== (close === ']')) return refuse('the brackets do not belong together.');
  const kind = open === '[' ? 'fixed' : 'semi-fixed';
  if (Number(from) < 1 || Number(to) < Number(from)) return refuse('needs columns from 1, such as 1:8.');
  return { kind, name: name!.trim().toLowerCase(), from: Number(from), to: Number(to) };
}
