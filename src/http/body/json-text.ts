/**
 * From the bytes of a body to a JSON value. The cost of building it is counted on the bytes first: 31 MiB of
 * `[0],[0],...` are eight million arrays, and text nested thousands of levels deep overflows the stack of any recursive
 * function.
 */
import { parse } from 'secure-json-parse';

/** Limits on the contents of a text. */
export interface TextLimits {
  /** Levels of nested arrays and objects. */
  readonly depth: number;
  readonly containers: number;
  /** Fields of all objects together. */
  readonly members: number;
  /** Elements and members of all containers together. */
  readonly values: number;
}

export type ParsedText<T = unknown> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly message: string };

const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Text that exceeds a limit, is not UTF-8 or JSON, or has a field __proto__ or constructor.prototype is unreadable. */
export function parseJsonText(bytes: Uint8Array, limits: TextLimits): ParsedText {
  const excess = findExcess(bytes, limits);
  if (excess !== undefined) return { kind: 'unreadable', message: excess };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { kind: 'unreadable', message: 'The body is not valid UTF-8.' };
  }
  try {
    return { kind: 'value', value: parse(text, { protoAction: 'error', constructorAction: 'error' }) };
  } catch (error) {
    return { kind: 'unreadable', message: explain(error as Error, text, bytes) };
  }
}

/** The first limit that the text exceeds, as a sentence. Counts are right for JSON only; the parser refuses the rest. */
function findExcess(bytes: Uint8Array, limits: TextLimits): string | undefined {
  let depth = 0;
  let containers = 0;
  let members = 0;
  let separators = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
    } else if (byte === COMMA) {
      separators++;
    } else if (byte === COLON) {
      members++;
    } else if (byte === OPENING[0] || byte === OPENING[1]) {
      containers++;
      if (++depth > limits.depth) return `The body must be nested at most ${limits.depth} levels deep.`;
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) {
      depth--;
    }
  }
  if (containers > limits.containers)
    return `The body must have at most ${limits.containers} arrays and objects, has ${containers}.`;
  if (members > limits.members) return `The body must have at most ${limits.members} fields, has ${members}.`;
  const values = separators + containers;
  if (values > limits.values) return `The body must have at most ${limits.values} values, has ${values}.`;
  return undefined;
}

/** Position of the quote that closes the string starting at `start`, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = bytes.indexOf(QUOTE, start + 1); i !== -1; i = bytes.indexOf(QUOTE, i + 1)) {
    let backslashes = 0;
    while (bytes[i - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return i;
  }
  return bytes.length;
}

/** Spellings in other languages of numbers that JSON does not have. */
const NO_NUMBER = /(?<=^|[[,:\s])(?:-?Infinity|NaN)(?=[\],}\s]|$)/;

function explain(error: Error, text: string, bytes: Uint8Array): string {
  if (error.message.includes('forbidden prototype property')) {
    return `The body must not have the field ${isProtoFree(text) ? 'constructor.prototype' : '__proto__'}.`;
  }
  const word = NO_NUMBER.exec(utf8.decode(withoutStrings(bytes)))?.[0];
  if (word !== undefined) {
    return `The body is not valid JSON: JSON has no ${word}. Under /v1, report a run without a result as failed: send failed: true instead of its output, or list its row in failedCases.`;
  }
  const position = /at position (\d+)/.exec(error.message)?.[1];
  return `The body is not valid JSON${position === undefined ? '' : `; see character ${Number(position) + 1}`}.`;
}

function isProtoFree(text: string): boolean {
  try {
    parse(text, { protoAction: 'error', constructorAction: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The text with its strings blanked out. */
function withoutStrings(bytes: Uint8Array): Uint8Array {
  const rest = bytes.slice();
  for (let start = rest.indexOf(QUOTE); start !== -1; start = rest.indexOf(QUOTE, start)) {
    rest.fill(BLANK, start, endOfString(rest, start) + 1);
  }
  return rest;
}
