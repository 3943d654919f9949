/** What a program says of its failure, out of the end of what it printed. */
import { shorten } from './exchange.ts';

/** Lines of the end in which an error is looked for. */
const SEARCHED = 30;
/** Lines that are shown. */
const SHOWN = 3;
const LONGEST = 400;
/** `error: x is undefined`, `ValueError: ...`, `*** FATAL ...`, `Exception in thread "main" ...:` */
const ERROR = /^\W*(?:fatal|error|panic|exception)\b|\b\w*(?:error|exception|fatal)\b[^:]{0,20}:/i;

/**
 * The last error and the lines after it, on one line: Octave, Node.js and others print where they were after what was wrong. Without an
 * error the last lines. Empty where nothing was printed.
 */
export function lastWords(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-SEARCHED);
  const isError = lines.map((line) => ERROR.test(line));
  let at = isError.lastIndexOf(true);
  while (at > 0 && isError[at - 1]) at -= 1;
  const shown = at < 0 ? lines.slice(-SHOWN) : lines.slice(at, at + SHOWN);
  return shorten(shown.join(' | '), LONGEST);
}
