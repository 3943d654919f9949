/** Solves a problem whose black box is a function. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { LocalFault } from '../evaluator/evaluation.ts';
import type { Reportable } from '../evaluator/evaluation-calls.ts';
import { fiveDigits } from '../evaluator/nearness.ts';
import { Adviser } from './adviser.ts';
import { callsOf } from './conditions.ts';
import { openHere } from './connection.ts';
import { Engine } from './engine.ts';
import { failureOf, mergeGiven, readGiven } from './given.ts';
import type { Goals } from './goals.ts';
import { type Inputs, toValues } from './inputs.ts';
import { type BoxFile, Looker, OWN, withImports } from './looks.ts';
import { type BlackBox, refuseUnknownOptions, type SolveOptions } from './options.ts';
import { type Problem, pointsText } from './problem.ts';
import { type FinishedRun, type Result, readResult, toRun } from './result.ts';
import type { Session } from './session.ts';

/**
 * Finds inputs that meet the goals. The same call after a crash goes on: no finished run is repeated, and a search that is over gives its
 * result immediately, until `fresh` starts over.
 *
 * Throws RangeError, TypeError, ChangedProblemError, BudgetError, ProblemLockedError, LocalServiceError, JournalError, and BacksolveError
 * when the service refuses. While it does not answer, the search waits for it.
 */
export async function solve<const I extends Inputs, const G extends Goals>(
  blackBox: BlackBox<I, G>,
  options: SolveOptions<I, G>,
): Promise<Result<I, G>> {
  refuseUnknownOptions(options, 'solve');
  const { retryFailed = false, fresh = false, signal } = options;
  if (retryFailed && fresh) {
    throw new TypeError('retryFailed goes on with the runs that fresh puts aside: give one of the two.');
  }
  const { session, release } = await openHere(options, options, {
    looker: lookerOf(options, blackBox),
    retryFailed,
    beginsAnew: true,
  });
  try {
    const teller = new Teller(options, session);
    const engine = new Engine({
      session,
      evaluate: ({ input, source }, ending) => callBox(options, boxOf(options, blackBox, source), input, ending),
      onResult: () => teller.tell(),
      signal,
    });
    await engine.begin();
    teller.tell();
    const { kind, reason } = await engine.run();
    if (kind !== 'over' && kind !== 'stopped') {
      // An evaluator that was refused ends with words only; the call that is refused as well has the error.
      await session.refresh();
      throw new Error(reason ?? `The runs ended: ${kind}.`);
    }
    return await readResult(session, options);
  } finally {
    await release();
  }
}

/** At the functions, the program that calls them with what it imports of its own files, and the files that are named. */
function lookerOf<I extends Inputs, G extends Goals>(options: SolveOptions<I, G>, blackBox: BlackBox<I, G>): Looker {
  const { files = [], sources = {} } = options;
  return new Looker(async () => {
    const home = process.cwd();
    const named = files.map((file) => ({ path: path.resolve(file), name: file }));
    const all = [...named, ...(await programFiles(home))];
    const points = pointsText(options as Problem);
    const partsOf = (run: unknown) => ({ texts: { 'the text of the function': String(run) + points }, files: all });
    return new Map([
      [OWN, partsOf(blackBox)],
      ...Object.entries(sources).map(([name, { run }]) => [name, partsOf(run)] as const),
    ]);
  }, blackBox);
}

/** Values that a function closes over are invisible here; the files that contain it are not. */
async function programFiles(home: string): Promise<readonly BoxFile[]> {
  const main = process.argv[1];
  if (main === undefined || main.split(path.sep).includes('node_modules')) return [];
  const file = await realpath(main).catch(() => undefined);
  return file === undefined ? [] : withImports({ path: file, name: path.relative(home, file) }, home);
}

/** The function of a source; the service names none that the call did not. */
function boxOf<I extends Inputs, G extends Goals>(
  { sources }: SolveOptions<I, G>,
  blackBox: BlackBox<I, G>,
  source: string | null | undefined,
): BlackBox<I, G> {
  if (source == null) return blackBox;
  if (sources?.[source] === undefined)
    throw new LocalFault(`The service asks for the source ${source}: name it in sources.`);
  return sources[source].run;
}

/** Tells of every run that is over, once; of one that was tried again once more. */
class Teller<I extends Inputs, G extends Goals> {
  readonly #options: SolveOptions<I, G>;
  readonly #session: Session;
  /** Undefined where no progress is printed. */
  readonly #adviser: Adviser | undefined;
  /** Time at which each run ended, by its order. */
  readonly #told = new Map<number, string>();

  constructor(options: SolveOptions<I, G>, session: Session) {
    const { progress = process.stderr.isTTY === true } = options;
    this.#options = options;
    this.#session = session;
    this.#adviser = progress ? new Adviser(session, (sentence) => process.stderr.write(`${sentence}\n`)) : undefined;
  }

  tell(): void {
    this.#tellRuns();
    void this.#adviser?.look();
  }

  #tellRuns(): void {
    const { onRun } = this.#options;
    const hasProgress = this.#adviser !== undefined;
    if (onRun === undefined && !hasProgress) return;
    for (const run of this.#session.runs) {
      if (this.#told.get(run.order) === run.at) continue;
      this.#told.set(run.order, run.at);
      const told = toRun(this.#options, run, this.#session.nameOf(run));
      onRun?.(told);
      if (hasProgress) process.stderr.write(`${describeRun(told)}\n`);
    }
  }
}

/** Calls the black box for an input. Throws TypeError when an output is missing, which no run can cure. */
async function callBox<I extends Inputs, G extends Goals>(
  problem: Problem<I, G>,
  blackBox: BlackBox<I, G>,
  input: readonly number[],
  signal: AbortSignal,
): Promise<Reportable> {
  const calls = callsOf(Object.entries(problem.goals));
  const given: unknown[] = [];
  for (const { when } of calls.length === 0 ? [{ when: {} }] : calls) {
    try {
      given.push(await blackBox(toValues(problem.inputs, input), signal, when));
    } catch (error) {
      return failureOf(error);
    }
  }
  return readGiven(problem, calls.length === 0 ? given[0] : mergeGiven(calls, given));
}

function describeRun({ name, source, input, output, error }: FinishedRun<Inputs, Goals>): string {
  const words = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${inWords(value)}`)
      .join(' ');
  return `${name}${source === null ? '' : ` (${source})`}: ${words(input)} -> ${output === null ? `failed: ${error}` : words(output)}`;
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} values`;
  return typeof value === 'number' ? fiveDigits(value) : String(value);
}
