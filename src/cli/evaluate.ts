import { hostname } from 'node:os';
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';
import {
  type EvaluatorEnd,
  type EvaluatorEvent,
  runEvaluator,
} from '../../clients/typescript/src/evaluator/evaluator.ts';
import { Backsolve } from '../../clients/typescript/src/index.ts';
import { describeEvent } from '../runner/evaluation-lines.ts';
import { plain } from '../runner/plain-text.ts';
import { type CommandOptions, makeCommandRunner } from '../runner/programs/command-runner.ts';
import { withSharedSignals } from '../runner/shared-signals.ts';
import { type Config, environmentForPrograms } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { complain, print } from './print.ts';

const many = { ...text, multiple: true } as const;
const flag = { type: 'boolean' } as const;

const flags = {
  url: text,
  key: text,
  project: text,
  batch: text,
  source: many,
  jobs: { ...text, short: 'j' },
  name: text,
  lease: text,
  once: flag,
  drain: text,
  timeout: text,
  grace: text,
  'on-exit': text,
  template: many,
  copy: many,
  read: many,
  'fails-if': many,
  'succeeds-if': many,
  env: many,
  shell: flag,
  work: text,
  'in-work-folder': flag,
  keep: text,
  'pass-key': flag,
} as const;

type Values = ReturnType<typeof parseFlags>;

export const evaluate: Command = {
  summary: 'run your program on the inputs that the batches of a service wait for',
  usage: `Usage: backsolve evaluate [options] -- COMMAND [ARG ...]

Claims evaluations from the service, runs COMMAND for each, and reports its outputs. Any number of evaluators on any machines
share the work; when one dies, another takes over. docs/guides/program-as-black-box.md has
examples.

  --url URL, --key KEY     the service; BACKSOLVE_URL and BACKSOLVE_API_KEY otherwise. A key of scope evaluate is enough
  --project ID, --batch ID only evaluations of this project or batch
  --source NAME            runs a cheaper source of the project instead of the black box itself, which is called fine; may be repeated
  -j, --jobs N             evaluations at a time (1)
  --once                   ends after one evaluation
  --drain SECONDS          ends when there was nothing to do for so long
  --name TEXT              its name in the records (host name and process)
  --lease SECONDS          after which others take over if this process dies (60)

COMMAND gets the inputs as JSON on standard input, as {name} or {name:.6e} in its arguments, and as BACKSOLVE_INPUT_NAME. It
prints its outputs as the last line: [1.5, 2], {"mass": 1.5, "sag": 2}, or a line that begins with fail.

  --shell                  COMMAND is one text for /bin/sh, on Windows for cmd.exe
  --template IN:OUT        writes the file OUT from IN, with {{name}} and {{name:.6e}} filled in; may be repeated
  --copy PATH              copies a file or folder to where the command runs; may be repeated
  --read RULE              reads outputs from files: out.json, 'mass=out.txt:/mass = (\\S+)/', 'mass=out.json#/results/0/mass' or
                           'mass=out.csv:row last column mass'; may be repeated
  --fails-if SIGN          a sign of a failed run for programs that exit with 0: 'stderr.log:/aborted/', 'mass=-1' or
                           'out.json#/status != 0'; may be repeated
  --succeeds-if SIGN       a sign without which a run has failed: 'stdout.log:/Job finished/'; may be repeated
  --env NAME=VALUE         sets a variable; may be repeated
  --pass-key               hands BACKSOLVE_URL, BACKSOLVE_API_KEY and the lease token on to the command
  --timeout SECONDS        ends a run that takes longer, which then counts as failed; the batch has a limit of its own
  --grace SECONDS          from SIGTERM to SIGKILL (10)
  --on-exit CODE=MEANING   output, fail, retry, abort or fault, separated by commas: 3=retry,4=abort
  --work FOLDER            where each evaluation gets its work folder (backsolve-work)
  --in-work-folder         runs COMMAND there; always so with --template, --copy, --read and signs in files
  --keep all|failed|none   which work folders stay (failed)

Exit code 0 of COMMAND with outputs is an output. Exit code 75, a signal and outputs that cannot be read are tried again.
Exit codes 125, 126 and 127 say that COMMAND did not run, and end the evaluator. Every other code is a failed run. What ends
without outputs just after a signal to the evaluator was ended by that signal, and is given back.

Ctrl-C or SIGTERM: claims no more and waits for what runs. Again: ends what runs and gives it back.

Exit codes: 0 ended as asked, 2 wrong usage, 12 the command asked to end everything (the batch is then paused), 69 no service for
the time of --drain, 74 this machine cannot run the command, 77 the key or the request was refused, 130 ended by a second signal.`,
  flags,

  async run(args, config) {
    const at = args.indexOf('--');
    if (at < 0) throw new CommandError(`Which command? Write it after --.\n\n${this.usage}`);
    const values = parseFlags(this.usage, args.slice(0, at));
    const { client, url, key } = makeClient(values, config);
    const options = commandOptions(values, args.slice(at + 1), { url, key });
    const evaluator = {
      claim: {
        projectId: idOf(values.project, 'project'),
        batchId: idOf(values.batch, 'batch'),
        ...(values.source && { sources: values.source }),
        evaluator: values.name ?? `${hostname()} ${process.pid}`,
        leaseSeconds: numberOf(values.lease, 'lease', 5, 3_600) ?? 60,
      },
      jobs: numberOf(values.jobs, 'jobs', 1, 64) ?? 1,
      limit: values.once ? 1 : undefined,
      drainSeconds: numberOf(values.drain, 'drain', 0, 1e6),
    };
    const runner = await makeCommandRunner(options).catch((error: unknown) => {
      throw error instanceof LocalFault ? new CommandError(error.message) : error;
    });
    const signals = listenToSignals();
    // A terminal that is gone must not end what runs.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    try {
      const end = await runEvaluator({
        ...evaluator,
        client,
        evaluate: withSharedSignals(runner.evaluate, signals.stop),
        onEvent: tell,
        signal: signals.stop,
        endSignal: signals.end,
      });
      return await conclude(end, client, signals.end.aborted);
    } finally {
      runner.close();
    }
  },
};

function parseFlags(usage: string, args: readonly string[]) {
  return parseCommand(usage, { args: [...args], options: flags }).values;
}

/** Standard output is a log of what happens; standard error has what a person must do something about. */
function say(line: string): void {
  print(`${new Date().toISOString()} ${plain(line)}`);
}

function tell(event: EvaluatorEvent): void {
  say(describeEvent(event));
  if (event.type === 'away' && event.isNew === true)
    complain(`${event.reason} Check --url, and whether the service runs.`);
}

function makeClient(values: Values, config: Config) {
  const url = values.url ?? config.client.url;
  const key = values.key ?? config.client.key;
  if (url === undefined) throw new CommandError('Which service? Set BACKSOLVE_URL or give --url.');
  if (key === undefined) throw new CommandError('Set BACKSOLVE_API_KEY or give --key, an API key of the service.');
  try {
    // The evaluator has a patience of its own.
    return { client: new Backsolve({ url, key, maximumRetries: 2, retryForMs: 5_000 }), url, key };
  } catch (error) {
    throw error instanceof TypeError ? new CommandError(error.message) : error;
  }
}

function commandOptions(
  values: Values,
  command: readonly string[],
  service: { readonly url: string; readonly key: string },
): CommandOptions {
  const passed = { BACKSOLVE_URL: service.url, BACKSOLVE_API_KEY: service.key };
  return {
    command,
    shell: values.shell,
    startFolder: process.cwd(),
    workFolder: values.work ?? 'backsolve-work',
    inWorkFolder: values['in-work-folder'],
    templates: values.template,
    copies: values.copy,
    reads: values.read,
    failsIf: values['fails-if'],
    succeedsIf: values['succeeds-if'],
    onExit: values['on-exit'],
    timeoutSeconds: numberOf(values.timeout, 'timeout', 0.001, 1e9),
    graceSeconds: numberOf(values.grace, 'grace', 0, 86_400),
    keep: keepOf(values.keep),
    environment: {
      ...environmentForPrograms(),
      ...Object.fromEntries((values.env ?? []).map(variableOf)),
      ...(values['pass-key'] && passed),
    },
    withToken: values['pass-key'],
    onNote: say,
  };
}

function keepOf(value: string | undefined): CommandOptions['keep'] {
  if (value === undefined || value === 'all' || value === 'failed' || value === 'none') return value;
  throw new CommandError(`--keep takes all, failed or none, not "${value}".`);
}

function variableOf(given: string): readonly [string, string] {
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(given);
  if (match === null) throw new CommandError(`--env takes NAME=VALUE, not "${given}".`);
  return [match[1]!, match[2]!];
}

function idOf(value: string | undefined, what: string): number | undefined {
  if (value === undefined || /^[1-9]\d{0,14}$/.test(value)) return value === undefined ? undefined : Number(value);
  throw new CommandError(`--${what} takes the number of a ${what}, not "${value}".`);
}

/** Whole numbers where the smallest one is whole. */
function numberOf(value: string | undefined, what: string, minimum: number, maximum: number): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  const isWhole = Number.isInteger(number) || !['jobs', 'lease'].includes(what);
  if (isWhole && number >= minimum && number <= maximum) return number;
  throw new CommandError(`--${what} takes a number from ${minimum} to ${maximum}, not "${value}".`);
}

interface Signals {
  /** Claims no more. */
  readonly stop: AbortSignal;
  /** Ends what runs. */
  readonly end: AbortSignal;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C may arrive twice, from the terminal and from a parent that passes it on. */
const ECHO_MS = 500;

function listenToSignals(): Signals {
  const [stop, end] = [new AbortController(), new AbortController()];
  let firstAt = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      say(`${signal}: claims no more and waits for what runs; another one ends it`);
      stop.abort();
    } else if (performance.now() - firstAt > ECHO_MS && !end.signal.aborted) {
      say(`${signal}: ends what runs and gives it back`);
      end.abort();
    }
  };
  // To the end of the process: a signal too many must not replace the exit code.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return { stop: stop.signal, end: end.signal };
}

const EXIT_CODES: Readonly<Record<EvaluatorEnd['kind'], number>> = {
  stopped: 0,
  drained: 0,
  limit: 0,
  abort: 12,
  away: 69,
  fault: 74,
  denied: 77,
};

async function conclude(ended: EvaluatorEnd, client: Backsolve, isForced: boolean): Promise<number> {
  const { outputs, failures, retries, others } = ended.tally;
  say(`ends: ${outputs} outputs, ${failures} failed runs, ${retries} to be tried again, ${others} without a result`);
  if (ended.reason !== undefined) complain(ended.reason);
  if (ended.kind === 'abort') await pause(client, ended.evaluation!.batchId);
  return isForced && ended.kind === 'stopped' ? 130 : EXIT_CODES[ended.kind];
}

/** Nothing is lost, and a person decides: once the cause is gone, the batch goes on. */
async function pause(client: Backsolve, batchId: number): Promise<void> {
  try {
    await client.call('pauseBatch', { path: { batch_id: batchId } });
    complain(`Batch ${batchId} is paused. Once the cause is gone, resume it and start the evaluators again.`);
  } catch (error) {
    complain(`Batch ${batchId} could not be paused, so other evaluators go on with it: ${(error as Error).message}`);
  }
}
