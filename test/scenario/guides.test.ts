/**
 * Plays the guides that bring files of their own as a reader would: writes the files, runs the commands in a shell against a running
 * service, and compares what is shown as printed with what was printed, but for the numbers: better suggestions change them.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPlayedAlone, isPrinted, isWritten } from '../support/doc-blocks.ts';
import { blocksOf, commandsOf, type DocPage, readPages } from '../support/doc-commands.ts';
import { readProgram } from '../support/doc-programs.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const guides = (await readPages()).filter(isPlayedAlone);

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-guides-'));
  for (const entry of ['package.json', 'bin', 'src', 'clients', 'migrations', 'node_modules']) {
    await symlink(path.join(ROOT, entry), path.join(folder, entry));
  }
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** With everything that the commands print, on both streams. */
async function play(guide: DocPage): Promise<string> {
  for (const block of blocksOf(guide).filter(isWritten)) await writeFile(path.join(folder, block.info), block.text);
  const commands = commandsOf(guide).map(({ text }) => text);
  // bin/backsolve.js is what npx runs; documented-commands.test.ts plays npx itself.
  const script = commands.join('\n').replaceAll('npx backsolve', 'node bin/backsolve.js');
  const url = service.service.url!;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      KEY: service.key,
      URL: `${url}/v1`,
      BACKSOLVE_URL: url,
      BACKSOLVE_API_KEY: service.key,
    },
  });
  return `${stdout}\n${stderr}`;
}

/** With single spaces, and a mark for every number. */
function withoutNumbers(text: string): string {
  return text
    .replaceAll(/-?\d+(\.\d+)?(e[+-]?\d+)?/g, '#')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/^ | $/gm, '');
}

test.each(guides)('$path works as written and prints what it shows', async (guide) => {
  const printed = withoutNumbers(await play(guide));
  const shown = blocksOf(guide).filter(isPrinted);
  const missing = shown.flatMap(({ text }) =>
    text.split('\n').filter((line) => !printed.includes(withoutNumbers(line))),
  );
  expect(missing, printed).toEqual([]);
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
