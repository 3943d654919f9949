/**
 * Plays the guides that bring files of their own as a reader would: writes the files, runs the commands in a shell against a running
 * service, and compares what is shown as printed with what was printed, but for the numbers: better suggestions change them.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkClone } from '../support/clone-folder.ts';
import { isPlayedAlone, isPrinted, isWritten } from '../support/doc-blocks.ts';
import { blocksOf, commandsOf, type DocPage, readPages } from '../support/doc-commands.ts';
import { readProgram } from '../support/doc-programs.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { findMissing, isOfTrade } from '../support/trades.ts';

const guides = (await readPages()).filter(isPlayedAlone);

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-guides-'));
  await linkClone(folder);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function writeFilesOf(guide: DocPage): Promise<void> {
  for (const block of blocksOf(guide).filter(isWritten)) await writeFile(path.join(folder, block.info), block.text);
}

/** bin/backsolve.js is what npx runs; documented-commands/readme.test.ts plays npx itself. */
function scriptOf(guide: DocPage): readonly string[] {
  const commands = commandsOf(guide).map(({ text }) => text);
  return ['-euo', 'pipefail', '-c', commands.join('\n').replaceAll('npx backsolve', 'node bin/backsolve.js')];
}

function settings() {
  const url = service.service.url!;
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    KEY: service.key,
    URL: `${url}/v1`,
    BACKSOLVE_URL: url,
    BACKSOLVE_API_KEY: service.key,
  };
  return { cwd: folder, env };
}

/** Returns everything that the commands print, on both streams. Throws with it where a command fails. */
async function play(guide: DocPage): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('bash', scriptOf(guide), settings()).catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
  });
  return `${stdout}\n${stderr}`;
}

/** Guides whose runs are random: now and then a play uses up its runs. */
const RANDOM = ['docs/guides/noisy-runs.md'];

/** Without the runs that are kept. */
async function playAnew(guide: DocPage): Promise<string> {
  await rm(path.join(folder, '.backsolve'), { recursive: true, force: true });
  return play(guide);
}

/** Plays the guide until it has printed some runs, and kills it with all its programs. Returns how many it has printed. */
async function playInPart(guide: DocPage): Promise<number> {
  const playing = spawn('bash', scriptOf(guide), {
    ...settings(),
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let runs = 0;
  for await (const line of createInterface(playing.stdout)) {
    if (/^(case|run) \d+: /.test(line)) runs += 1;
    if (runs === 4) process.kill(-playing.pid!, 'SIGKILL');
  }
  return runs;
}

/** With single spaces, and a mark for every number. */
function withoutNumbers(text: string): string {
  return text
    .replaceAll(/-?\d+(\.\d+)?(e[+-]?\d+)?/g, '#')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/^ | $/gm, '');
}

/** Lines that the guide shows and that were not printed. */
function unprintedLines(guide: DocPage, printed: string): readonly string[] {
  const lines = withoutNumbers(printed);
  const shown = blocksOf(guide).filter(isPrinted);
  return shown.flatMap(({ text }) => text.split('\n').filter((line) => !lines.includes(withoutNumbers(line))));
}

const others = guides.filter(({ path: page }) => !isOfTrade(page));
test.each(others)('$path works as written and prints what it shows', async (guide) => {
  await writeFilesOf(guide);
  const printed = await play(guide).catch((error) => {
    if (!RANDOM.includes(guide.path)) throw error;
    return playAnew(guide);
  });
  expect(unprintedLines(guide, printed), printed).toEqual([]);
});

describe.each(guides.filter(({ path: page }) => isOfTrade(page)))('$path', (guide) => {
  const missing = findMissing(guide.path);
  if (missing !== undefined) console.log(`NOT CHECKED: ${guide.path}, because ${missing} is not installed.`);

  test.skipIf(missing !== undefined)('works as written, also when it is killed in the middle and goes on', async () => {
    await writeFilesOf(guide);
    const before = await playInPart(guide);
    const printed = await play(guide);
    expect(unprintedLines(guide, printed), printed).toEqual([]);
    const [kept, runs] = [/^Going on after (\d+) runs\.$/m, /^(?!Going).* after (\d+) runs\./m].map((one) =>
      Number(one.exec(printed)![1]),
    );
    expect(kept).toBeGreaterThanOrEqual(before);
    const table = /([\w-]+\.csv) and /.exec(printed)![1]!;
    const rows = (await readFile(path.join(folder, table), 'utf8')).trimEnd().split('\n').slice(1);
    expect(new Set(rows.map((row) => row.replace(/(,[^,]*){4}$/, ''))).size).toBe(runs);
    expect(rows).toHaveLength(runs!);
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)(
  'The program of docs/guides/first-problem.md reads an input and prints its outputs',
  async () => {
    const program = await readProgram('guides/first-problem.md', 'Your own', 'python');
    const input = JSON.stringify({ inputByName: { length: 2, thickness: 4 } });
    const { stdout } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
    expect(stdout).toBe('[8, 0.5]\n');
  },
);
