import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createSignInLink } from '../application/browser-sessions.ts';
import { createKey } from '../application/manage-keys.ts';
import type { Config } from '../config.ts';
import { makeLog } from '../log.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { EPIDEMIC_INPUTS, EPIDEMIC_OUTPUTS, EPIDEMIC_TRUTH, runEpidemic } from './demo-epidemic.ts';
import { linkTo } from './page.ts';
import { startEverything } from './start.ts';
import { untilStopped } from './until-stopped.ts';

export const demo: Command = {
  summary: 'calibrate an epidemic model in front of you',
  usage: `Usage: backsolve demo [--pace SECONDS] [--url URL --key KEY]

Plays a client that calibrates an epidemic model: four unknown inputs, five observed figures to reproduce within
1 percent. Uses the service at URL, or starts a temporary one and prints a link to its page. With --pace it waits SECONDS
before each iteration, so that you can watch it there, and keeps the temporary service until Ctrl-C.`,
  flags: { url: text, key: text, pace: text },

  async run(args, config) {
    const options = { url: text, key: text, pace: text };
    const { url, key, pace } = parseCommand(this.usage, { args: [...args], options }).values;
    const paceMs = pace === undefined ? undefined : toPaceMs(pace);
    if (url === undefined) return withTemporaryService(config, paceMs);
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw new CommandError(`--url takes the address of a service, such as http://127.0.0.1:8080, not "${url}".`);
    }
    if (key === undefined) throw new CommandError('--url needs --key, an API key of that service.');
    return play(url, key, { paceMs });
  },
};

/** The longest of --pace, in seconds. */
const LONGEST_PACE = 3_600;

function toPaceMs(pace: string): number {
  const seconds = pace.trim() === '' ? Number.NaN : Number(pace);
  if (seconds >= 0 && seconds <= LONGEST_PACE) return seconds * 1_000;
  throw new CommandError(`--pace takes seconds, from 0 to ${LONGEST_PACE}, not "${pace}".`);
}

const ACCOUNT = 'demo';

/** A service on an embedded database in a temporary folder, on a free port. With a pace it stays until it is stopped. */
async function withTemporaryService(config: Config, paceMs: number | undefined): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'backsolve-demo-'));
  console.log('Starting a temporary service ...');
  const settings = {
    ...config,
    dataDir,
    database: { ...config.database, url: undefined },
    http: { ...config.http, port: 0 },
  };
  try {
    const running = await startEverything(settings, makeLog({ level: 'warn' }));
    try {
      const { url, db } = running.service;
      const key = await createKey(db, { account: ACCOUNT, label: 'demo', scopes: ['read', 'write'], expiresAt: null });
      console.log(`Watch it: ${linkTo(url!, await createSignInLink(db, ACCOUNT))}`);
      if (paceMs === undefined) return await play(url!, key, {});
      return await playUntilStopped(url!, key, paceMs);
    } finally {
      await running.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the exit code of the play, or 130 if it was stopped before its end. */
async function playUntilStopped(url: string, key: string, paceMs: number): Promise<number> {
  const stop = new AbortController();
  const stopped = untilStopped().then(() => stop.abort());
  try {
    const code = await play(url, key, { paceMs, signal: stop.signal });
    console.log('The service stays until you press Ctrl-C.');
    await stopped;
    return code;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  }
}

interface Inverse {
  readonly id: number;
  readonly status: string;
  readonly input: readonly number[];
  readonly l1Norm: number;
  readonly results: readonly {
    readonly output: number;
    readonly objective: number;
    readonly error: number;
    readonly satisfied: boolean;
  }[];
}

interface Pace {
  /** Waited for before each iteration; undefined: not at all. */
  readonly paceMs?: number | undefined;
  /** Ends the wait: play rejects. */
  readonly signal?: AbortSignal;
}

/** The whole loop of a client, over HTTP alone. Returns 0 when everything was satisfied. */
async function play(origin: string, key: string, pace: Pace): Promise<number> {
  const call = makeCaller(origin, key);
  const targets = runEpidemic(EPIDEMIC_TRUTH);
  const model = await call<{ id: number }>('POST', '/models', { name: `Epidemic demo ${new Date().toISOString()}` });
  const project = await call<{ id: number; inputCases: number[][] }>('POST', `/models/${model.id}/projects`, {
    name: 'SEIR, four unknown inputs',
    inputCount: EPIDEMIC_INPUTS.length,
    minimums: EPIDEMIC_INPUTS.map((input) => input.minimum),
    maximums: EPIDEMIC_INPUTS.map((input) => input.maximum),
    inputTypes: EPIDEMIC_INPUTS.map(() => 'float'),
    categories: [],
    inputNames: EPIDEMIC_INPUTS.map(({ name }) => name),
    inputUnits: EPIDEMIC_INPUTS.map(({ unit }) => unit),
    outputCount: EPIDEMIC_OUTPUTS.length,
    outputNames: EPIDEMIC_OUTPUTS,
  });
  console.log(`The service designed ${project.inputCases.length} input cases; running the model on each.`);
  const outputCases = project.inputCases.map(runEpidemic);
  const projectPath = `/models/${model.id}/projects/${project.id}`;
  const { trial_id } = await call<{ trial_id: number }>('POST', `${projectPath}/output-cases`, {
    outputCount: EPIDEMIC_OUTPUTS.length,
    outputCases,
  });
  const trialPath = `${projectPath}/trials/${trial_id}`;
  const objective = await call<{ id: number }>('POST', `${trialPath}/objectives`, {
    objectives: targets,
    objectiveTypes: targets.map(() => 'percent'),
    minimumBounds: targets.map(() => -1),
    maximumBounds: targets.map(() => 1),
    desiredL1Norm: 0,
    initialInput: project.inputCases[0],
    initialOutput: outputCases[0],
  });
  const last = await iterate(call, `${trialPath}/objectives/${objective.id}`, pace);
  print(last, project.inputCases.length);
  return last.inverse.status === 'converged' ? 0 : 1;
}

interface Ended {
  readonly inverse: Inverse;
  readonly suggestions: number;
}

/** Suggest, run, load the output, until the inverse has ended. */
async function iterate(call: Caller, objectivePath: string, { paceMs, signal }: Pace): Promise<Ended> {
  for (let suggestions = 1; ; suggestions++) {
    if (paceMs !== undefined) await pause(paceMs, undefined, { ...(signal && { signal }) });
    const { input, status } = await call<Inverse>('POST', `${objectivePath}/inverses`);
    if (status !== 'active') return { inverse: await lastInverse(call, objectivePath), suggestions };
    const inverse = await call<Inverse>('POST', `${objectivePath}/inverse-output`, { output: runEpidemic(input) });
    progress(suggestions, inverse);
    if (inverse.status !== 'active') return { inverse, suggestions };
  }
}

async function lastInverse(call: Caller, objectivePath: string): Promise<Inverse> {
  const { inverses } = await call<{ inverses: { id: number }[] }>('GET', objectivePath);
  return call<Inverse>('GET', `${objectivePath}/inverses/${inverses.at(-1)!.id}`);
}

function progress(suggestions: number, inverse: Inverse): void {
  const met = inverse.results.filter((result) => result.satisfied).length;
  const worst = Math.max(...inverse.results.map((result) => result.error));
  const line = `suggestion ${suggestions}: ${met} of ${inverse.results.length} outputs within 1 percent, worst error ${worst.toPrecision(3)} percent`;
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
  else console.log(line);
}

function print({ inverse, suggestions }: Ended, designed: number): void {
  if (process.stdout.isTTY) process.stdout.write('\n');
  const outputs = inverse.results.map((result, j) => ({
    output: EPIDEMIC_OUTPUTS[j],
    target: round(result.objective),
    reached: round(result.output),
    'error %': round(result.error),
    met: result.satisfied,
  }));
  console.table(outputs);
  const inputs = EPIDEMIC_INPUTS.map((input, i) => ({
    input: input.unit === '' ? input.name : `${input.name}, ${input.unit}`,
    found: round(inverse.input[i]!),
    truth: EPIDEMIC_TRUTH[i],
  }));
  console.table(inputs);
  const verdict = inverse.status === 'converged' ? 'All outputs are met' : `Ended as ${inverse.status}`;
  console.log(`${verdict} after ${designed} designed cases and ${suggestions} suggestions.`);
}

function round(value: number): number {
  return Number(value.toPrecision(5));
}

/** fetch itself only says "fetch failed"; a name with several addresses fails with one error for each. */
function reasonOf({ message, cause }: Error): string {
  if (cause instanceof AggregateError) return cause.errors.map((error: Error) => error.message).join(', ');
  return cause instanceof Error ? cause.message : message;
}

type Caller = <T>(method: string, path: string, body?: object) => Promise<T>;

function makeCaller(origin: string, key: string): Caller {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${origin.replace(/\/+$/, '')}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new CommandError(`No service answers at ${origin}: ${reasonOf(error)}`, 1);
    });
    const answer = (await response.json().catch(() => {
      throw new CommandError(
        `What answers at ${origin} is not Backsolve: ${method} /v1${path} got ${response.status}.`,
        1,
      );
    })) as T & { detail?: string };
    if (!response.ok) throw new CommandError(`${method} ${path} was refused (${response.status}): ${answer.detail}`, 1);
    return answer;
  };
}
