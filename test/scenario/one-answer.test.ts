/**
 * The table of kinds of searches and surfaces: whatever was asked for, every surface names the same input as the answer. Each kind is
 * solved with the real service by TypeScript `solve`, by `run` and by Python `solve`, and each surface is read as its users read it.
 *
 * The whole table takes 90 seconds of the processor: without TEST_ANSWERS_IN_FULL=1, each client plays only the kinds that name it.
 */
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type {
  BatchObjective,
  ExplainedObjective,
  History,
  Objective,
  SearchAnswer,
} from '../../clients/typescript/src/index.ts';
import { solve, within } from '../../clients/typescript/src/solve.ts';
import { type Agent, connectAgent } from '../../harness/agent-client.ts';
import { sheetPython as python } from '../../harness/sheet-python.ts';
import { headOf } from '../../src/presentation/columns.ts';
import { nameOfBest } from '../../src/presentation/nearness.ts';
import { inputText } from '../../src/presentation/values.ts';
import { verdictOf } from '../../src/presentation/verdict.ts';
import { openReceiver, type Receiver } from '../outside/webhooks/receiver.ts';
import { type Box, type Client, INPUTS, PLAYS, type Play, plain } from '../support/answer-plays.ts';
import { callCommand } from '../support/run-command.ts';
import { startTestService, type TestService } from '../support/service.ts';

const isInFull = (process.env['TEST_ANSWERS_IN_FULL'] ?? '') !== '';

let service: TestService;
const told = new EventEmitter().setMaxListeners(0);
let receiver: Receiver;
let agent: Agent;
let folder: string;

beforeAll(async () => {
  service = await startTestService({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  receiver = await openReceiver((response) => {
    response.writeHead(204).end();
    told.emit('event');
  });
  await service.ok('POST', '/webhooks', { url: receiver.url });
  agent = await connectAgent(service.service.url!, service.key);
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-answer-'));
});

afterAll(async () => {
  await agent.close();
  await receiver.close();
  await service.close();
  await rm(folder, { recursive: true });
});

function playsOf(client: Client): [string, Play][] {
  return Object.entries(PLAYS).filter(([, { always }]) => isInFull || always === client);
}

type Numbers = readonly number[];

/** The answer that each surface names. */
async function surfacesOf(objectiveId: number, batchId: number): Promise<Readonly<Record<string, unknown>>> {
  const objective = await service.ok<ExplainedObjective>('GET', `/objectives/${objectiveId}`);
  const history = await service.ok<History>('GET', `/objectives/${objectiveId}/history`);
  const { modelId, projectId, trialId } = history;
  const trial = `/models/${modelId}/projects/${projectId}/trials/${trialId}`;
  const list = await service.ok<Objective[]>('GET', `${trial}/objectives`);
  const listed = list.find(({ id }) => id === objectiveId)!;
  const batch = await service.ok<BatchObjective[]>('GET', `/batches/${batchId}/objectives`);
  const row = batch.find((one) => one.objectiveId === objectiveId)!;
  const predictions = await service.ok<{ run: { input: Numbers } }>(
    'GET',
    `/objectives/${objectiveId}/predictions?inputs=0`,
  );
  const text = (format: string, from: string) =>
    fetch(`${service.service.url}/v1${from}`, {
      headers: { accept: format, authorization: `Bearer ${service.key}` },
    }).then((answer) => answer.text());
  const csv = await text('text/csv', `/batches/${batchId}/objectives`);
  const { url } = await service.ok<{ url: string }>('POST', `${trial}/objectives/${objectiveId}/links`, {});
  const { data } = await agent.call('read_problem', { problem: batchId });
  return {
    'API: answer': objective.answer!.input,
    'API: best': objective.best!.input,
    'API: the input of the probability': objective.standing?.input ?? objective.answer!.input,
    list: listed.answer!.input,
    'list: best': listed.best!.input,
    history: history.answer!.input,
    'page: the input of the result': history.bestInput,
    'batch, JSON': row.answer!.input,
    'batch, bestInput': row.bestInput,
    'batch, CSV': csv.split('\r\n')[1]!.split(',').slice(0, 2).map(Number),
    'slices of the models': predictions.run.input,
    report: inputInReport(await text('text/html', `${trial}/objectives/${objectiveId}/report`), history),
    'shared link': inputInReport(await (await fetch(url)).text(), history),
    agents: Object.values(data.best.inputs),
    webhook: await toldInput(objectiveId),
  };
}

/** The answer, if the table of the inputs of the best run has its numbers as people read them. */
function inputInReport(html: string, history: History): Numbers | string {
  const head = headOf(history);
  const [, table = ''] = /Inputs of the best run[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(html) ?? [];
  const cells = [...table.matchAll(/<td class="number[^"]*">\s*(?:<[^>]+>)*([^<]*)/g)].map(([, text]) => text!);
  const { input } = history.answer!;
  const isThere = input.every((value, i) => cells.includes(inputText(head, i, value)));
  return isThere ? input : `${table} lacks ${input}`;
}

/** Input in the last event about the objective that says how it ended or stands. */
async function toldInput(objectiveId: number): Promise<Numbers | null> {
  const bodies = () =>
    receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter(
        ({ subject, name }) => subject === `objective/${objectiveId}` && /satisfied|stopped|exhausted/.test(name),
      );
  while (bodies().length === 0) await once(told, 'event');
  return bodies().at(-1).data.answer.input;
}

/** The cells of one row of the table. @param others  what the client that played it names */
async function expectOneAnswer(
  { kind }: Pick<Play, 'kind'>,
  { objectiveId, batchId }: { readonly objectiveId: number; readonly batchId: number },
  others: Readonly<Record<string, unknown>>,
): Promise<SearchAnswer> {
  const answer = (await service.ok<ExplainedObjective>('GET', `/objectives/${objectiveId}`)).answer!;
  expect(answer.kind).toBe(kind);
  const surfaces = { ...(await surfacesOf(objectiveId, batchId)), ...others };
  expect(surfaces).toEqual(Object.fromEntries(Object.keys(surfaces).map((surface) => [surface, answer.input])));
  return answer;
}

async function solved(name: string, { goals, makeBox = () => plain, budget = 60, options }: Play) {
  const at = path.join(folder, name.replaceAll(/\W/g, '-'));
  await mkdir(at, { recursive: true });
  const where = { url: service.service.url!, key: service.key, folder: at, name, progress: false };
  const result = await solve(makeBox() as never, { ...where, inputs: INPUTS, goals, budget, ...options });
  const { objectiveId, batchId } = result.ids;
  return { result, ids: { objectiveId: objectiveId!, batchId } };
}

describe.concurrent('every surface names the same input', () => {
  it.each(playsOf('solve'))('of a search for %s by solve', async (name, one) => {
    const { result, ids } = await solved(name, one);
    expect(result.status).toBe(one.status);
    const answer = await expectOneAnswer(one, ids, { 'TypeScript solve': Object.values(result.best!.input) });
    expect(result.best!.name).toBe(answer.name.replace(/^run 1$/, result.best!.name));
    // Values beside the input are of the input: its outputs, or the mean of its runs.
    const there = result.history.filter(
      (run) =>
        run.output !== null && run.source === null && Object.values(run.input).every((x, i) => x === answer.input[i]),
    );
    const flat = (run: (typeof there)[number]) => Object.values(run.output!).flat() as number[];
    const mean = answer.output.map((_, j) => there.reduce((sum, run) => sum + flat(run)[j]! / there.length, 0));
    if (answer.kind === 'declared' || answer.kind === 'likeliest') {
      expect(answer.runs).toBe(there.length);
      const head = headOf(await service.ok<History>('GET', `/objectives/${ids.objectiveId}/history`));
      expect(nameOfBest(head)).toMatch(/^the input of .*, in the mean of \d+ runs?$/);
      expect(verdictOf(head, true)).toContain(nameOfBest(head));
      expect(answer.output).toEqual(mean.map((value) => expect.closeTo(value, 9)));
    } else {
      expect(there.map(flat)).toContainEqual(answer.output);
    }
  });

  it.runIf(isInFull)('after corrections and exclusions, and after the targets have changed', async () => {
    const one = PLAYS['one run']!;
    const { ids } = await solved('corrected', { ...one, options: { stop: false } });
    const before = (await service.ok<ExplainedObjective>('GET', `/objectives/${ids.objectiveId}`)).answer!;
    expect(before.inverseId).not.toBeNull();
    await service.ok('POST', `/objectives/${ids.objectiveId}/inverses/${before.inverseId}/corrections`, {
      excluded: true,
      reason: 'a leak',
      reopen: true,
    });
    const after = (await service.ok<ExplainedObjective>('GET', `/objectives/${ids.objectiveId}`)).answer!;
    expect(after.input).not.toEqual(before.input);
    const { webhook: _, ...surfaces } = await surfacesOf(ids.objectiveId, ids.batchId);
    expect(surfaces).toEqual(Object.fromEntries(Object.keys(surfaces).map((surface) => [surface, after.input])));
    const changed = await solved('corrected', { ...one, goals: { p: within(3, 0.2), q: within(7, 0.2) } });
    expect(changed.ids.objectiveId).not.toBe(ids.objectiveId);
    await expectOneAnswer(one, changed.ids, {});
  });
});

/** The address of a box, until the test ends. */
async function serveBox(box: Box): Promise<string> {
  const server = createServer(async (request, response) => {
    const { inputByName } = (await json(request)) as { inputByName: { a: number; b: number } };
    response.end(JSON.stringify({ output: box(inputByName) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Summary {
  readonly optimum: {
    readonly input: Readonly<Record<string, number>>;
    readonly output: Readonly<Record<string, number | Numbers>>;
    readonly runs: number | null;
    readonly isSatisfied: boolean;
  };
}

describe('run and its files name the same input', () => {
  it.each(playsOf('run'))('of a search for %s', async (name, one) => {
    const { makeBox = () => plain, budget: maximumRuns = 60 } = one;
    const { outputs, options } = one.file;
    const inputs = { a: { minimum: 0, maximum: 5 }, b: { minimum: 0, maximum: 5 } };
    const evaluator = { url: await serveBox(makeBox()) };
    const file = path.join(folder, `${name}.yaml`);
    await writeFile(
      file,
      JSON.stringify({ name: `${name} by run`, inputs, outputs, evaluator, maximumRuns, ...options }),
    );
    const settings = { BACKSOLVE_API_KEY: service.key, PATH: process.env['PATH']! };
    const { stdout } = await callCommand(['run', file, '--url', service.service.url!], settings);
    const { optimum } = JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8')) as Summary;
    const batches = await service.ok<{ id: number; name: string }[]>('GET', '/batches?limit=200');
    const batchId = batches.at(-1)!.id;
    const [row] = await service.ok<BatchObjective[]>('GET', `/batches/${batchId}/objectives`);
    const ids = { objectiveId: row!.objectiveId!, batchId };
    const answer = await expectOneAnswer(one, ids, { file: Object.values(optimum.input) });
    expect([Object.values(optimum.output).flat(), optimum.runs]).toEqual([answer.output, answer.runs]);
    expect(optimum.isSatisfied).toBe(answer.kind !== 'nearest' && answer.kind !== 'likeliest');
    // All runs of a front and of several solutions are listed.
    const printed = (name: string) => Number(new RegExp(`^ {2}${name} +(-?[\\d.e+-]+)`, 'm').exec(stdout)?.[1]);
    if (answer.kind === 'knee' || answer.kind === 'best-fit') return;
    const shown = [...answer.input, ...answer.output].map((value) => Number(value.toPrecision(5)));
    expect(['a', 'b', ...Object.keys(outputs)].map(printed)).toEqual(shown);
  });
});

const PROGRAM = `
import json, sys
from urllib.request import Request, urlopen
from backsolve import at_most, fit, minimize, solve, within

url, key, folder, box, name = sys.argv[1:]

def f(a, b):
    body = json.dumps({"inputByName": {"a": a, "b": b}}).encode()
    with urlopen(Request(box, body)) as answer:
        return json.load(answer)["output"]

result = solve(f, {"a": (0, 5), "b": (0, 5)}, url=url, api_key=key, folder=folder, name=name, progress=False, ARGUMENTS)
ids = {"objectiveId": result.objective.objective_id, "batchId": result.batch_id}
print(json.dumps({"ids": ids, "status": result.status, "input": list(result.best.input.values()), "output": list(result.best.output.values())}))
`;

describe.skipIf(python === undefined)('Python solve names the same input', () => {
  it.each(playsOf('Python'))('of a search for %s', async (name, one) => {
    const box = await serveBox((one.makeBox ?? (() => plain))());
    const program = PROGRAM.replace('ARGUMENTS', `budget=${one.budget ?? 60}, ${one.python}`);
    const where = [service.service.url!, service.key, path.join(folder, `${name} by Python`), box, `${name} by Python`];
    const { stdout } = await promisify(execFile)(python!, ['-E', '-c', program, ...where]);
    const { ids, status, input, output } = JSON.parse(stdout);
    expect(status).toBe(one.status);
    const answer = await expectOneAnswer(one, ids, { 'Python solve': input });
    expect(output.flat()).toEqual(answer.output);
  });
});
