import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';
import { runCommand } from '../support/run-command.ts';

let t: TestAccount;
let folder: string;
let objectiveId: number;
beforeAll(async () => {
  t = await openTestAccount();
  objectiveId = (await loadLinearObjective(t)).objective.id;
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-report-'));
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: readonly string[]) =>
  runCommand(['report', '--account', 'test', ...args], { DATABASE_URL: t.url });
const inFolder = (name: string) => path.join(folder, name);

test('report writes an objective as HTML and as PDF, twice the same', async () => {
  const files = ['a.html', 'b.HTML', 'a.pdf', 'b.pdf'].map(inFolder);
  for (const file of files) {
    expect(await run('--objective', String(objectiveId), file)).toEqual({ code: 0, stdout: `${file}\n`, stderr: '' });
  }
  const [html, htmlAgain, pdf, pdfAgain] = await Promise.all(files.map((file) => readFile(file)));
  expect(html!.toString()).toContain('<h2 dir="auto">Result</h2>');
  expect(pdf!.toString('latin1', 0, 5)).toBe('%PDF-');
  expect([htmlAgain!.equals(html!), pdfAgain!.equals(pdf!)]).toEqual([true, true]);
});

test('report says what is wrong and writes nothing', async () => {
  const file = inFolder('none.pdf');
  const failed = (code: number, pattern: RegExp) => ({ code, stdout: '', stderr: expect.stringMatching(pattern) });
  expect(await run('--objective', '999999', file)).toEqual(failed(1, /There is no objective/));
  expect(await run('--objective', 'x', file)).toEqual(failed(2, /takes the number of an objective, not "x"/));
  expect(await run(file)).toEqual(failed(2, /Name either --objective or --problem/));
  expect(await run('--objective', '1')).toEqual(failed(2, /Name one file to write/));
  expect(await run('--objective', '1', inFolder('none.docx'))).toEqual(failed(2, /ends in \.pdf or \.html/));
  expect(await run('--problem', inFolder('never.yaml'), file)).toEqual(failed(1, /has not been worked on here/));
  expect(existsSync(file)).toBe(false);
});
