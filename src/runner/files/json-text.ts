/** JSON that programs write. */
import { ReadingError } from './reading-error.ts';

/**
 * JSON in which also NaN, Infinity and the like stand for numbers, as many programs write them; they become null, as JavaScript writes
 * them. Undefined if it is none. Throws ReadingError where an object has a key twice: either value could be meant.
 */
export function parseJson(text: string): { readonly value: unknown; readonly isLenient: boolean } | undefined {
  const strict = parseOrUndefined(text);
  const value =
    strict ?? parseOrUndefined(text.replace(TEXT_OR_NO_NUMBER, (found) => (found[0] === '"' ? found : 'null')));
  if (value === undefined) return undefined;
  refuseRepeatedKeys(text);
  return { value, isLenient: strict === undefined };
}

const TEXT_OR_NO_NUMBER = /"(?:[^"\\]|\\.)*"|[-+]?\b(?:nan|inf|infinity)\b/gi;

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TOKEN = /[{}]|("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** @param text  is JSON, so the rest of it needs no look */
function refuseRepeatedKeys(text: string): void {
  const open: Set<string>[] = [];
  for (const [token, quoted, colon] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const key = JSON.parse(quoted!) as string;
      const keys = open.at(-1)!;
      if (keys.has(key)) throw new ReadingError(`an object has the key ${JSON.stringify(key)} twice`);
      keys.add(key);
    }
  }
}
