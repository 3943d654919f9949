/** Interprets the exit code of a program. */
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';

/**
 * output: it has an output. fail: a failed run. retry: try again. abort: end all work. fault: the program did not run, so this machine or
 * its engine is at fault.
 */
export type ExitMeaning = 'output' | 'fail' | 'retry' | 'abort' | 'fault';

export const EXIT_MEANINGS: readonly ExitMeaning[] = ['output', 'fail', 'retry', 'abort', 'fault'];

/** EX_TEMPFAIL of sysexits.h. */
const TEMPORARY_FAILURE = 75;
/**
 * Exit codes with which shells report a program that is not executable (126) or not there (127), and programs that run others (`docker
 * run`, podman, env, nice, timeout) that they could not do so (125): no daemon, no image, a wrong option.
 */
const NOT_STARTED: readonly number[] = [125, 126, 127];

/** Reads `3=retry,4=abort`. Throws LocalFault. */
export function parseExitCodes(text: string | undefined): (code: number) => ExitMeaning {
  const given = new Map<number, ExitMeaning>();
  for (const part of text === undefined || text.trim() === '' ? [] : text.split(',')) {
    const [code, meaning, ...rest] = part.split('=').map((word) => word.trim());
    const isCode = /^\d{1,3}$/.test(code!) && Number(code) <= 255;
    if (!isCode || !EXIT_MEANINGS.includes(meaning as ExitMeaning) || rest.length > 0) {
      const form = `write CODE=MEANING, such as 3=retry; meanings are ${EXIT_MEANINGS.join(', ')}`;
      throw new LocalFault(`--on-exit "${part}": ${form}.`);
    }
    if (given.has(Number(code))) throw new LocalFault(`--on-exit names the exit code ${code} twice.`);
    given.set(Number(code), meaning as ExitMeaning);
  }
  return (code) => given.get(code) ?? usualMeaning(code);
}

function usualMeaning(code: number): ExitMeaning {
  if (code === 0) return 'output';
  if (code === TEMPORARY_FAILURE || signalOf(code) !== undefined) return 'retry';
  return NOT_STARTED.includes(code) ? 'fault' : 'fail';
}

/** The number of the signal that ended a program which a shell, or a wrapper such as srun, ran: it adds 128. */
function signalOf(code: number): number | undefined {
  return code > 128 && code <= 128 + 31 ? code - 128 : undefined;
}
