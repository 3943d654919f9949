/** `backsolve run` when runs fail, are used up or cannot be made, and goes on later. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/run-command.ts';
import { useRunFolder } from '../../support/run-folder.ts';

const { at, write, lines, finishedInputs } = useRunFolder();

test('A budget that is used up, and runs that fail, have exit codes of their own; the result can be reported', async () => {
  const spent = await callCommand(['run', await write('spent', { more: 'maximumRuns: 4' })]);
  expect(spent.code).toBe(11);
  expect(await lines('spent.log')).toHaveLength(4);
  const more = await callCommand(['run', await write('spent', { more: 'maximumRuns: 5' })]);
  expect(more.code).toBe(11);
  expect(await lines('spent.log')).toHaveLength(5);

  const report = at('spent.html');
  const reported = await callCommand(['report', '--problem', at('spent.yaml'), report]);
  expect(reported).toEqual({ code: 0, stdout: `${report}\n`, stderr: '' });
  expect(await readFile(report, 'utf8')).toMatch(/Two inputs[\s\S]*All 2 suggested inputs[\s\S]*case 1/);

  const file = await write('failing', { more: 'stopAfterFailures: 2\nonExit: {0: fail}' });
  const failing = await callCommand(['run', file]);
  expect(failing.code).toBe(12);
  expect(failing.stdout).toContain('Given up:');
});

test('A program that did not run fails no run, and the same command goes on once it can', async () => {
  const file = await write('away', { wholeCalls: 3, more: 'onExit: {1: fault}' });
  const away = await callCommand(['run', file]);
  expect(away.code).toBe(2);
  expect(away.stdout).toMatch(
    /Nothing can be run here: .*exit code 1: Error: a bug.*\nNothing is lost\. Once it can: /,
  );
  expect(await finishedInputs('away')).toHaveLength(3);
  await writeFile(at('away.log.mended'), '');
  expect((await callCommand(['run', file])).code).toBe(0);
  const { runs } = JSON.parse(await readFile(at('away.json'), 'utf8'));
  expect(runs.every(({ output }: { output: unknown }) => output !== null)).toBe(true);
  expect(await lines('away.log')).toHaveLength(runs.length + 1);
});

test('Failed designed runs are run once more on request, and then the search begins', async () => {
  const file = await write('broken', { wholeCalls: 0 });
  const broken = await callCommand(['run', file]);
  expect(broken.code).toBe(12);
  expect(broken.stdout).toContain('Given up: All 10 designed cases failed');
  expect(broken.stdout).toContain(`backsolve run ${file} --retry-failed`);
  await writeFile(at('broken.log.mended'), '');
  const again = await callCommand(['run', file]);
  expect([again.code, (await lines('broken.log')).length]).toEqual([12, 10]);

  const retried = await callCommand(['batch', file, '--retry-failed']);
  expect(retried).toMatchObject({ code: 0, stderr: '' });
  expect(retried.stdout).toContain('Trying 10 failed runs once more.');
  expect(retried.stdout).toMatch(/\d+ runs \(10 of them tried again\), with all digits/);
  const result = JSON.parse(await readFile(at('broken.json'), 'utf8'));
  const calls = await lines('broken.log');
  expect(result).toMatchObject({ retried: 10, stopReason: 'SATISFIED' });
  expect(calls.slice(10, 20).sort()).toEqual(calls.slice(0, 10).sort());
  // Run 1 is the copy of a case with which a search begins.
  expect(result.runs.map(({ name }: { name: string }) => name)).toEqual(
    calls.slice(10).map((_, i) => (i < 10 ? `case ${i + 1}` : `run ${i - 8}`)),
  );
  expect(result.runs.every(({ output }: { output: unknown }) => output !== null)).toBe(true);

  const nothing = await callCommand(['run', file, '--retry-failed']);
  expect(nothing.code).toBe(0);
  expect(nothing.stdout).toContain('nothing to try again');
  expect(await lines('broken.log')).toHaveLength(calls.length);
  const both = await callCommand(['run', file, '--retry-failed', '--new']);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('give one of the two')]);
});

test('Failed runs of the search are run once more on request, and the search goes on with their outputs', async () => {
  const file = await write('half', { wholeCalls: 2, more: 'stopAfterFailures: 3' });
  const broken = await callCommand(['run', file]);
  expect(broken.code).toBe(12);
  const failed = (await lines('half.log')).slice(2);
  expect(failed).toHaveLength(3);
  await writeFile(at('half.log.mended'), '');
  const retried = await callCommand(['run', file, '--retry-failed']);
  expect(retried).toMatchObject({ code: 0, stderr: '' });
  const calls = await lines('half.log');
  expect(calls.slice(5, 8)).toEqual(failed);
  expect(new Set(calls.slice(5)).size).toBe(calls.length - 5);
  const result = JSON.parse(await readFile(at('half.json'), 'utf8'));
  expect(result.retried).toBe(3);
  expect(result.runs).toHaveLength(calls.length - 3);
  expect(result.runs.every(({ output }: { output: unknown }) => output !== null)).toBe(true);
});
