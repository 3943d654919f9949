/**
 * A YAML 1.2 file (JSON is YAML too) as values with their places. Aliases, duplicate keys, unknown tags, several documents, deep
 * nesting and large files are refused: a problem file needs none of them, and each has surprised someone.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** Both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something wrong at one position of a file; `key` is written like `inputs.length.step`, empty for the file as a whole. */
export interface FileViolation {
  readonly position: Position;
  readonly key: string;
  readonly message: string;
}

export interface MapEntry {
  readonly keyAt: Position;
  readonly value: Value;
}

export type Value =
  | { readonly kind: 'text'; readonly text: string; readonly at: Position }
  | { readonly kind: 'number'; readonly number: number; readonly text: string; readonly at: Position }
  | { readonly kind: 'boolean'; readonly boolean: boolean; readonly text: string; readonly at: Position }
  | { readonly kind: 'null'; readonly at: Position }
  | { readonly kind: 'list'; readonly items: readonly Value[]; readonly at: Position }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, MapEntry>; readonly at: Position };

/** Characters. */
const MAXIMUM_SIZE = 1_048_576;
const MAXIMUM_DEPTH = 20;
/** One slip can make every line after it wrong. */
const LISTED_ERRORS = 10;
const START: Position = { line: 1, column: 1 };

export interface ParsedYaml {
  /** Undefined where the text is no YAML. */
  readonly value: Value | undefined;
  readonly violations: readonly FileViolation[];
}

export function parseYaml(text: string): ParsedYaml {
  if (text.length > MAXIMUM_SIZE) {
    return refused(`must have at most ${MAXIMUM_SIZE} characters, has ${text.length}; keep data in a CSV file.`);
  }
  const lines = new LineCounter();
  let document: Document;
  try {
    document = parseDocument(text, { version: '1.2', uniqueKeys: true, prettyErrors: false, lineCounter: lines });
  } catch (error) {
    if (error instanceof RangeError) return refused('is nested too deeply.');
    throw error;
  }
  const toPosition = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const errors = document.errors.slice(0, LISTED_ERRORS);
  if (document.errors.some(({ message }) => message.startsWith('Maximum call stack'))) {
    return refused('is nested too deeply.');
  }
  const violations: FileViolation[] = [...errors, ...document.warnings.slice(0, LISTED_ERRORS)].map(
    ({ pos, message }) => ({
      position: toPosition(pos[0]),
      key: '',
      message: `is no valid YAML: ${adviceOf(message)}`,
    }),
  );
  if (document.errors.length > 0) return { value: undefined, violations };
  const value = new Converter(toPosition, violations).convert(document.contents as Node | null, [], START);
  return { value, violations };
}

function refused(message: string): ParsedYaml {
  return { value: undefined, violations: [{ position: START, key: '', message }] };
}

function adviceOf(message: string): string {
  if (message.startsWith('Map keys must be unique')) return 'this key stands here twice.';
  if (message.includes('multiple documents')) return 'the file holds several documents (---); keep one.';
  return message.replace(/\.?$/, '.');
}

class Converter {
  readonly #toPosition: (offset: number) => Position;
  readonly #violations: FileViolation[];

  constructor(toPosition: (offset: number) => Position, violations: FileViolation[]) {
    this.#toPosition = toPosition;
    this.#violations = violations;
  }

  convert(node: Node | null | undefined, path: readonly string[], above: Position): Value {
    const offset = node?.range?.[0];
    const at = offset === undefined ? above : this.#toPosition(offset);
    if (node === null || node === undefined) return { kind: 'null', at };
    const refuse = (message: string): Value => {
      this.#violations.push({ position: at, key: path.join('.'), message });
      return { kind: 'null', at };
    };
    if (path.length > MAXIMUM_DEPTH) return refuse('is nested too deeply.');
    if (isAlias(node)) return refuse('is an alias (*name); write the value out.');
    if (isSeq(node)) {
      const items = node.items.map((item, i) => this.convert(item as Node, [...path, String(i + 1)], at));
      return { kind: 'list', items, at };
    }
    if (isMap(node)) return this.#convertMap(node.items, path, at);
    if (!isScalar(node)) return refuse('cannot be read; write a value.');
    return toScalar(node.value, node.source, at) ?? refuse('must be text, a number, true or false.');
  }

  #convertMap(pairs: readonly { key: unknown; value: unknown }[], path: readonly string[], at: Position): Value {
    const entries = new Map<string, MapEntry>();
    for (const pair of pairs) {
      const key = pair.key as Node | null;
      const keyAt = key?.range ? this.#toPosition(key.range[0]) : at;
      if (!isScalar(key) || key.value === null) {
        this.#violations.push({ position: keyAt, key: path.join('.'), message: 'has a key that is not text.' });
        continue;
      }
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
      // 1 and "1" differ for YAML, but name the same thing here.
      if (entries.has(name)) {
        this.#violations.push({ position: keyAt, key: [...path, name].join('.'), message: 'stands here twice.' });
        continue;
      }
      entries.set(name, { keyAt, value: this.convert(pair.value as Node | null, [...path, name], keyAt) });
    }
    return { kind: 'map', entries, at };
  }
}

function toScalar(value: unknown, source: string | undefined, at: Position): Value | undefined {
  const text = source ?? String(value);
  if (value === null) return { kind: 'null', at };
  if (typeof value === 'string') return { kind: 'text', text: value, at };
  if (typeof value === 'number') return { kind: 'number', number: value, text, at };
  if (typeof value === 'boolean') return { kind: 'boolean', boolean: value, text, at };
  return undefined;
}
