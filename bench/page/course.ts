/**
 * A course at one service as `npx backsolve start` starts it: whoever teaches makes one link, everybody opens it at the same time, gives a
 * name, gets an account, enters a problem of their own and runs it by hand: ask for an input, think, load the outputs. Some are real
 * browsers, the others send the requests of their pages. Meanwhile the list of accounts is read as its page does. Then compares with the
 * service: every output that was accepted must be there as it was typed, and the list must show all accounts with their runs. Prints how
 * long loading an output took, and exits with code 1 if the 95th percentile is a second or more, or anything is lost.
 *
 *   npx node bench/page/course.ts [--students 30] [--browsers 6] [--runs 10] [--think-ms 3000]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../harness/find-browser.ts';
import { joinByInvitation, nameSession, openPageSession, type PageSession } from '../../harness/page-session.ts';
import { startService } from '../../harness/started-service.ts';

const { values: options } = parseArgs({
  options: {
    students: { type: 'string', default: '30' },
    browsers: { type: 'string', default: '6' },
    runs: { type: 'string', default: '10' },
    'think-ms': { type: 'string', default: '3000' },
  },
});
const [students, browsers, runs, thinkMs] = [options.students, options.browsers, options.runs, options['think-ms']].map(
  Number,
) as [number, number, number, number];
const LONGEST_P95_MS = 1_000;
const LIST_PAUSE_MS = 5_000;

// biome-ignore lint/suspicious/noExplicitAny: data from the wire is read field by field
type Send = (method: string, path: string, body?: object) => Promise<any>;

interface Entry {
  readonly inverseId: number;
  readonly output: readonly number[];
}

interface Student {
  readonly name: string;
  readonly send: Send;
  readonly entries: readonly Entry[];
  readonly objectiveId: number;
}

/** From the press of the button, or from the request, to the answer; and the answer of the service alone. */
const loadMs: number[] = [];
const answerMs: number[] = [];
const joinMs: number[] = [];
const folder = await mkdtemp(join(tmpdir(), 'backsolve-course-'));
const service = await startService(folder);
try {
  await main();
} finally {
  service.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function main(): Promise<void> {
  const { url, key } = service;
  const teacher = sendBy(await nameSession(url, 'Teacher', await openPageSession(url, key)));
  const { link } = await teacher('POST', '/invitations', {
    opens: 'an account for each',
    label: 'Course',
    maximumUses: students,
  });
  const found = await findBrowser();
  if ('reason' in found) throw new Error(found.reason);
  const browser = await chromium.launch(found);
  const isOver = new AbortController();
  const lists = watchAccounts(teacher, isOver.signal);
  const started = performance.now();
  try {
    const done = await Promise.all(
      Array.from({ length: students }, (_, i) => {
        const name = `student ${i + 1}`;
        return i < browsers ? attendInBrowser(browser, link, name) : attend(link, name);
      }),
    );
    isOver.abort();
    await report(teacher, done, { seconds: (performance.now() - started) / 1_000, listMs: await lists });
  } finally {
    isOver.abort();
    await browser.close();
  }
}

function sendBy({ headers }: Pick<PageSession, 'headers'>): Send {
  return async (method, path, body) => {
    const answer = await fetch(`${service.url}/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

async function attend(link: string, name: string): Promise<Student> {
  const began = performance.now();
  const send = sendBy(await joinByInvitation(service.url, link.split('=')[1]!, name));
  joinMs.push(performance.now() - began);
  const objectiveId = await enterProblem(send);
  const entries: Entry[] = [];
  for (let run = 0; run < runs; run++) {
    const { id: inverseId, input } = await ask(send, objectiveId);
    await think();
    const output = outputOf(input);
    const asked = performance.now();
    await send('PUT', `/objectives/${objectiveId}/inverses/${inverseId}/output`, { output });
    const took = performance.now() - asked;
    loadMs.push(took);
    answerMs.push(took);
    entries.push({ inverseId, output });
  }
  return { name, send, entries, objectiveId };
}

async function ask(
  send: Send,
  objectiveId: number,
): Promise<{ readonly id: number; readonly input: readonly number[] }> {
  let inverse = await send('POST', `/objectives/${objectiveId}/inverses`);
  while (inverse.input === null) inverse = await send('GET', `/objectives/${objectiveId}/inverses/${inverse.id}`);
  return inverse;
}

async function attendInBrowser(browser: Browser, link: string, name: string): Promise<Student> {
  const context = await browser.newContext({ baseURL: service.url, locale: 'en-US', reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on('pageerror', (error) => {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  });
  await page.goto(link);
  await page.getByLabel('Your name').fill(name);
  const began = performance.now();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  joinMs.push(performance.now() - began);
  const send = sendBy(await sessionOf(page));
  const objectiveId = await enterProblem(send);
  await page.goto(`/page/objectives/${objectiveId}`);
  const entries: Entry[] = [];
  for (let run = 0; run < runs; run++) {
    await page.locator('[data-ask]').first().click();
    const card = page.locator('article.hand-card', { has: page.getByRole('button', { name: 'Load the outputs' }) });
    await card.waitFor();
    await think();
    const [open] = await send('GET', `/objectives/${objectiveId}/inverses?status=open`);
    const output = outputOf(open.input);
    for (const [j, value] of output.entries()) await card.getByRole('textbox').nth(j).fill(String(value));
    const answered = page.waitForResponse(
      (response) => response.request().method() === 'PUT' && response.url().endsWith('/output'),
    );
    const asked = performance.now();
    await card.getByRole('button', { name: 'Load the outputs' }).click();
    const answer = await answered;
    if (!answer.ok()) throw new Error(`${name}: ${answer.status()}`);
    loadMs.push(performance.now() - asked);
    const { requestStart, responseStart } = answer.request().timing();
    answerMs.push(responseStart - requestStart);
    entries.push({ inverseId: open.id, output });
  }
  await context.close();
  return { name, send, entries, objectiveId };
}

/** The session of a browser, for the requests of its page that are not typed here. */
async function sessionOf(page: Page): Promise<Pick<PageSession, 'headers'>> {
  const { cookies, origins } = await page.context().storageState();
  const [{ name, value }] = cookies.filter((one) => one.name.startsWith('bks_session')) as [(typeof cookies)[number]];
  const pageSecret = origins[0]!.localStorage.find((one) => one.name === 'backsolve-page-secret')!.value;
  return { headers: { cookie: `${name}=${value}`, 'x-page-secret': pageSecret, origin: service.url } };
}

/** Two inputs, two outputs, targets that nothing meets, so that everybody makes as many runs. */
async function enterProblem(send: Send): Promise<number> {
  const model = await send('POST', '/models', { name: 'Test rig' });
  const inputCases = [
    [0.2, 0.3],
    [0.8, 0.4],
    [0.5, 0.9],
  ];
  const project = await send('POST', `/models/${model.id}/projects`, {
    name: 'Test rig',
    inputCount: 2,
    minimums: [0, 0],
    maximums: [1, 1],
    inputTypes: ['float', 'float'],
    inputCases,
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const set = await send('POST', `${path}/output-cases`, { outputCount: 2, outputCases: inputCases.map(outputOf) });
  const objective = await send('POST', `${path}/trials/${set.trial_id}/objectives`, {
    objectives: [-1e6, -1e6],
    objectiveTypes: ['lessthan', 'lessthan'],
    minimumBounds: [],
    maximumBounds: [],
    maximumAttempts: runs + 1,
  });
  return objective.id;
}

function outputOf([x, y]: readonly number[]): readonly number[] {
  return [1 + x! * x! + Math.sin(3 * y!), 2 + x! * y!].map((value) => Number(value.toFixed(6)));
}

/** From half to one and a half times as long. */
async function think(): Promise<void> {
  await delay(thinkMs * (0.5 + Math.random()));
}

/** Resolves to how long each read of the list took. */
async function watchAccounts(teacher: Send, over: AbortSignal): Promise<readonly number[]> {
  const took: number[] = [];
  while (!over.aborted) {
    const asked = performance.now();
    await teacher('GET', '/me/accounts?limit=200');
    took.push(performance.now() - asked);
    await delay(LIST_PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return took;
}

interface History {
  readonly inverseIds: readonly number[];
  readonly outputs: readonly (readonly number[] | null)[];
  readonly loadedBy: Readonly<Record<string, string>>;
}

async function report(
  teacher: Send,
  all: readonly Student[],
  { seconds, listMs }: { readonly seconds: number; readonly listMs: readonly number[] },
): Promise<void> {
  let [lost, unnamed] = [0, 0];
  for (const { name, send, entries, objectiveId } of all) {
    const history: History = await send('GET', `/objectives/${objectiveId}/history`);
    const stored = new Map(history.inverseIds.map((id, i) => [id, JSON.stringify(history.outputs[i])]));
    lost += entries.filter(({ inverseId, output }) => stored.get(inverseId) !== JSON.stringify(output)).length;
    unnamed += runs - Object.values(history.loadedBy).filter((by) => by === name).length;
  }
  const accounts: { readonly name: string; readonly runs: number }[] = await teacher('GET', '/me/accounts?limit=200');
  const shown = accounts.filter((account) => account.name.startsWith('Course – ') && account.runs === runs);
  const p95 = percentile(loadMs, 0.95);
  console.log(
    JSON.stringify({
      students,
      browsers,
      cores: availableParallelism(),
      outputs: loadMs.length,
      loadMs: { p50: percentile(loadMs, 0.5), p95, max: percentile(loadMs, 1) },
      answerMs: { p50: percentile(answerMs, 0.5), p95: percentile(answerMs, 0.95), max: percentile(answerMs, 1) },
      joinMs: { p50: percentile(joinMs, 0.5), max: percentile(joinMs, 1) },
      listMs: { p50: percentile(listMs, 0.5), max: percentile(listMs, 1) },
      lost,
      unnamed,
      accountsShown: shown.length,
      seconds: Math.round(seconds),
    }),
  );
  const isWhole = lost === 0 && unnamed === 0 && shown.length === students && loadMs.length === students * runs;
  if (!isWhole || p95 >= LONGEST_P95_MS) process.exitCode = 1;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!);
}
