/** Reads values of a problem file strictly, and collects everything that is wrong with their places. */
import { findNearestName } from '../../domain/nearest-name.ts';
import type { FileViolation, MapEntry, Position, Value } from './yaml-values.ts';

export type Path = readonly string[];

export interface NumberRule {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isWhole?: boolean;
}

export class ValueReader {
  readonly violations: FileViolation[] = [];
  /** Position of each key and each value, by its path as JSON. */
  readonly #positions = new Map<string, Position>();

  refuse(at: Position, path: Path, message: string): undefined {
    this.violations.push({ position: at, key: path.join('.'), message });
    return undefined;
  }

  /** The place of a path, or of the nearest thing above it. */
  positionOf(path: Path): Position {
    for (let length = path.length; length >= 0; length--) {
      const position = this.#positions.get(JSON.stringify(path.slice(0, length)));
      if (position !== undefined) return position;
    }
    return { line: 1, column: 1 };
  }

  /** The entries of a map with only these keys; undefined when it is none. */
  fields(value: Value, path: Path, known: readonly string[]): ReadonlyMap<string, Value> | undefined {
    const entries = this.entries(value, path, `a map with ${listWords(known)}`);
    if (entries === undefined) return undefined;
    const fields = new Map<string, Value>();
    for (const [key, entry] of entries) {
      if (known.includes(key)) fields.set(key, entry.value);
      else this.refuse(entry.keyAt, [...path, key], `is not known here; ${adviceFor(key, known)}`);
    }
    return fields;
  }

  /** The entries of a map whatever its keys. */
  entries(value: Value, path: Path, wanted: string): ReadonlyMap<string, MapEntry> | undefined {
    this.#note(path, value.at);
    if (value.kind !== 'map') return this.#refuseKind(value, path, wanted);
    for (const [key, { keyAt }] of value.entries) this.#note([...path, key], keyAt);
    return value.entries;
  }

  list(value: Value, path: Path, wanted: string): readonly Value[] | undefined {
    this.#note(path, value.at);
    if (value.kind !== 'list') return this.#refuseKind(value, path, wanted);
    for (const [i, item] of value.items.entries()) this.#note([...path, String(i + 1)], item.at);
    return value.items;
  }

  number(value: Value, path: Path, { minimum, maximum, isWhole = false }: NumberRule = {}): number | undefined {
    const wanted = `${isWhole ? 'a whole number' : 'a number'}${rangeOf(minimum, maximum)}`;
    if (value.kind !== 'number' || !Number.isFinite(value.number)) return this.#refuseKind(value, path, wanted);
    const { number } = value;
    const isInside = number >= (minimum ?? number) && number <= (maximum ?? number);
    if (!isInside || (isWhole && !Number.isSafeInteger(number))) return this.#refuseKind(value, path, wanted);
    return number === 0 ? 0 : number;
  }

  /** A list of texts; a single one needs no list. Empty if there is no value. */
  texts(value: Value | undefined, path: Path): readonly string[] {
    if (value === undefined) return [];
    if (value.kind === 'text') return [value.text];
    const items = this.list(value, path, 'a list of texts') ?? [];
    return items.map((item, i) => this.text(item, [...path, String(i + 1)]) ?? '');
  }

  /** Text that is not empty; numbers and booleans count as they are written. */
  text(value: Value, path: Path, wanted = 'text'): string | undefined {
    const text = textOf(value);
    return text === undefined || text.trim() === '' ? this.#refuseKind(value, path, wanted) : text;
  }

  /** The place of a key stays when its value is read. */
  #note(path: Path, at: Position): void {
    const id = JSON.stringify(path);
    if (!this.#positions.has(id)) this.#positions.set(id, at);
  }

  /** One of these words. */
  word<T extends string>(value: Value, path: Path, words: readonly T[]): T | undefined {
    const text = textOf(value);
    if (text !== undefined && words.includes(text as T)) return text as T;
    const meant = text === undefined ? undefined : findNearestName(text, words);
    const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return this.refuse(value.at, path, `must be ${listWords(words)}, is ${describe(value)}.${advice}`);
  }

  boolean(value: Value, path: Path): boolean | undefined {
    return value.kind === 'boolean' ? value.boolean : this.#refuseKind(value, path, 'true or false');
  }

  #refuseKind(value: Value, path: Path, wanted: string): undefined {
    return this.refuse(value.at, path, `must be ${wanted}, is ${describe(value)}.`);
  }
}

export function textOf(value: Value): string | undefined {
  return value.kind === 'text' || value.kind === 'number' || value.kind === 'boolean' ? value.text : undefined;
}

const SHOWN_LENGTH = 40;

export function describe(value: Value): string {
  switch (value.kind) {
    case 'null':
      return 'empty';
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'text':
      return value.text.length <= SHOWN_LENGTH ? JSON.stringify(value.text) : 'a long text';
    default:
      return value.text;
  }
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

export function adviceFor(key: string, known: readonly string[]): string {
  const meant = findNearestName(key, known);
  return meant === undefined ? `allowed: ${listWords(known)}.` : `did you mean ${meant}?`;
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? 'nothing') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
