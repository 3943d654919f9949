/** Finds what a program says of its failure in the end of what it printed. */
import { shorten } from './exchange.ts';

/** Lines of the end in which an error is looked for. */
const SEARCHED = 30;
/** Lines that are shown. */
const SHOWN = 3;
const LONGEST = 400;
/** `error: x is undefined`, `ValueError: ...`, `*** FATAL ...`, `Exception in thread "main" ...:`, `run simulation(s) aborted` */
const ERROR =
  /^\W*(?:fatal|error|panic|exception)\b|\b\w*(?:error|exception|fatal)\b[^:]{0,20}:|\baborted\W*$|^incorrect syntax:/i;
/** Lines that follow an error of Octave: the trace, and the end of the program. */
const TRACE = /^error: (?:called from\b|ignoring const execution_exception)/;
/** Maxima writes it below its errors. */
const BELOW = /^-- an error\. To debug this try/;

/** The ends of what a program printed. */
interface Printed {
  readonly errorTail: string;
  readonly tail: string;
}

/**
 * Explanation of a failure: the last error on standard error, else on standard output, where programs such as ccx and
 * Maxima have theirs, else the last lines. Empty if there is none.
 *
 * @param isOutput  whether the last line of standard output may be an output, which is no explanation
 */
export function explain({ errorTail, tail }: Printed, isOutput: boolean): string {
  const shown = lastError(errorTail) ?? lastError(tail) ?? lastLines(errorTail);
  return shown === '' && !isOutput ? lastLines(tail) : shown;
}

/** The last error, else the last lines. */
export function lastWords(text: string): string {
  return lastError(text) ?? lastLines(text);
}

/**
 * The last error and the lines after it, on one line: Octave, Node.js and others print where they were after what was wrong. Undefined
 * where there is none.
 */
function lastError(text: string): string | undefined {
  const lines = linesOf(text).slice(-SEARCHED);
  const isError = lines.map(
    (line, i) => (ERROR.test(line) && !TRACE.test(line) && !BELOW.test(line)) || BELOW.test(lines[i + 1] ?? ''),
  );
  let at = isError.lastIndexOf(true);
  if (at < 0) return undefined;
  while (at > 0 && isError[at - 1]) at -= 1;
  const shown = lines.slice(at).filter((line) => !BELOW.test(line));
  return onOneLine(shown.slice(0, SHOWN));
}

function lastLines(text: string): string {
  return onOneLine(linesOf(text).slice(-SHOWN));
}

/** Without blank ones, and blanks around them. */
export function linesOf(text: string): readonly string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function onOneLine(lines: readonly string[]): string {
  return shorten(lines.join(' | '), LONGEST);
}
