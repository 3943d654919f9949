/** Shared parts of `run` and `batch`: checking a file, the service, the lock, the command and the signals. */
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Evaluate, LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { troubleOf } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import { makeOwnFolder } from '../../clients/typescript/src/evaluator/own-files.ts';
import { Backsolve } from '../../clients/typescript/src/index.ts';
import { joinLocalService } from '../../clients/typescript/src/solve/local-service.ts';
import { checkDefinition } from '../composing/check-definition.ts';
import { misfitsOfSets } from '../domain/search/fit.ts';
import { makeMissMeasure, type WeighedDefinition } from '../domain/search/nearest.ts';
import { DEFAULT_CONVERGENCE, storedTargets } from '../domain/search/objective.ts';
import { searchOptionsOf } from '../domain/search/search-options.ts';
import { entryModule, NODE_FLAGS } from '../installation.ts';
import { writeBestCopies } from '../runner/best-copy.ts';
import type { BlackBox, OpenBlackBox, Surroundings } from '../runner/black-box/black-box.ts';
import { type CheckedProblem, checkProblemFile, ProblemFileError } from '../runner/check-problem.ts';
import { evaluateUnderConditions } from '../runner/conditions.ts';
import { type Display, makeDisplay } from '../runner/display.ts';
import {
  describeCopied,
  describeRenamed,
  type EarlierProblem,
  findEarlier,
  MovedProblemError,
  refuseElsewhere,
} from '../runner/moved-problem.ts';
import type { Problem } from '../runner/problem.ts';
import type { Body } from '../runner/problem-bodies.ts';
import { MAXIMUM_RUNS } from '../runner/problem-file.ts';
import { RunFolder } from '../runner/run-folder.ts';
import { solveProblem } from '../runner/solve.ts';
import type { SolveEnd } from '../runner/solve-end.ts';
import type { MeasureMisses } from '../runner/standing.ts';
import { type Config, environmentForPrograms, terminalOf } from '../settings/config.ts';
import { CommandError, readCount, text } from './command.ts';

/** Flags of both commands. */
export const problemFlags = {
  new: { type: 'boolean' },
  'retry-failed': { type: 'boolean' },
  jobs: { ...text, short: 'j' },
  runs: text,
  url: text,
  key: text,
  'no-evaluate': { type: 'boolean' },
} as const;

export interface ProblemFlags {
  readonly new?: boolean | undefined;
  readonly 'retry-failed'?: boolean | undefined;
  readonly jobs?: string | undefined;
  readonly runs?: string | undefined;
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly 'no-evaluate'?: boolean | undefined;
}

/** Also whether the command can run here. Throws CommandError for flags, and ProblemFileError with everything that is wrong. */
export async function checkProblem(file: string, flags: ProblemFlags): Promise<CheckedProblem> {
  refuseContradictions(flags);
  const workFolder = await mkdtemp(path.join(tmpdir(), 'backsolve-check-'));
  const where = surroundingsOf(new RunFolder(file), { workFolder });
  try {
    const checked = await checkProblemFile(file, changesBy(flags), checkDefinition, where);
    const advice = new Set<string>();
    await tryOut(file, checked, { ...where, onAdvice: (sentence) => advice.add(sentence) });
    return { ...checked, notes: [...checked.notes, ...advice] };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

async function tryOut(file: string, { problem, positionOf }: CheckedProblem, where: Surroundings): Promise<void> {
  try {
    const { close } = await openBlackBox(problem, where);
    await close();
  } catch (error) {
    if (!(error instanceof LocalFault)) throw error;
    const [key, message] = toKey(error.message, problem.blackBox.key);
    throw new ProblemFileError(file, [{ position: positionOf([key]), key, message }]);
  }
}

function refuseContradictions(flags: ProblemFlags): void {
  if (flags['retry-failed'] !== true) return;
  if (flags.new === true) {
    throw new CommandError('--retry-failed goes on with the runs that --new puts aside: give one of the two.');
  }
  if (flags['no-evaluate'] === true) {
    throw new CommandError('--retry-failed runs the command here: leave out --no-evaluate.');
  }
}

const KEY_OF_FLAG: readonly (readonly [string, string])[] = [
  ['--template ', 'templates'],
  ['--copy ', 'copies'],
  ['--read ', 'read'],
  ['--jacobian ', 'jacobian'],
  ['--fails-if ', 'failsIf'],
  ['--succeeds-if ', 'succeedsIf'],
  ['--on-exit ', 'onExit'],
];

/** The flags of `evaluate` are keys of a problem file. */
function toKey(message: string, key: string): readonly [string, string] {
  const found = KEY_OF_FLAG.find(([flag]) => message.startsWith(flag));
  return found === undefined ? [key, message] : [found[1], message.slice(found[0].length)];
}

/** Throws LocalFault where the black box cannot work here. */
async function openBlackBox(problem: Problem, where: Surroundings) {
  const boxes: OpenBlackBox[] = [];
  const close = async () => {
    for (const box of boxes) await box.close();
  };
  const evaluateOf = (blackBox: BlackBox) => {
    const box = blackBox.open(where);
    boxes.push(box);
    return evaluateUnderConditions(problem, box.call);
  };
  try {
    const fine = await evaluateOf(problem.blackBox);
    const cheaper = new Map<string, Evaluate>();
    for (const { name, blackBox } of problem.sources) cheaper.set(name, await evaluateOf(blackBox));
    const evaluate: Evaluate = (evaluation, signal) =>
      (evaluation.source == null ? fine : cheaper.get(evaluation.source)!)(evaluation, signal);
    return { evaluate, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function surroundingsOf({ home }: RunFolder, options: Pick<Surroundings, 'workFolder' | 'onNote'>): Surroundings {
  return { home, environment: environmentForPrograms(), ...options };
}

export interface Connection {
  readonly client: Backsolve;
  /** The address of a remote service, or null for that of the folder. */
  readonly service: string | null;
  release(): Promise<void>;
}

/** The service of --url or BACKSOLVE_URL, else the one of the folder. Throws CommandError and LocalServiceError. */
export async function connectTo(
  flags: ProblemFlags,
  config: Config,
  folder: RunFolder,
  onStart: () => void,
): Promise<Connection> {
  const url = flags.url ?? config.client.url;
  if (url === undefined) {
    if (flags.key !== undefined) throw new CommandError('--key needs --url, the address of the service it is for.');
    const local = await joinLocalService(path.join(folder.home, '.backsolve'), {
      command: [process.execPath, ...NODE_FLAGS, fileURLToPath(entryModule('main.ts'))],
      environment: environmentForPrograms(),
      onStart,
    });
    const client = new Backsolve({ url: local.url, key: local.key, fetch: local.fetch, ...RETRIES });
    return { client, service: null, release: () => local.close() };
  }
  const key = flags.key ?? config.client.key;
  if (key === undefined) {
    throw new CommandError(`${url} needs an API key: --key, or BACKSOLVE_API_KEY in the environment.`);
  }
  try {
    const client = new Backsolve({ url, key, ...RETRIES });
    return { client, service: client.address, release: async () => undefined };
  } catch (error) {
    throw error instanceof TypeError ? new CommandError(error.message) : error;
  }
}

/** A service that is away for longer is said to be; runs go on meanwhile. */
const RETRIES = { maximumRetries: 6, retryForMs: 20_000 } as const;

export interface Signals {
  /** Claims no more. */
  readonly signal: AbortSignal;
  /** Ends what runs. */
  readonly endSignal: AbortSignal;
  close(): void;
}

/** The first Ctrl-C waits for running programs, the second kills them, the third ends this process. Other signals kill them immediately. */
export function listenToSignals(onFirst: () => void): Signals {
  const [stop, end] = [new AbortController(), new AbortController()];
  const onInterrupt = () => {
    if (end.signal.aborted) process.exit(130);
    if (stop.signal.aborted) end.abort();
    else onFirst();
    stop.abort();
  };
  const onTerminate = () => {
    stop.abort();
    end.abort();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onTerminate);
  const close = () => {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onTerminate);
    process.off('SIGHUP', onTerminate);
  };
  return { signal: stop.signal, endSignal: end.signal, close };
}

/** Values of the file that the flags replace. */
function changesBy({ jobs, runs }: ProblemFlags): Partial<Pick<Problem, 'jobs' | 'maximumRuns'>> {
  return {
    ...(jobs !== undefined && { jobs: readCount('--jobs', jobs, 1, 64) }),
    ...(runs !== undefined && { maximumRuns: readCount('--runs', runs, 2, MAXIMUM_RUNS) }),
  };
}

/** One problem to its end, under its lock. Throws CommandError when another process works on it. */
export async function solve(
  checked: CheckedProblem,
  flags: ProblemFlags,
  context: {
    readonly folder: RunFolder;
    readonly connection: Connection;
    readonly signals: Signals;
    readonly display: Display;
  },
): Promise<SolveEnd> {
  const { folder, connection, signals, display } = context;
  const { problem } = checked;
  const evaluates = flags['no-evaluate'] !== true;
  if (evaluates) await makeOwnFolder(folder.work);
  const where = surroundingsOf(folder, { workFolder: folder.work, onNote: (note) => display.print(note) });
  const box = evaluates ? await openBlackBox(problem, where) : null;
  try {
    const end = await solveProblem({
      ...connection,
      checked,
      folder,
      where,
      evaluate: box === null ? null : box.evaluate,
      // The same after a restart, so that a claim whose answer was lost can be repeated.
      evaluator: `${hostname().slice(0, 60)} ${folder.name.slice(0, 30)}`,
      measure: measureOf,
      display,
      retryFailed: flags['retry-failed'] === true,
      signal: signals.signal,
      endSignal: signals.endSignal,
    });
    const told = evaluates ? await writeBestCopies(problem, end.standing.sets, folder, where) : [];
    for (const sentence of told) display.print(sentence);
    return end;
  } finally {
    await box?.close();
  }
}

/**
 * Takes the lock of a problem; with --new what was begun earlier is put aside. Otherwise a problem that was begun under another name goes
 * on under this one. Throws CommandError and MovedProblemError.
 */
export async function lockProblem(
  folder: RunFolder,
  { file, checked, flags, note }: ToLock,
): Promise<() => Promise<void>> {
  const isNew = flags.new === true;
  if (!isNew && (await folder.read()) === undefined) {
    const { here, elsewhere } = await findEarlier(folder, checked);
    refuseElsewhere(folder, elsewhere);
    await folder.make();
    const unlock = await lockFolder(folder, file);
    await goOnWith(folder, here, note).catch(async (error: unknown) => {
      await unlock();
      throw error;
    });
    return unlock;
  }
  await folder.make();
  const unlock = await lockFolder(folder, file);
  if (isNew) await folder.putAside();
  return unlock;
}

interface ToLock {
  /** As the user named it. */
  readonly file: string;
  readonly checked: CheckedProblem;
  readonly flags: ProblemFlags;
  readonly note: (text: string) => void;
}

function lockFolder(folder: RunFolder, file: string): Promise<() => Promise<void>> {
  return folder.lock(
    (holder) => new CommandError(`${file} is already being worked on by ${holder}; stop that one first.`, 1),
  );
}

/** Continues the problem whose file is gone; a copy starts again. */
async function goOnWith(folder: RunFolder, here: readonly EarlierProblem[], note: (text: string) => void) {
  const renamed = here.filter(({ isThere }) => !isThere);
  for (const copied of here.filter(({ isThere, runs }) => isThere && runs > 0)) note(describeCopied(copied));
  const [earlier] = renamed;
  if (earlier === undefined) return;
  if (renamed.length > 1) {
    const names = renamed.map(({ record }) => record.file).join(', ');
    throw new MovedProblemError(
      `${names} are gone and were the same problem: give this file the name of the one that it goes on with, or start with --new.`,
    );
  }
  const unlock = await lockFolder(earlier.folder, earlier.record.file);
  try {
    await folder.takeOver(earlier.folder);
  } finally {
    await unlock();
  }
  note(describeRenamed(earlier));
}

export function displayFor(problem: Problem): Display {
  const { hasColor, isDumb } = terminalOf();
  const screen = isDumb ? { write: (words: string) => process.stdout.write(words) } : process.stdout;
  return makeDisplay(problem, screen, { hasColor });
}

/** Whether an error means that the service does not answer. */
export function isAway(error: unknown): boolean {
  return troubleOf(error) === 'away';
}

/** The rule of the service itself. */
function measureOf(objective: Body): MeasureMisses {
  const definition = {
    desiredL1Norm: 0,
    convergence: DEFAULT_CONVERGENCE,
    ...objective,
    options: searchOptionsOf(objective),
  } as unknown as WeighedDefinition;
  const objectives = storedTargets(definition.objectives, definition.objectiveTypes);
  const { measure, missesOf, missedByOf } = makeMissMeasure({ ...definition, objectives });
  return (output) => ({
    misses: missesOf(output),
    missedBy: missedByOf(output),
    rank: measure(output),
    fits: misfitsOfSets({ ...definition, objectives }, output),
  });
}
