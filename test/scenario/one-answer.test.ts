/**
 * The table of kinds of searches and surfaces: whatever was asked for, every surface names the same input as the answer. Each kind is
 * solved with the real service, and each surface is read as its users read it.
 */
import { EventEmitter, once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  BatchObjective,
  ExplainedObjective,
  History,
  Objective,
  SearchAnswer,
} from '../../clients/typescript/src/index.ts';
import {
  atMost,
  fit as fitTo,
  minimize,
  type Problem,
  type Result,
  real,
  solve,
  within,
} from '../../clients/typescript/src/solve.ts';
import { type Agent, connectAgent } from '../../harness/agent-client.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { headOf } from '../../src/shown/columns.ts';
import { nameOfBest } from '../../src/shown/nearness.ts';
import { inputText } from '../../src/shown/values.ts';
import { verdictOf } from '../../src/shown/verdict.ts';
import { callCommand } from '../support/run-command.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

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

const INPUTS = { a: real(0, 5), b: real(0, 5) };
type Outputs = Readonly<Record<string, number | readonly number[]>>;
type Box = (input: { readonly a: number; readonly b: number }) => Outputs;

const plain: Box = ({ a, b }) => ({ p: a * b, q: a + 3 * b });

/** Runs at one input differ, in the same way in every play. */
function noisy(seed: number, sd: number): Box {
  const random = makeRandom(seed);
  return (input) =>
    Object.fromEntries(Object.entries(plain(input)).map(([name, y]) => [name, (y as number) + sd * random.normal()]));
}

interface Play {
  readonly kind: SearchAnswer['kind'];
  readonly goals: Problem['goals'];
  readonly box?: Box;
  readonly options?: Partial<Omit<Problem, 'inputs' | 'goals' | 'sources'>>;
  /** How it ends. */
  readonly status: Result<typeof INPUTS, Problem['goals']>['status'];
}

const REACHED = { p: within(4, 0.3), q: within(8, 0.3) };
/** a b <= 25 and a + 3 b <= 20. */
const OUT_OF_REACH = { p: within(24, 0.05), q: within(8, 0.05) };

const PLAYS: Readonly<Record<string, Play>> = {
  'one run': { kind: 'met', goals: REACHED, status: 'satisfied' },
  'the mean of runs': {
    kind: 'declared',
    goals: REACHED,
    box: noisy(4, 0.1),
    options: { confirm: 3 },
    status: 'satisfied',
  },
  'confidence for a run': {
    kind: 'declared',
    goals: REACHED,
    box: noisy(2, 0.05),
    options: { confidence: 0.8 },
    status: 'satisfied',
  },
  'confidence for the mean': {
    kind: 'declared',
    goals: REACHED,
    box: noisy(3, 0.15),
    options: { confidence: 0.9, confidenceOf: 'mean' },
    status: 'satisfied',
  },
  'confidence without enough runs': {
    kind: 'likeliest',
    goals: REACHED,
    box: noisy(5, 0.3),
    options: { confidence: 0.99, budget: 14 },
    status: 'exhausted',
  },
  'several solutions': {
    kind: 'met',
    goals: { p: within(4, 0.3) },
    options: { options: { solutions: { count: 3, apart: 0.1 } } },
    status: 'satisfied',
  },
  'the surest input': {
    kind: 'surest',
    goals: REACHED,
    options: {
      options: {
        inputTolerances: { kind: 'normal', in: 'units', values: [0.1, 0.1] },
        aimAtRobustness: true,
        robustRuns: 3,
      },
    },
    status: 'satisfied',
  },
  'a front': {
    kind: 'knee',
    goals: { p: minimize(), r: minimize() },
    box: ({ a, b }) => ({ p: a + b, r: (a - 3) ** 2 + (b - 2) ** 2 }),
    options: { budget: 14 },
    status: 'exhausted',
  },
  'a fit': {
    kind: 'best-fit',
    goals: { y: fitTo([1, 2.1, 2.9, 4.2], { sigma: 0.1 }) },
    box: ({ a, b }) => ({ y: [0, 1, 2, 3].map((x) => a * 0.5 + b * 0.4 * x) }),
    status: 'satisfied',
  },
  'targets out of reach': { kind: 'nearest', goals: OUT_OF_REACH, status: 'stopped' },
  'the least value': {
    kind: 'best-value',
    goals: { p: minimize(), q: atMost(9), s: atMost(-2) },
    box: ({ a, b }) => ({ p: (a - 1) ** 2 + b, q: a + 3 * b, s: -a - b }),
    status: 'stopped',
  },
  'no more runs': {
    kind: 'nearest',
    goals: { p: within(4, 1e-5), q: within(8, 1e-5) },
    options: { budget: 6 },
    status: 'exhausted',
  },
};

type Numbers = readonly number[];

/** What each surface names. */
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

/** Of the last event about the objective that says how it ended or stands. */
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

async function play(name: string, { goals, box = plain, options }: Play) {
  const at = path.join(folder, name.replaceAll(/\W/g, '-'));
  await mkdir(at, { recursive: true });
  const where = { url: service.service.url!, key: service.key, folder: at, name, progress: false };
  return solve(box as never, { ...where, inputs: INPUTS, goals, budget: 60, ...options });
}

describe.concurrent('every surface names the same input', () => {
  it.each(Object.entries(PLAYS))('of a search for %s', async (name, one) => {
    const result = await play(name, one);
    expect(result.status).toBe(one.status);
    const { objectiveId, batchId } = result.ids;
    const { answer } = (await service.ok<ExplainedObjective>('GET', `/objectives/${objectiveId}`)) as {
      answer: SearchAnswer;
    };
    expect(answer.kind).toBe(one.kind);
    const surfaces = {
      ...(await surfacesOf(objectiveId!, batchId)),
      'TypeScript solve': Object.values(result.best!.input),
    };
    expect(surfaces).toEqual(Object.fromEntries(Object.keys(surfaces).map((surface) => [surface, answer.input])));
    expect(result.best!.name).toBe(answer.name.replace(/^run 1$/, result.best!.name));
    // What is beside the input is of the input: its outputs, or the mean of its runs.
    const there = result.history.filter(
      (run) =>
        run.output !== null && run.source === null && Object.values(run.input).every((x, i) => x === answer.input[i]),
    );
    const flat = (run: (typeof there)[number]) => Object.values(run.output!).flat() as number[];
    const mean = answer.output.map((_, j) => there.reduce((sum, run) => sum + flat(run)[j]! / there.length, 0));
    if (answer.kind === 'declared' || answer.kind === 'likeliest') {
      expect(answer.runs).toBe(there.length);
      const head = headOf(await service.ok<History>('GET', `/objectives/${objectiveId}/history`));
      expect(nameOfBest(head)).toMatch(/^the input of .*, in the mean of \d+ runs?$/);
      expect(verdictOf(head, true)).toContain(nameOfBest(head));
      expect(answer.output).toEqual(mean.map((value) => expect.closeTo(value, 9)));
    } else {
      expect(there.map(flat)).toContainEqual(answer.output);
    }
  });

  it('after corrections and exclusions, and after the targets have changed', async () => {
    const first = await play('corrected', { ...PLAYS['one run']!, options: { stop: false } });
    const { objectiveId, batchId } = first.ids;
    const before = (await service.ok<ExplainedObjective>('GET', `/objectives/${objectiveId}`)).answer!;
    const target = before.caseNumber === null ? `inverses/${before.inverseId}` : null;
    expect(target).not.toBeNull();
    await service.ok('POST', `/objectives/${objectiveId}/${target}/corrections`, {
      excluded: true,
      reason: 'a leak',
      reopen: true,
    });
    const after = (await service.ok<ExplainedObjective>('GET', `/objectives/${objectiveId}`)).answer!;
    expect(after.input).not.toEqual(before.input);
    const { webhook: _, ...surfaces } = await surfacesOf(objectiveId!, batchId);
    expect(surfaces).toEqual(Object.fromEntries(Object.keys(surfaces).map((surface) => [surface, after.input])));
    const changed = await play('corrected', { ...PLAYS['one run']!, goals: { p: within(3, 0.2), q: within(7, 0.2) } });
    expect(changed.ids.objectiveId).not.toBe(objectiveId);
    const { answer } = await service.ok<ExplainedObjective>('GET', `/objectives/${changed.ids.objectiveId}`);
    const others = await surfacesOf(changed.ids.objectiveId!, changed.ids.batchId);
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((surface) => [surface, answer!.input])));
  });
});

/** As `run` tells it; a process per run. */
const BOX = `
import { appendFileSync, readFileSync } from 'node:fs';
const [log, sd] = process.argv.slice(2);
const { input: [a, b] } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(log, 'x');
let state = 7919 * readFileSync(log, 'utf8').length;
const uniform = () => ((state = (1103515245 * state + 12345) % 2147483648) / 2147483648);
for (let i = 0; i < 5; i++) uniform();
const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, u) => sum + u, -6);
console.log(JSON.stringify([a * b + Number(sd) * normal(), a + 3 * b + Number(sd) * normal()]));
`;

describe('run and its files name the same input', () => {
  it.each([
    [
      'declared',
      'confidence: 0.8\nmaximumRuns: 60',
      0.12,
      'p: {target: 4, within: 0.3}\n  q: {target: 8, within: 0.3}',
    ],
    ['likeliest', 'confirm: 6\nmaximumRuns: 12', 0.4, 'p: {target: 4, within: 0.3}\n  q: {target: 8, within: 0.3}'],
    ['met', 'maximumRuns: 40', 0, 'p: {target: 4, within: 0.3}\n  q: {target: 8, within: 0.3}'],
    ['knee', 'maximumRuns: 14', 0, 'p: {minimize: null}\n  q: {maximize: null}'],
  ])('of an answer that is %s', async (kind, options, sd, outputs) => {
    const file = path.join(folder, `${kind}.yaml`);
    await writeFile(path.join(folder, 'box.mjs'), BOX);
    const command = [process.execPath, 'box.mjs', `${kind}.log`, String(sd)];
    const inputs = 'a: {minimum: 0, maximum: 5}\n  b: {minimum: 0, maximum: 5}';
    await writeFile(
      file,
      `name: ${kind}\ninputs:\n  ${inputs}\noutputs:\n  ${outputs}\ncommand: ${JSON.stringify(command)}\n${options}\n`,
    );
    const settings = { BACKSOLVE_API_KEY: service.key, PATH: process.env['PATH']! };
    const { stdout } = await callCommand(['run', file, '--url', service.service.url!], settings);
    const summary = JSON.parse(await readFile(path.join(folder, `${kind}.json`), 'utf8'));
    const [batch] = await service.ok<{ id: number }[]>('GET', '/batches?limit=200').then((all) => all.slice(-1));
    const [{ objectiveId, answer }] = (await service.ok<BatchObjective[]>(
      'GET',
      `/batches/${batch!.id}/objectives`,
    )) as [BatchObjective];
    expect(answer!.kind).toBe(kind);
    const surfaces = { ...(await surfacesOf(objectiveId!, batch!.id)), file: Object.values(summary.optimum.input) };
    expect(surfaces).toEqual(Object.fromEntries(Object.keys(surfaces).map((surface) => [surface, answer!.input])));
    expect([Object.values(summary.optimum.output), summary.optimum.runs]).toEqual([answer!.output, answer!.runs]);
    expect(summary.optimum.isSatisfied).toBe(kind !== 'likeliest');
    // Of a front all runs are listed.
    if (kind === 'knee') return;
    const printed = (name: string) => Number(new RegExp(`^ {2}${name} +(-?[\\d.e+-]+)`, 'm').exec(stdout)![1]);
    expect([printed('a'), printed('b')]).toEqual(answer!.input.map((value) => Number(value.toPrecision(5))));
    expect([printed('p'), printed('q')]).toEqual(answer!.output.map((value) => Number(value.toPrecision(5))));
  });
});
