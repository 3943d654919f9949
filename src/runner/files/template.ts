/** Inputs in texts: `{{name}}` in template files and `{name}` in arguments, each with an optional format such as `{{length:.6e}}`. */
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { type Format, formatValue, parseFormat, type Writable } from './format.ts';

/** The inputs of one evaluation by name. */
export type InputValues = Readonly<Record<string, Writable>>;

/** A text with placeholders. */
export interface Template {
  /** Throws LocalFault if it names another input, or if it asks for an impossible format. */
  check(names: readonly string[]): void;
  /** Throws as check does, and if a value does not fit its format. */
  render(values: InputValues): string;
  /** Places where values are written, to check what programs will read; absent if every digit is written. */
  places?(names: readonly string[]): readonly WrittenPlace[];
}

/** A place where the value of an input is written. */
export interface WrittenPlace {
  /** For messages, such as `in.tmpl: length:8.3f`. */
  readonly label: string;
  readonly input: string;
  /** Absent where none is stated: every digit is written. */
  readonly format?: Format;
  /** Text written for a value of the input; @param format  instead of the stated one. Throws LocalFault if it does not fit. */
  write(value: Writable, format?: Format): string;
  /** The number that should be written for a value of the input; absent where it is the value. */
  toWritten?(value: number): number;
}

type Piece = string | { readonly inner: string };

/** `origin` names the text in messages. In a file, `\{{` stands for `{{`. Its check refuses a file without a placeholder. */
export function parseFileTemplate(text: string, origin: string): Template {
  const pieces = split(text, /\\\{\{|\{\{([^{}]*)\}\}/g, () => '{{');
  const template = makeTemplate(pieces, origin);
  if (pieces.some((piece) => typeof piece !== 'string')) return template;
  return {
    ...template,
    check(names) {
      const single = names.find((name) => text.includes(`{${name}}`) || text.includes(`{${name}:`));
      const found = single === undefined ? '' : `, and {${single}} is none`;
      throw new LocalFault(
        `${origin}: has no placeholder such as {{${names[0]}}}${found}: every run would read the same. A file that does not change is one of copies.`,
      );
    },
  };
}

/**
 * In an argument, `{{text}}` stands for `{text}`. Braces around what can be neither a name nor a name with a format, as in JSON, are
 * text.
 */
export function parseArgument(text: string, origin: string): Template {
  const pieces = split(text, /\{\{[^{}]*\}\}|\{(\p{L}[^{}"'$;|&\n]*)\}/gu, (whole) => whole.slice(1, -1));
  return makeTemplate(pieces, origin);
}

/** Splits a text into placeholders, at the groups of the pattern, and the text between, in which `escaped` replaces other matches. */
function split(text: string, pattern: RegExp, escaped: (whole: string) => string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(end, match.index));
    pieces.push(match[1] === undefined ? escaped(match[0]) : { inner: match[1].trim() });
    end = match.index + match[0].length;
  }
  return [...pieces, text.slice(end)];
}

function makeTemplate(pieces: readonly Piece[], origin: string): Template {
  const placeholders = pieces.filter((piece) => typeof piece !== 'string');
  return {
    check(names) {
      const known = new Set(names);
      for (const { inner } of placeholders) findName(inner, known, origin);
    },
    render(values) {
      const known = new Set(Object.keys(values));
      const write = ({ inner }: { readonly inner: string }): string => {
        const { name, format } = findName(inner, known, origin);
        const value = values[name]!;
        return format === undefined ? String(value) : formatValue(value, format, `${origin}: ${inner}`);
      };
      return pieces.map((piece) => (typeof piece === 'string' ? piece : write(piece))).join('');
    },
    places(names) {
      const known = new Set(names);
      return placeholders.map(({ inner }) => {
        const { name, format } = findName(inner, known, origin);
        const label = `${origin}: ${inner}`;
        const write = (value: Writable, instead = format) =>
          instead === undefined ? String(value) : formatValue(value, instead, label);
        return { label, input: name, write, ...(format && { format }) };
      });
    },
  };
}

interface Found {
  readonly name: string;
  readonly format: Format | undefined;
}

/** A name may contain a colon itself. */
function findName(inner: string, known: ReadonlySet<string>, origin: string): Found {
  if (known.has(inner)) return { name: inner, format: undefined };
  const colon = inner.lastIndexOf(':');
  const name = colon < 0 ? inner : inner.slice(0, colon).trimEnd();
  if (!known.has(name)) {
    throw new LocalFault(`${origin}: there is no input "${name}"; the inputs are ${[...known].join(', ')}.`);
  }
  return { name, format: parseFormat(inner.slice(colon + 1), `${origin}: ${inner}`) };
}
