/**
 * A walk of two people at one objective: both are signed in with a key of their own, each in a browser context of his own, ask for
 * inputs and enter outputs by hand at the same time. At every fifth input both type: by turns both press the button together, or the
 * slower one still types when the other has finished. Then compares with the service: every entry that the page accepted must be
 * there once and as it was typed, every other one must have been shown to its author as not loaded. Exits with code 1 otherwise.
 *
 *   npx node bench/page/two-people.ts [--inputs 100] [--both-every 5]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { connectTo, migrateDatabase } from '../../harness/database-handle.ts';
import { findBrowser } from '../../harness/find-browser.ts';
import { openPageSession } from '../../harness/page-session.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { buildPage } from '../../tools/build-page.ts';
import { makeClient } from '../service/client.ts';

const { values: options } = parseArgs({
  options: { inputs: { type: 'string', default: '100' }, 'both-every': { type: 'string', default: '5' } },
});
const inputCount = Number(options.inputs);
const bothEvery = Number(options['both-every']);
const ROOT = new URL('../../', import.meta.url).pathname;
const LOOK_AGAIN_MS = 50;
const NAMES = ['Ada', 'Ben'] as const;

interface Person {
  readonly name: (typeof NAMES)[number];
  readonly page: Page;
}

interface Entry {
  readonly name: string;
  readonly iteration: number;
  readonly output: readonly number[];
  /** Accepted by the service, or shown as overtaken. */
  readonly fate: 'loaded' | 'shown as not loaded';
}

const entries: Entry[] = [];
/** Iterations that somebody has taken, as people call to each other. */
const taken = new Set<number>();
const finished = new Set<number>();
/** Whoever waits for the other, at each input where both type. */
const meetings = new Map<number, PromiseWithResolvers<void>>();

const log = makeLog({ level: 'error' });
await using postgres = await startTemporaryPostgres({ log });
await main();

async function main(): Promise<void> {
  await buildPage({ root: ROOT, target: `${ROOT}dist/page`, onlyIfChanged: true });
  await migrateDatabase(postgres.url);
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: postgres.url,
    RATE_LIMIT_PER_MINUTE: '100000',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
  });
  const service = await startService(config, postgres.url, log, {
    ingress: true,
    worker: true,
    engine: makeCheapEngine(),
  });
  const db = connectTo(postgres.url);
  const keyOf = (label: string) => createKey(db, { account: 'rig', label, scopes: ['read', 'write'], expiresAt: null });
  const url = service.url!;
  const client = makeClient(url, await keyOf('setup'), 1);
  const send = (method: 'POST', path: string, body: object) => client.call<never>(method, path, body);
  // Targets that nothing meets.
  const objective = {
    objectives: [-1e6, -1e6],
    objectiveTypes: ['lessthan', 'lessthan'],
    minimumBounds: [],
    maximumBounds: [],
    parallelism: 3,
    holdBack: false,
    maximumAttempts: inputCount,
  };
  const id = await seedObjective(send, db, { inputs: 2, outputs: 2, runs: 1, objective });
  const found = await findBrowser();
  if ('reason' in found) throw new Error(found.reason);
  const browser = await chromium.launch(found);
  try {
    const people = await Promise.all(
      NAMES.map(async (name) => openPerson(browser, { name, url, id, key: await keyOf(name) })),
    );
    const started = performance.now();
    await Promise.all(people.map(walk));
    report(await client.call<History>('GET', `/objectives/${id}/history`), performance.now() - started);
  } finally {
    await browser.close();
    client.close();
    await service.close();
    await db.destroy();
  }
}

async function openPerson(
  browser: Browser,
  { name, url, id, key }: { name: Person['name']; url: string; id: number; key: string },
): Promise<Person> {
  const { storageState } = await openPageSession(url, key);
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', reducedMotion: 'reduce', storageState });
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  });
  await page.goto(`/page/objectives/${id}`);
  await page.getByRole('region', { name: /^Next inputs?$/ }).waitFor();
  return { name, page };
}

/** Enters outputs, and asks for an input where none is free, until all have their outputs. */
async function walk(person: Person): Promise<void> {
  while (finished.size < inputCount) {
    const iteration = await findFree(person);
    if (iteration !== undefined)
      await (isForBoth(iteration) ? enterWithOther(person, iteration) : enter(person, iteration));
    else await askOrWait(person);
  }
}

function isForBoth(iteration: number): boolean {
  return iteration % bothEvery === 0;
}

function cardOf({ page }: Person, iteration: number): Locator {
  return page.getByRole('article', { name: `Run ${iteration}`, exact: true });
}

/** An open input that this person is to run; taken from then on. */
async function findFree({ name, page }: Person): Promise<number | undefined> {
  const titles = await page.locator('article.hand-card h3[data-follow]').allTextContents();
  const open = titles
    .map((title) => Number(/^Run (\d+)$/.exec(title.trim())?.[1]))
    .filter((iteration) => iteration > 0);
  const isMine = (iteration: number) =>
    isForBoth(iteration)
      ? !entries.some((entry) => entry.name === name && entry.iteration === iteration)
      : !taken.has(iteration);
  const free = open.find(isMine);
  if (free !== undefined) taken.add(free);
  return free;
}

async function askOrWait({ page }: Person): Promise<void> {
  const button = page.locator('[data-ask]');
  if ((await button.count()) > 0 && (await button.isEnabled().catch(() => false))) {
    // It may vanish when the other one asks.
    await button.click({ timeout: 1_000 }).catch(() => undefined);
  }
  await delay(LOOK_AGAIN_MS);
}

/** Everybody types numbers that no other entry has. */
function outputOf({ name }: Person, iteration: number): readonly number[] {
  return [1_000 * (NAMES.indexOf(name) + 1) + iteration, iteration / 8];
}

async function type(person: Person, iteration: number): Promise<readonly number[]> {
  const output = outputOf(person, iteration);
  const fields = cardOf(person, iteration).getByRole('textbox');
  for (const [j, value] of output.entries()) await fields.nth(j).fill(String(value));
  return output;
}

async function enter(person: Person, iteration: number): Promise<void> {
  const output = await type(person, iteration);
  await press(person, iteration, output);
}

/** Presses the button, and notes what the page then says. */
async function press(person: Person, iteration: number, output: readonly number[]): Promise<void> {
  const { page } = person;
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
  await cardOf(person, iteration).getByRole('button', { name: 'Load the outputs' }).click();
  if ((await answered).ok()) note(person, iteration, output, 'loaded');
  else await dismiss(person, iteration, output);
}

async function enterWithOther(person: Person, iteration: number): Promise<void> {
  const output = await type(person, iteration);
  const meeting = meetings.get(iteration);
  if (meeting === undefined) {
    const own = Promise.withResolvers<void>();
    meetings.set(iteration, own);
    await own.promise;
  } else meeting.resolve();
  const arePressing = (iteration / bothEvery) % 2 === 0;
  // Without a meeting before, this one came first.
  if (arePressing || meeting === undefined) await press(person, iteration, output);
  else await dismiss(person, iteration, output);
}

/** The page keeps the numbers of the slower one, and says who was faster. */
async function dismiss(person: Person, iteration: number, output: readonly number[]): Promise<void> {
  const card = person.page.getByRole('article', { name: `Run ${iteration}: your outputs were not loaded` });
  await card.waitFor();
  const kept = await card.locator('tbody td:last-child').allTextContents();
  if (kept.map(Number).some((value, j) => value !== output[j])) throw new Error(`${person.name} lost ${kept}`);
  await card.getByRole('button', { name: 'Discard mine' }).click();
  await card.waitFor({ state: 'detached' });
  note(person, iteration, output, 'shown as not loaded');
}

function note({ name }: Person, iteration: number, output: readonly number[], fate: Entry['fate']): void {
  entries.push({ name, iteration, output, fate });
  if (fate === 'loaded') finished.add(iteration);
}

interface History {
  readonly iterations: readonly number[];
  readonly outputs: readonly (readonly number[] | null)[];
}

function report({ iterations, outputs }: History, ms: number): void {
  const stored = new Map(iterations.map((iteration, i) => [iteration, JSON.stringify(outputs[i])]));
  const loaded = entries.filter(({ fate }) => fate === 'loaded');
  const isStored = ({ iteration, output }: Entry) => stored.get(iteration) === JSON.stringify(output);
  const lost = loaded.filter((entry) => !isStored(entry));
  const doubled = loaded.filter(({ iteration }, i) => loaded.findIndex((other) => other.iteration === iteration) !== i);
  const shown = entries.filter(({ fate }) => fate === 'shown as not loaded');
  const wronglyShown = shown.filter(isStored);
  // Run 1 is the initial point.
  const open = iterations.filter(
    (iteration) => iteration > 1 && !loaded.some((entry) => entry.iteration === iteration),
  );
  const surplus = iterations.length - 1 - inputCount;
  console.log(
    JSON.stringify({
      inputs: inputCount,
      loaded: Object.fromEntries(NAMES.map((name) => [name, loaded.filter((entry) => entry.name === name).length])),
      bothTyped: meetings.size,
      shownAsNotLoaded: shown.length,
      lost: lost.length,
      doubled: doubled.length,
      wronglyShown: wronglyShown.length,
      withoutEntry: open.length,
      surplusRuns: surplus,
      seconds: Math.round(ms / 1_000),
    }),
  );
  if (lost.length + doubled.length + wronglyShown.length + open.length > 0 || surplus !== 0) process.exitCode = 1;
  if (loaded.length !== inputCount || shown.length !== meetings.size) process.exitCode = 1;
}
