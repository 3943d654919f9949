import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckedProblem } from '../runner/check-problem.ts';
import { describeEnd, EXIT_CODES, endInWords, exitCodeOf, formatRows } from '../runner/closing.ts';
import type { Display } from '../runner/display.ts';
import { countRuns, formatElapsed, formatMiss } from '../runner/display-lines.ts';
import { plain } from '../runner/plain-text.ts';
import { RunFolder } from '../runner/run-folder.ts';
import type { SolveEnd } from '../runner/solve-end.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand } from './command.ts';
import { complain, print } from './print.ts';
import {
  checkProblem,
  connectTo,
  listenToSignals,
  lockProblem,
  type ProblemFlags,
  problemFlags,
  type Signals,
  solve,
} from './problems.ts';
import { explained, toComplaint, withShortPaths } from './run.ts';

export const batch: Command = {
  summary: 'solve the problems of several files, or all target sets of one, and sum them up',
  usage: `Usage: backsolve batch FILE... [--jobs N] [--runs N] [--retry-failed | --new] [--no-evaluate] [--url URL --key KEY]

Solves each FILE as \`backsolve run\` does, side by side, --jobs runs at a time for each and --runs at most; a FILE with several target sets
(\`targets:\`) is worked through set by set. Begun files go on; with --retry-failed their failed runs are run once more. Ends
with a table. With --no-evaluate others run them: backsolve evaluate.

Exit codes: 0 everything met, 10 or 11 something is not, 12 too many failures, 2 a file or the arguments are wrong, 69 the
service cannot be reached, 130 interrupted.`,
  flags: problemFlags,

  async run(args, config) {
    const { values, positionals } = parseCommand(this.usage, {
      args: [...args],
      allowPositionals: true,
      options: problemFlags,
    });
    if (positionals.length === 0) throw new CommandError(`Which files?\n\n${this.usage}`);
    refuseRepeats(positionals);
    return explained(() => solveFiles(positionals, values, config));
  },
};

interface Task {
  readonly file: string;
  readonly checked: CheckedProblem;
  readonly folder: RunFolder;
}

async function solveFiles(files: readonly string[], values: ProblemFlags, config: Config): Promise<number> {
  // All files are checked before any of them begins.
  const tasks: Task[] = [];
  for (const file of files)
    tasks.push({ file, checked: await checkProblem(file, values), folder: new RunFolder(file) });
  const signals = listenToSignals(() => print('Waiting for the runs in progress; press Ctrl-C again to stop them.'));
  const over = new AbortController();
  const progress = printProgress(tasks, over.signal);
  try {
    const ends = await Promise.all(
      tasks.map((task) => solveOne(task, values, config, signals, progress.displayFor(task)).catch(toFailure)),
    );
    over.abort();
    await progress.ended;
    for (const [i, end] of ends.entries()) if ('message' in end) complain(`${tasks[i]!.file}: ${end.message}`);
    const [first] = ends;
    // One file reads like a run.
    if (tasks.length > 1) print(`\n${summaryOf(tasks, ends)}`);
    else if (!('message' in first!)) {
      const { file, checked } = tasks[0]!;
      print(`\n${describeEnd(checked.problem, withShortPaths(first!), `backsolve batch ${file}`)}`);
    }
    return worstOf(ends.map(codeOf));
  } finally {
    over.abort();
    signals.close();
  }
}

async function solveOne(
  { file, checked, folder }: Task,
  values: ProblemFlags,
  config: Config,
  signals: Signals,
  display: Display,
): Promise<SolveEnd> {
  const note = (text: string) => display.print(text);
  const unlock = await lockProblem(folder, { file, checked, flags: values, note });
  try {
    const connection = await connectTo(values, config, folder, () => display.print('Starting the service ...'));
    try {
      return await solve(checked, values, { folder, connection, signals, display });
    } finally {
      await connection.release();
    }
  } finally {
    await unlock();
  }
}

const PROGRESS_MS = 5_000;

/** A line per file now and then, if anything has changed: files run side by side, and each has its own display otherwise. */
function printProgress(tasks: readonly Task[], signal: AbortSignal) {
  const read = new Map<Task, Parameters<Display['follow']>[0]>();
  const last = new Map<Task, string>();
  const show = () => {
    for (const [task, standingOf] of read) {
      const { runs, phase, satisfiedSets, sets, shown, elapsedMs } = standingOf();
      const best = sets[shown]?.best ?? null;
      const ofSets = sets.length === 1 ? '' : `, ${satisfiedSets} of ${sets.length} target sets met`;
      const miss = best === null ? '' : `, worst miss ${formatMiss(best.worst)}`;
      const line = `${task.file}: ${phase}, ${countRuns(runs)}${ofSets}${miss}`;
      if (last.get(task) !== line) print(`${line} (${formatElapsed(elapsedMs)})`);
      last.set(task, line);
    }
  };
  const ended = (async () => {
    while (await sleep(PROGRESS_MS, true, { signal }).catch(() => false)) show();
    show();
  })();
  return {
    ended,
    displayFor: (task: Task): Display => ({
      print: (line) => print(plain(tasks.length === 1 ? line : `${task.file}: ${line}`)),
      printRun: () => undefined,
      follow: (standingOf) => read.set(task, standingOf),
      end: () => undefined,
    }),
  };
}

type Failure = NonNullable<ReturnType<typeof toComplaint>>;

/** The other files go on. */
function toFailure(error: unknown): Failure {
  const complaint = toComplaint(error);
  if (complaint === undefined) throw error;
  return complaint;
}

function codeOf(end: SolveEnd | Failure): number {
  return 'message' in end ? end.code : exitCodeOf(end);
}

function summaryOf(tasks: readonly Task[], ends: readonly (SolveEnd | Failure)[]): string {
  const rows = tasks.map(({ file }, i) => {
    const end = ends[i]!;
    if ('message' in end) return [file, 'cannot begin', '-', '-', '-', '-'];
    const { standing, search } = end;
    const reasons = search.objectives.map((one) => endInWords(one.stopReason));
    const verdict =
      reasons.length === 1 ? reasons[0]! : `${standing.satisfiedSets} of ${standing.sets.length} sets met`;
    const worst = standing.sets.map(({ best }) => best?.worst ?? Number.POSITIVE_INFINITY);
    const miss = Math.max(...worst);
    return [
      file,
      ENDED[exitCodeOf(end)] ?? verdict,
      String(standing.runs),
      String(standing.failed),
      Number.isFinite(miss) ? formatMiss(miss) : '-',
      withShortPaths(end).files.csv,
    ];
  });
  return formatRows([['file', 'ended', 'runs', 'failed', 'worst miss', 'results'], ...rows]);
}

const ENDED: Readonly<Record<number, string>> = {
  [EXIT_CODES.failed]: 'too many failures',
  [EXIT_CODES.usage]: 'cannot be run here',
  [EXIT_CODES.away]: 'service away',
  [EXIT_CODES.interrupted]: 'interrupted',
};

const ORDER: readonly number[] = [
  EXIT_CODES.usage,
  EXIT_CODES.away,
  EXIT_CODES.interrupted,
  EXIT_CODES.failed,
  EXIT_CODES.exhausted,
  EXIT_CODES.stopped,
  EXIT_CODES.satisfied,
];

function worstOf(codes: readonly number[]): number {
  return ORDER.find((code) => codes.includes(code)) ?? EXIT_CODES.satisfied;
}

/** Two files of one name in one folder would share their journal. */
function refuseRepeats(files: readonly string[]): void {
  const folders = files.map((file) => new RunFolder(file).path);
  const again = folders.findIndex((folder, i) => folders.indexOf(folder) < i);
  if (again < 0) return;
  const first = files[folders.indexOf(folders[again]!)];
  throw new CommandError(
    `${first} and ${files[again]} are the same problem, or would share one name; rename one of them.`,
  );
}
