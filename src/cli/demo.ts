import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Backsolve,
  BacksolveError,
  ConnectionError,
  type Inverse,
  type NewProject,
  NotBacksolveError,
  type Operations,
  type Retry,
  VersionError,
} from '../../clients/typescript/src/index.ts';
import { createSignInLink } from '../application/accounts/browser-sessions.ts';
import { createKey } from '../application/accounts/manage-keys.ts';
import { makeLog } from '../log.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { EPIDEMIC_INPUTS, EPIDEMIC_OUTPUTS, EPIDEMIC_TRUTH, runEpidemic } from './demo-epidemic.ts';
import { linkTo } from './page.ts';
import { print } from './print.ts';
import { startEverything } from './start.ts';
import { untilStopped } from './until-stopped.ts';

export const demo: Command = {
  summary: 'calibrate an epidemic model in front of you',
  usage: `Usage: backsolve demo [--pace SECONDS] [--url URL --key KEY]

Plays a client that calibrates an epidemic model: four unknown inputs, five observed figures to reproduce within
1 percent. Uses the service at URL, or starts a temporary one and prints a link to its page. With --pace it waits SECONDS
before each run, so that you can watch it there, and keeps the temporary service until Ctrl-C.`,
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
  print('Starting a temporary service ...');
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
      print(`Watch it: ${linkTo(url!, await createSignInLink(db, ACCOUNT), config.cell)}`);
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
    print('The service stays until you press Ctrl-C.');
    await stopped;
    return code;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  }
}

interface Pace {
  /** Waited for before each run; undefined: not at all. */
  readonly paceMs?: number | undefined;
  /** Ends the wait: play rejects. */
  readonly signal?: AbortSignal;
}

/** The whole loop of a client. Returns 0 when everything was satisfied. */
async function play(url: string, key: string, pace: Pace): Promise<number> {
  try {
    return await playOn(await reach(url, key, pace.signal), pace);
  } catch (error) {
    if (!CLIENT_ERRORS.some((kind) => error instanceof kind)) throw error;
    throw new CommandError((error as Error).message, 1);
  }
}

/** A TypeError is an answer without what the interface states, or a key that is none. */
const CLIENT_ERRORS = [BacksolveError, ConnectionError, NotBacksolveError, VersionError, TypeError];

/** A client that waits for a service that is away for a moment, if there is one at all. */
async function reach(url: string, key: string, signal: AbortSignal | undefined): Promise<Backsolve> {
  const hasty = new Backsolve({ url, key, maximumRetries: 0 });
  await hasty.call('listModels', { query: { limit: 1 }, signal }).catch((error: unknown) => {
    if (!(error instanceof BacksolveError)) throw error;
  });
  const onRetry = ({ error }: Retry) => print(`Trying again: ${error instanceof Error ? error.message : error}`);
  return new Backsolve({ url, key, onRetry });
}

async function playOn(client: Backsolve, pace: Pace): Promise<number> {
  const { signal } = pace;
  const targets = runEpidemic(EPIDEMIC_TRUTH);
  const name = `Epidemic demo ${new Date().toISOString()}`;
  const { body: model } = await client.call('createModel', { body: { name }, signal });
  const of = { model_id: model.id };
  const { body: project } = await client.call('createProject', { path: of, body: PROJECT, signal });
  print(`The service designed ${project.inputCases.length} input cases; running the model on each.`);
  const outputCases = project.inputCases.map(runEpidemic);
  const ofProject = { ...of, project_id: project.id };
  const { body: loaded } = await client.call('loadOutputCases', {
    path: ofProject,
    body: { outputCount: EPIDEMIC_OUTPUTS.length, outputCases },
    signal,
  });
  const ofTrial = { ...ofProject, trial_id: loaded.trial_id };
  const { body: objective } = await client.call('loadObjectives', {
    path: ofTrial,
    body: {
      objectives: targets,
      objectiveTypes: targets.map(() => 'percent' as const),
      minimumBounds: targets.map(() => -1),
      maximumBounds: targets.map(() => 1),
      desiredL1Norm: 0,
      initialInput: project.inputCases[0]!,
      initialOutput: outputCases[0]!,
    },
    signal,
  });
  const last = await iterate(client, { ...ofTrial, objective_id: objective.id }, pace);
  show(last, project.inputCases.length);
  return last.inverse.status === 'converged' ? 0 : 1;
}

const PROJECT: NewProject = {
  name: 'SEIR, four unknown inputs',
  inputCount: EPIDEMIC_INPUTS.length,
  minimums: EPIDEMIC_INPUTS.map((input) => input.minimum),
  maximums: EPIDEMIC_INPUTS.map((input) => input.maximum),
  inputTypes: EPIDEMIC_INPUTS.map(() => 'float' as const),
  categories: [],
  inputNames: EPIDEMIC_INPUTS.map(({ name }) => name),
  inputUnits: EPIDEMIC_INPUTS.map(({ unit }) => unit),
  outputCount: EPIDEMIC_OUTPUTS.length,
  outputNames: [...EPIDEMIC_OUTPUTS],
};

interface Ended {
  readonly inverse: Inverse;
  readonly suggestions: number;
}

type ObjectivePath = Operations['suggestInverse']['path'];

/** Suggest, run, load the output, until the inverse has ended. */
async function iterate(client: Backsolve, path: ObjectivePath, { paceMs, signal }: Pace): Promise<Ended> {
  for (let suggestions = 1; ; suggestions++) {
    if (paceMs !== undefined) await pause(paceMs, undefined, { ...(signal && { signal }) });
    const { body: suggestion } = await client.untilSuggested('suggestInverse', { path, signal });
    if (suggestion.status !== 'active') return { inverse: await lastInverse(client, path), suggestions };
    const output = runEpidemic(suggestion.input!);
    const { body: inverse } = await client.call('loadInverseOutput', { path, body: { output }, signal });
    progress(suggestions, inverse);
    if (inverse.status !== 'active') return { inverse, suggestions };
  }
}

async function lastInverse(client: Backsolve, path: ObjectivePath): Promise<Inverse> {
  const { body } = await client.call('getObjective', { path });
  return (await client.call('getInverse', { path: { ...path, inverse_id: body.inverses.at(-1)!.id } })).body;
}

function progress(suggestions: number, inverse: Inverse): void {
  const met = inverse.results.filter((result) => result.satisfied).length;
  const worst = Math.max(...inverse.results.map((result) => result.error ?? Number.NaN));
  const line = `suggestion ${suggestions}: ${met} of ${inverse.results.length} outputs within 1 percent, worst error ${worst.toPrecision(3)} percent`;
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
  else print(line);
}

function show({ inverse, suggestions }: Ended, designed: number): void {
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
    found: round(inverse.input?.[i]),
    truth: EPIDEMIC_TRUTH[i],
  }));
  console.table(inputs);
  const verdict = inverse.status === 'converged' ? 'All outputs are met' : `Ended as ${inverse.status}`;
  print(`${verdict} after ${designed} designed cases and ${suggestions} suggestions.`);
}

function round(value: number | null | undefined): number {
  return Number((value ?? Number.NaN).toPrecision(5));
}
