/** What a program printed, where run-log.ts has left out the middle. */
import { ReadingError } from './reading-error.ts';
import { GAP } from './run-log.ts';

/** Which part of a text is enough, where the middle is missing: the last match lies behind, the first one before. */
export type Part = 'first' | 'last' | 'any' | 'all';

const LOGS = ['stdout.log', 'stderr.log'];

/** @param file  in the work folder */
export function isLog(file: string): boolean {
  return LOGS.includes(file);
}

/**
 * What `find` finds: in a log with a gap, what is surely the first, the last or any of all. Throws ReadingError where that may be in the gap.
 */
export function findInLog(content: string, find: (text: string) => unknown, part: Part): unknown {
  const gap = GAP.exec(content);
  if (gap === null) return find(content);
  const [before, behind] = [content.slice(0, gap.index), content.slice(gap.index + gap[0].length)];
  // The lines at the gap are cut.
  const parts = { first: before.slice(0, before.lastIndexOf('\n') + 1), last: behind.slice(behind.indexOf('\n') + 1) };
  const found =
    part === 'all' ? undefined : part === 'any' ? (find(parts.first) ?? find(parts.last)) : find(parts[part]);
  if (found !== undefined) return found;
  const what =
    part === 'all' ? 'it is not complete' : `${part === 'any' ? 'a' : `the ${part}`} match may be among them`;
  throw new ReadingError(`${gap[1]} bytes of what the command printed are left out, and ${what}; write it to a file`);
}
