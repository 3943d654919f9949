/** The lines of a control file by its sections, `* parameter data`, and options of PEST++, `++name(value)`. */
import { PestFileError } from './pest-error.ts';

export interface ControlLine {
  /** The file with the line, as messages call it. */
  readonly origin: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface ControlSections {
  readonly isVersion2: boolean;
  /** By their names, in small letters with single blanks. */
  readonly sections: ReadonlyMap<string, readonly ControlLine[]>;
  readonly options: ReadonlyMap<string, string>;
}

/** Sections whose lines are texts of their own, in which # has no meaning. */
const VERBATIM = 'model command line';

/** @param origin  what messages call the file. Throws PestFileError. */
export function readSections(text: string, origin: string): ControlSections {
  const lines = withoutMark(text).split(/\r?\n/);
  const sections = new Map<string, ControlLine[]>();
  const options = new Map<string, string>();
  const start = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const head = /^pcf\b(.*)$/i.exec(lines[start]?.trim() ?? '');
  if (head === null) {
    throw new PestFileError(
      `${origin}:${Math.max(1, start + 1)}: is not a control file of PEST: it must begin with pcf.`,
    );
  }
  let current: { readonly name: string; readonly lines: ControlLine[] } | undefined;
  for (const [i, raw] of lines.entries()) {
    const whole = raw.trim();
    if (i <= start || whole === '' || whole.startsWith('#')) continue;
    const line = current?.name === VERBATIM ? whole : withoutComment(whole);
    const named = /^\*\s*(.+)$/.exec(line);
    if (line.startsWith('++')) readOptions(line, options);
    else if (named !== null) {
      current = { name: named[1]!.trim().toLowerCase().replace(/\s+/g, ' '), lines: [] };
      if (sections.has(current.name)) {
        throw new PestFileError(`${origin}:${i + 1}: the section "${current.name}" is here twice.`);
      }
      sections.set(current.name, current.lines);
    } else if (current === undefined) {
      throw new PestFileError(`${origin}:${i + 1}: stands before the first section, such as "* control data".`);
    } else if (line !== '') current.lines.push({ origin, line: i + 1, text: line });
  }
  return { isVersion2: /version\s*=\s*2/i.test(head[1]!), sections, options };
}

/** Without a byte order mark, also where each byte is one character. */
export function withoutMark(text: string): string {
  return text.replace(/^(\u00EF\u00BB\u00BF|\uFEFF)/, '');
}

/** # begins a comment at the start of a word. */
function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '').trim();
}

function readOptions(line: string, options: Map<string, string>): void {
  for (const [, name, value] of line.replace(/^\+\+/, '').matchAll(/([\w.]+)\s*\(([^)]*)\)/g)) {
    options.set(name!.toLowerCase(), value!.trim());
  }
}

/** Words; those in quotes may contain blanks. */
export function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  );
}

export function placeOf({ origin, line }: ControlLine): string {
  return `${origin}:${line}`;
}
