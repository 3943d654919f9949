/** Searches the output of a program from which run-log.ts has left out the middle. */
import { ReadingError } from './reading-error.ts';
import { GAP } from './run-log.ts';

/** The part of a text that suffices if the middle is missing: the last match lies behind the gap, the first one before it. */
export type Part = 'first' | 'last' | 'any' | 'all';

const DOUBT: Readonly<Record<Part, string>> = {
  first: 'the first match may be among them',
  last: 'the last match may be among them',
  any: 'a match may be among them',
  all: 'it is not complete',
};

const LOGS = ['stdout.log', 'stderr.log'];

/** @param file  in the work folder */
export function isLog(file: string): boolean {
  return LOGS.includes(file);
}

/**
 * Applies `find` to a log with a gap and returns what is surely the first, the last or any of all matches. Throws
 * ReadingError if that may be in the gap.
 */
export function findInLog(content: string, find: (text: string) => unknown, part: Part): unknown {
  const gap = GAP.exec(content);
  if (gap === null) return find(content);
  const [before, behind] = [content.slice(0, gap.index), content.slice(gap.index + gap[0].length)];
  // The lines at the gap are cut.
  const [first, last] = [before.slice(0, before.lastIndexOf('\n') + 1), behind.slice(behind.indexOf('\n') + 1)];
  for (const text of { first: [first], last: [last], any: [first, last], all: [] }[part]) {
    const found = find(text);
    if (found !== undefined) return found;
  }
  throw new ReadingError(
    `${gap[1]} bytes of what the command printed are left out, and ${DOUBT[part]}; write it to a file`,
  );
}
