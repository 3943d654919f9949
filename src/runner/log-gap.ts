/** What a program printed, where run-log.ts has left out the middle. */
import { ReadingError } from './reading-error.ts';
import { GAP } from './run-log.ts';

const LOGS = ['stdout.log', 'stderr.log'];

/** @param file  in the work folder */
export function isLog(file: string): boolean {
  return LOGS.includes(file);
}

/**
 * What `find` finds: in a log with a gap, what is surely the first or the last of all. Throws ReadingError where that may be in the gap.
 */
export function findInLog(content: string, find: (text: string) => unknown, part: 'first' | 'last' | 'all'): unknown {
  const gap = GAP.exec(content);
  if (gap === null) return find(content);
  const [before, behind] = [content.slice(0, gap.index), content.slice(gap.index + gap[0].length)];
  // The lines at the gap are cut.
  const whole =
    part === 'first' ? before.slice(0, before.lastIndexOf('\n') + 1) : behind.slice(behind.indexOf('\n') + 1);
  const found = part === 'all' ? undefined : find(whole);
  if (found !== undefined) return found;
  const what = part === 'all' ? 'it is not complete' : `the ${part} match may be among them`;
  throw new ReadingError(`${gap[1]} bytes of what the command printed are left out, and ${what}; write it to a file`);
}
