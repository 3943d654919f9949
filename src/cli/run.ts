import path from 'node:path';
import { FileError } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { JournalError } from '../../clients/typescript/src/evaluator/journal.ts';
import { ForeignFileError } from '../../clients/typescript/src/evaluator/own-files.ts';
import { AnswerTooLargeError, BacksolveError, NotBacksolveError } from '../../clients/typescript/src/index.ts';
import { LocalServiceError } from '../../clients/typescript/src/solve/local-service.ts';
import { BudgetError, ChangedProblemError } from '../../clients/typescript/src/solve/open-problem.ts';
import { ProblemFileError } from '../runner/check-problem.ts';
import { describeEnd, EXIT_CODES, exitCodeOf } from '../runner/closing.ts';
import { countOf } from '../runner/display-lines.ts';
import { MovedProblemError } from '../runner/moved-problem.ts';
import { RunFolder } from '../runner/run-folder.ts';
import { adviseOnRanges } from '../runner/solve.ts';
import type { SolveEnd } from '../runner/solve-end.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand } from './command.ts';
import { complain, print } from './print.ts';
import {
  checkProblem,
  connectTo,
  displayFor,
  isAway,
  listenToSignals,
  lockProblem,
  type ProblemFlags,
  problemFlags,
  solve,
} from './problems.ts';

const flags = { ...problemFlags, check: { type: 'boolean' } } as const;

export const run: Command = {
  summary: 'solve the problem of a file: calls your program until the outputs are as wanted',
  usage: `Usage: backsolve run FILE [--jobs N] [--runs N] [--retry-failed | --new] [--check] [--no-evaluate]
         [--url URL --key KEY]

FILE says what the inputs are, what the outputs should be, and which command computes them (docs/problem-file.md);
\`backsolve init\` writes one. Results go to NAME.csv and NAME.json beside it. Started again after Ctrl-C, a crash or a reboot,
the same command goes on; no finished run is repeated. Uses the service at URL (or BACKSOLVE_URL and BACKSOLVE_API_KEY), or
one of its own in .backsolve beside the file.

  --jobs N, -j N   runs at a time, instead of what the file says
  --runs N         the most runs, instead of maximumRuns in the file; a larger number goes on with a search that has ended
  --retry-failed   runs failed runs once more, after you have mended your program, then goes on
  --new            starts over; what was begun earlier stays in .backsolve under other names
  --check          looks for mistakes in FILE and runs nothing
  --no-evaluate    leaves the runs to others (backsolve evaluate) and shows how they go

Exit codes: 0 everything met, 10 stopped without, 11 runs used up, 12 too many failures, 2 FILE or arguments are wrong,
69 the service cannot be reached, 130 interrupted.`,
  flags,

  async run(args, config) {
    const { values, positionals } = parseCommand(this.usage, {
      args: [...args],
      allowPositionals: true,
      options: flags,
    });
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new CommandError(`Which file?\n\n${this.usage}`);
    return explained(async () => {
      if (values.check === true) return checkOnly(file, values);
      return runFile(file, values, config);
    });
  },
};

async function checkOnly(file: string, values: ProblemFlags): Promise<number> {
  const { problem, bodies, designedCount, known, notes } = await checkProblem(file, values);
  const sets = problem.targetSets.length === 1 ? '' : `, ${problem.targetSets.length} target sets`;
  const first =
    known.length > 0 ? countOf(known.length, 'known run') : `${countOf(designedCount, 'designed run')} first`;
  const size = `${countOf(problem.inputs.length, 'input')}, ${countOf(problem.outputs.length, 'output')}${sets}`;
  print(`${file} can be read, and the service would take the problem: ${size}, ${first}. The program was not called.`);
  for (const sentence of [...notes, ...adviseOnRanges(bodies).map((advice) => advice.sentence)]) print(sentence);
  return 0;
}

async function runFile(file: string, values: ProblemFlags, config: Config): Promise<number> {
  const checked = await checkProblem(file, values);
  const folder = new RunFolder(file);
  const display = displayFor(checked.problem);
  const note = (text: string) => display.print(text);
  checked.notes.forEach(note);
  const unlock = await lockProblem(folder, { file, checked, flags: values, note });
  try {
    const connection = await connectTo(values, config, folder, () => display.print('Starting the service ...'));
    const signals = listenToSignals(() =>
      display.print('Waiting for the runs in progress; press Ctrl-C again to stop them.'),
    );
    try {
      const end = await solve(checked, values, { folder, connection, signals, display });
      print(`\n${describeEnd(checked.problem, withShortPaths(end), `backsolve run ${file}`)}`);
      return exitCodeOf(end);
    } finally {
      signals.close();
      await connection.release();
    }
  } finally {
    await unlock();
  }
}

/** Paths as a person would write them here. */
export function withShortPaths(end: SolveEnd): SolveEnd {
  return { ...end, files: { csv: path.relative('', end.files.csv), json: path.relative('', end.files.json) } };
}

/** Turns errors that a person can act on into one line and an exit code. */
export async function explained(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const known = toComplaint(error);
    if (known === undefined) throw error;
    complain(known.message);
    return known.code;
  }
}

/** Undefined for what no person can act on. */
export function toComplaint(error: unknown): { readonly message: string; readonly code: number } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  if (error instanceof CommandError) return { message, code: error.exitCode };
  if (error instanceof LocalServiceError) return { message, code: 1 };
  if (error instanceof BudgetError) return { message, code: EXIT_CODES.exhausted };
  if (isAway(error) || error instanceof NotBacksolveError || error instanceof AnswerTooLargeError)
    return { message, code: EXIT_CODES.away };
  if (USAGE_ERRORS.some((kind) => error instanceof kind)) return { message, code: EXIT_CODES.usage };
  const isOfFile = 'syscall' in error && 'path' in error;
  return isOfFile ? { message: `A file cannot be used: ${message}`, code: EXIT_CODES.usage } : undefined;
}

const USAGE_ERRORS = [
  FileError,
  ForeignFileError,
  ProblemFileError,
  ChangedProblemError,
  MovedProblemError,
  LocalFault,
  JournalError,
  BacksolveError,
];
