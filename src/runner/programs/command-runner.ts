/** Runs a command as the black box: one process, in its own process group, for each evaluation. */
import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { whyUnwritten } from '../../../clients/typescript/src/evaluator/durable-files.ts';
import {
  cleanReason,
  type Evaluate,
  type Evaluation,
  LocalFault,
  type Outcome,
} from '../../../clients/typescript/src/evaluator/evaluation.ts';
import type { Fit } from '../../../clients/typescript/src/solve/fit.ts';
import {
  type Expected,
  type Reading,
  readDocument,
  readFailWord,
  valueNames,
  withFits,
  writeEnvironment,
  writeMessage,
} from '../files/exchange.ts';
import { withJacobianFile } from '../files/jacobian-file.ts';
import { explain } from '../files/last-words.ts';
import { NO_FILE } from '../files/read-file.ts';
import { type CurvePlace, makeOutputReader, type OutputReader } from '../files/read-output.ts';
import { checkFile } from '../files/read-rule.ts';
import { type InputValues, parseArgument, type Template } from '../files/template.ts';
import {
  type FileTemplate,
  fillWorkFolder,
  makeWorkFolder,
  prepareWorkFolders,
  readFileTemplate,
} from '../files/work-folder.ts';
import { type Trial, tryWriting } from '../files/writing.ts';
import { type ChildEnd, runChild } from './child-process.ts';
import { parseExitCodes } from './exit-codes.ts';
import { makeGuard } from './process-guard.ts';
import { findFile } from './program-file.ts';
import { makeSigns } from './signs.ts';

export interface CommandOptions {
  /** The program and its arguments, or with `shell` one text for the shell: /bin/sh, on Windows cmd.exe. */
  readonly command: readonly string[];
  readonly shell?: boolean | undefined;
  /** Folder in which the command runs unless it runs in its work folder; relative paths of the other options start here. */
  readonly startFolder: string;
  /** The folder in which every evaluation gets its work folder. */
  readonly workFolder: string;
  /** Whether the command runs in its work folder; always so with templates, copies or outputs read from files. */
  readonly inWorkFolder?: boolean | undefined;
  /** IN:OUT, see template.ts. */
  readonly templates?: readonly string[] | undefined;
  /** Files that are written again for each evaluation, besides `templates`. */
  readonly files?: readonly FileTemplate[] | undefined;
  /** Values that the command gets by name besides the inputs, and that follow from the inputs. */
  readonly told?: { readonly names: readonly string[]; of(input: InputValues): InputValues } | undefined;
  /** Reads outputs, instead of `reads` and `curves`. */
  readonly reader?: OutputReader | undefined;
  /** Files or folders that are copied into the work folder. */
  readonly copies?: readonly string[] | undefined;
  /** Rules that find outputs, see read-output.ts; none: the last line of standard output. */
  readonly reads?: readonly string[] | undefined;
  /** A file that the command leaves in its work folder, with the derivatives; see jacobian-file.ts. */
  readonly jacobian?: string | undefined;
  /** The outputs that are fitted, by their names. An evaluation has their points; the command gets and gives them as one. */
  readonly fits?: ReadonlyMap<string, Fit> | undefined;
  /** Rules that find curves, besides `reads`. */
  readonly curves?: readonly CurvePlace[] | undefined;
  /** Signs of failed and of good runs, see signs.ts. */
  readonly failsIf?: readonly string[] | undefined;
  readonly succeedsIf?: readonly string[] | undefined;
  /** That signs may name as well, because another call has them. */
  readonly otherOutputs?: readonly string[] | undefined;
  /** Meanings of exit codes, such as 3=retry,4=abort; see exit-codes.ts. */
  readonly onExit?: string | undefined;
  /** At most; an evaluation may allow less. */
  readonly timeoutSeconds?: number | undefined;
  /** From SIGTERM to SIGKILL; 10 if absent. Windows has none. */
  readonly graceSeconds?: number | undefined;
  /** Work folders that stay; those of evaluations without an output if absent. */
  readonly keep?: 'all' | 'failed' | 'none' | undefined;
  /** The environment of the command. */
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the message to the command has the lease token, so that it can make calls of its own. */
  readonly withToken?: boolean | undefined;
  /** Takes what a person should know but what changes no result. */
  readonly onNote?: ((text: string) => void) | undefined;
}

export interface CommandRunner {
  readonly evaluate: Evaluate;
  /** Throws LocalFault if a template, an argument or a rule for reading names an input or output that there is not. */
  check(names: Names): void;
  /** Sentences about values that programs cannot tell apart, or read as others. Throws LocalFault where one does not fit its format. */
  tryWriting(trials: readonly Trial[]): readonly string[];
  /** Call it when no evaluation runs any more. */
  close(): void;
}

interface Names {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

const DEFAULT_GRACE_SECONDS = 10;

/** Throws LocalFault, which says what to change, when the options cannot work here. */
export async function makeCommandRunner(options: CommandOptions): Promise<CommandRunner> {
  const { startFolder, keep = 'failed', graceSeconds = DEFAULT_GRACE_SECONDS, onNote = () => undefined } = options;
  const root = path.resolve(startFolder, options.workFolder);
  const meaningOf = parseExitCodes(options.onExit);
  const reads = options.reads ?? [];
  const signs = makeSigns(options.failsIf ?? [], options.succeedsIf ?? []);
  const { curves = [], fits = new Map(), told } = options;
  const readsFiles = reads.length + curves.length > 0;
  const reader = options.reader ?? (readsFiles ? makeOutputReader(reads, curves) : undefined);
  const written = await Promise.all((options.templates ?? []).map((text) => readFileTemplate(text, startFolder)));
  const templates = [...written, ...(options.files ?? [])];
  const copies = await findCopies(options.copies ?? [], startFolder);
  const program = await findProgram(options);
  // In a shell, values would be read as code; it has them in its environment.
  const rendered = options.shell ? undefined : program.args.map((text) => parseArgument(text, `Argument ${text}`));
  await prepareWorkFolders(root);
  const jacobian = options.jacobian === undefined ? undefined : checkFile(options.jacobian, '--jacobian file');
  const isAtFiles =
    templates.length + copies.length + signs.files.length > 0 || reader !== undefined || jacobian !== undefined;
  const inWorkFolder = options.inWorkFolder || isAtFiles;
  const onGuardError = (error: Error) => {
    onNote(`If this process is killed, programs that it runs will not be ended: ${error.message}`);
  };
  const guard = makeGuard(graceSeconds, onGuardError);

  const check = ({ inputs, outputs }: Names): void => {
    const names = [...inputs, ...(told?.names ?? [])];
    for (const { template } of written) underFlag('--template', () => template.check(names));
    for (const { template } of options.files ?? []) template.check(names);
    for (const argument of rendered ?? []) argument.check(names);
    reader?.check(outputs);
    signs.check([...outputs, ...(options.otherOutputs ?? [])]);
  };

  const tryAll = (trials: readonly Trial[]): readonly string[] => {
    const names = [...trials.map(({ name }) => name), ...(told?.names ?? [])];
    const placesIn = (some: readonly Template[]) => some.flatMap((one) => one.places?.(names) ?? []);
    const inOwn = [...(options.files ?? []).map(({ template }) => template), ...(rendered ?? [])];
    return [
      ...tryWriting(placesIn(written.map(({ template }) => template)), trials, '--template '),
      ...tryWriting(placesIn(inOwn), trials),
    ];
  };

  const run = async (evaluation: Evaluation, folder: string, signal: AbortSignal): Promise<Outcome> => {
    const readFiles = [...(reader?.removes ?? []), ...(jacobian === undefined ? [] : [jacobian]), ...signs.files];
    await fillWorkFolder(folder, copies, templates, evaluation.inputByName, readFiles);
    const message = writeMessage(evaluation, options.withToken ?? false);
    await writeFile(path.join(folder, 'evaluation.json'), writeMessage(evaluation, false)).catch((error: Error) => {
      throw new LocalFault(`The work folder cannot be written: ${whyUnwritten(error)}`, { cause: error });
    });
    const allowedSeconds = Math.min(options.timeoutSeconds ?? Number.POSITIVE_INFINITY, evaluation.timeoutSeconds);
    const end = await runChild(
      {
        file: program.file,
        isShell: program.isShell,
        args: rendered?.map((argument) => argument.render(evaluation.inputByName)) ?? program.args,
        cwd: inWorkFolder ? folder : startFolder,
        env: { ...options.environment, ...writeEnvironment(evaluation), BACKSOLVE_WORK_FOLDER: folder },
        stdin: message,
        stdinFile: path.join(folder, `stdin-${randomUUID()}`),
        timeoutMs: allowedSeconds * 1000,
        graceMs: graceSeconds * 1000,
        stdoutFile: path.join(folder, 'stdout.log'),
        stderrFile: path.join(folder, 'stderr.log'),
        guard,
        onLogError: (error) => onNote(`evaluation ${evaluation.id}: its log is incomplete: ${error.message}`),
      },
      signal,
    );
    if (end.cause === 'aborted') return retry('it was ended before it was done');
    if (end.cause === 'timeout') return failed(`it ran longer than ${allowedSeconds} s and was ended`);
    return judge(end, async () => {
      const broken = [...end.brokenLogs].find(([log]) => readFiles.includes(path.basename(log)));
      if (broken !== undefined) {
        return { kind: 'unreadable', reason: `${path.basename(broken[0])} is not complete: ${broken[1].message}` };
      }
      const expected = { names: evaluation.outputNames, fits, input: evaluation.inputByName };
      const trouble = await signs.inFiles(folder);
      if (trouble !== undefined) return trouble;
      const reading = reader === undefined ? readLastLine(end.lastLine, expected) : await reader.read(folder, expected);
      if (reading.kind !== 'output') return reading;
      const sign = signs.inOutputs(valueNames(expected), reading.output);
      return (
        sign ??
        (jacobian === undefined
          ? reading
          : withJacobianFile(reading, folder, jacobian, Object.keys(evaluation.inputByName)))
      );
    });
  };

  const judge = async (end: ChildEnd, read: () => Promise<Reading>): Promise<Outcome> => {
    const words = explain(end, /^[[{\d+-]/.test(end.lastLine ?? ''));
    const why = words === '' ? '' : `: ${words}`;
    if (end.code === null) return retry(`signal ${end.signal} ended it${why}`);
    const meaning = meaningOf(end.code);
    const reason = `exit code ${end.code}${why}`;
    if (meaning === 'fault') throw new LocalFault(`The command could not be run here: ${cleanReason(reason)}`);
    if (meaning === 'abort') return { kind: 'abort', reason: cleanReason(reason) };
    if (meaning === 'retry') return retry(reason);
    const failure = readFailWord(end.lastLine ?? undefined);
    if (failure !== undefined) return failed(failure);
    if (meaning === 'fail') return failed(reason);
    const reading = await read();
    if (reading.kind === 'unreadable') {
      // A program may end as if all were well after it has said what is wrong.
      const said = explain(end, reader === undefined);
      return retry(said === '' ? reading.reason : `${reading.reason}; it printed: ${said}`, reading.others);
    }
    return reading.kind === 'failed' ? failed(reading.reason) : reading;
  };

  const evaluate: Evaluate = async (claimed, signal) => {
    const fitted = withFits(claimed, fits);
    const evaluation = told === undefined ? fitted : { ...fitted, inputByName: told.of(fitted.inputByName) };
    check({ inputs: Object.keys(evaluation.inputByName), outputs: evaluation.outputNames });
    const folder = await makeWorkFolder(root, evaluation);
    let isKept = keep === 'all';
    try {
      const outcome = await run(evaluation, folder, signal);
      if (outcome.kind !== 'output' && !signal.aborted) isKept = keep !== 'none';
      if (isKept) await writeOutcome(folder, outcome, onNote);
      return outcome;
    } finally {
      // A folder in use, as on network file systems, is no reason to lose a result.
      if (!isKept) {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch((error: Error) =>
          onNote(error.message),
        );
      }
    }
  };

  return { evaluate, check, tryWriting: tryAll, close: () => guard.close() };
}

function readLastLine(line: string | null | undefined, expected: Expected): Reading {
  if (line === undefined) return { kind: 'unreadable', reason: 'the command printed nothing on standard output' };
  if (line === null) return { kind: 'unreadable', reason: 'the last line of standard output is too long' };
  return readDocument(line, expected, 'the last line of standard output');
}

/** Faults of what an option states begin with it. */
function underFlag(flag: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw error instanceof LocalFault ? new LocalFault(`${flag} ${error.message}`, { cause: error }) : error;
  }
}

function retry(reason: string, others?: readonly string[]): Outcome {
  return { kind: 'failure', reason: cleanReason(reason), retryable: true, ...(others && { others }) };
}

function failed(reason: string): Outcome {
  return { kind: 'failure', reason: cleanReason(reason), retryable: false };
}

async function writeOutcome(folder: string, outcome: Outcome, onNote: (text: string) => void): Promise<void> {
  const text = `${JSON.stringify(outcome, undefined, 2)}\n`;
  await writeFile(path.join(folder, 'outcome.json'), text).catch((error: Error) => onNote(error.message));
}

async function findCopies(copies: readonly string[], startFolder: string): Promise<readonly string[]> {
  const found = copies.map((copy) => path.resolve(startFolder, copy));
  const twice = found.find((one, i) => found.some((other, k) => k < i && path.basename(other) === path.basename(one)));
  if (twice !== undefined) throw new LocalFault(`--copy ${twice}: another copy has that name already.`);
  for (const file of found) {
    const stats = await stat(file).catch(() => {
      throw new LocalFault(`--copy ${file}: there is no such file or folder.`);
    });
    if (!stats.isFile() && !stats.isDirectory()) throw new LocalFault(`--copy ${file}: ${NO_FILE}.`);
  }
  return found;
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** `file` is a text for the shell. */
  readonly isShell: boolean;
}

/** Looks now, so that a misspelled command claims nothing. */
async function findProgram({ command, shell, startFolder, environment }: CommandOptions): Promise<Program> {
  const [name, ...args] = command;
  if (name === undefined || name === '') throw new LocalFault('Which command? Write it after --.');
  if (shell) {
    if (args.length === 0) return { file: name, args, isShell: true };
    throw new LocalFault("--shell takes one text in quotes: --shell -- './mesh.sh | ./solve'.");
  }
  return { file: await findFile(name, startFolder, environment, process.platform), args, isShell: false };
}
