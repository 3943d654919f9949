/**
 * From the bytes of a body to a JSON value. What a text would cost to build is counted on its bytes first: 31 MiB of
 * `[0],[0],...` are eight million arrays, and a text nested thousands of levels deep ends whatever walks it later.
 */
import { parse } from 'secure-json-parse';

/** What a text may hold. */
export interface TextLimits {
  /** Arrays and objects inside one another. */
  readonly depth: number;
  readonly containers: number;
  /** Names in all objects together. */
  readonly members: number;
  /** Elements and members of all containers together. */
  readonly values: number;
}

export type ParsedText =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly message: string };

const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A text that breaks a limit, is no UTF-8, no JSON, or names __proto__ or constructor.prototype is unreadable. */
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
    return { kind: 'unreadable', message: explain(error as Error, bytes) };
  }
}

/** The first limit that the text breaks, as a sentence. Anything but JSON may be counted wrong: the parser refuses it. */
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
      if (++depth > limits.depth) return `The body is nested more than ${limits.depth} levels deep.`;
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) {
      depth--;
    }
  }
  if (containers > limits.containers) return `The body has more than ${limits.containers} arrays and objects.`;
  if (members > limits.members) return `The body has more than ${limits.members} fields.`;
  if (separators + containers > limits.values) return `The body has more than ${limits.values} values.`;
  return undefined;
}

/** Position of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = bytes.indexOf(QUOTE, start + 1); i !== -1; i = bytes.indexOf(QUOTE, i + 1)) {
    let backslashes = 0;
    while (bytes[i - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return i;
  }
  return bytes.length;
}

/** What other languages write for numbers that JSON cannot hold. */
const NO_NUMBER = /(?<=[[,:\s])(?:-?Infinity|NaN)(?=[\],}\s])/;

function explain(error: Error, bytes: Uint8Array): string {
  if (error.message.includes('forbidden prototype property')) {
    return 'The body has the field "__proto__" or "constructor.prototype"; leave it out.';
  }
  const word = NO_NUMBER.exec(utf8.decode(withoutStrings(bytes)))?.[0];
  if (word !== undefined) {
    return `The body is not valid JSON: JSON has no ${word}. If a run gave no number, report a failed run instead: failed: true, or its row in failedCases.`;
  }
  const position = /at position (\d+)/.exec(error.message)?.[1];
  return `The body is not valid JSON${position === undefined ? '' : `; see character ${Number(position) + 1}`}.`;
}

/** The text with a blank for every byte of a string. */
function withoutStrings(bytes: Uint8Array): Uint8Array {
  const rest = bytes.slice();
  for (let start = rest.indexOf(QUOTE); start !== -1; start = rest.indexOf(QUOTE, start)) {
    rest.fill(BLANK, start, endOfString(rest, start) + 1);
  }
  return rest;
}
