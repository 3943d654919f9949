/** `backsolve run` on a file, a program or targets that have changed since earlier runs. */
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/run-command.ts';
import { BLACK_BOX, useRunFolder } from '../../support/run-folder.ts';

const { at, write, lines, namesOf } = useRunFolder();

test('A mistyped output ends the search at its first run, with the names that the program prints, and its correction begins anew', async () => {
  const file = await write('mistyped', { target: 4 });
  await writeFile(
    at('named.mjs'),
    BLACK_BOX.replace('JSON.stringify([a * b, a + 3 * b])', 'JSON.stringify({ p: a * b, q: a + 3 * b })'),
  );
  const right = (await readFile(file, 'utf8')).replace('box.mjs', 'named.mjs');
  await writeFile(file, right.replace('  q:', '  quality:'));
  const ended = await callCommand(['run', file]);
  expect(ended.code).not.toBe(0);
  expect(`${ended.stdout}${ended.stderr}`).toContain('lacks the output quality, and has q.');
  expect(await lines('mistyped.log')).toHaveLength(1);
  await writeFile(file, right);
  const solved = await callCommand(['run', file]);
  expect(solved.stdout + solved.stderr).toContain('the problem begins anew');
  expect(solved.code).toBe(0);
  await writeFile(file, right.replace('  q:', '  quality:'));
  const refused = await callCommand(['run', file]);
  expect(refused.stderr).toContain('The inputs or outputs have changed');
});

test('An edited program is compared at one kept run, and refused where its outputs are other ones', async () => {
  const file = await write('edited');
  await copyFile(at('box.mjs'), at('edited.mjs'));
  await writeFile(file, (await readFile(file, 'utf8')).replace('box.mjs', 'edited.mjs'));
  const edit = async (change: (text: string) => string) => {
    const program = at('edited.mjs');
    await writeFile(program, change(await readFile(program, 'utf8')));
  };
  const countCalls = async () => (await readFile(at('edited.log'), 'utf8')).trim().split('\n').length;
  expect(await callCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
  const count = await countCalls();
  await edit((text) => `${text}// a comment\n`);
  for (const _ of [1, 2]) expect(await callCommand(['run', file])).toMatchObject({ code: 0, stderr: '' });
  expect(await countCalls()).toBe(count + 1);
  await edit((text) => text.replace('3 * b', '3.2 * b'));
  for (const command of ['run', 'batch', 'run']) {
    const refused = await callCommand([command, file]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('edited.mjs has changed since earlier') });
    expect(refused.stderr).toContain('start over with --new');
  }
  expect(await countCalls()).toBe(count + 2);
});

test('A file is solved and its results are written; again it only says so; changed targets go on from the same data', async () => {
  const file = await write('solved', { more: 'jobs: 2\nmaximumRuns: 60' });
  const first = await callCommand(['run', file]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^case 1: a=.*^run 2: a=/ms);
  expect(first.stdout).toContain('Solved: everything is met');
  const calls = (await lines('solved.log')).length;
  const [header, ...rows] = await lines('solved.csv');
  expect(header!.trim()).toBe('a [mm],b,p [kg],q,number,run,status,failureReason');
  // The command of the other job is ended when the goals are met: it has noted its call, and is no run.
  expect([calls, calls - 1]).toContain(rows.length);
  const result = JSON.parse(await readFile(at('solved.json'), 'utf8'));
  expect(result).toMatchObject({ stopReason: 'SATISFIED', optimum: { isSatisfied: true, worstMiss: 0 } });
  expect(Math.abs(result.optimum.output.p - 4)).toBeLessThanOrEqual(0.04);

  const again = await callCommand(['run', file]);
  expect(again.code).toBe(0);
  expect(await lines('solved.log')).toHaveLength(calls);

  const changed = await callCommand(['run', await write('solved', { target: 4.5, more: 'jobs: 2\nmaximumRuns: 60' })]);
  expect(changed).toMatchObject({ code: 0, stderr: '' });
  expect(changed.stdout).toContain(`Going on after ${rows.length} runs.`);
  const after = await lines('solved.log');
  expect(after.length).toBeGreaterThan(calls);
  expect(new Set(after).size).toBe(after.length);
  expect(changed.stdout).toMatch(/^run 2: a=/m);
  expect(await namesOf('solved')).toEqual(expect.arrayContaining(['case 1', 'run 2', 'run 2 of an earlier search']));

  const refused = await callCommand(['run', await write('solved', { maximum: 6 })]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('maximums: [5,5] became [6,5]');
  expect(refused.stderr).toContain('--new');
  const anew = await callCommand(['run', '--new', file]);
  expect(anew.code).toBe(0);
  expect(anew.stdout).not.toContain('Going on');
});

test('A renamed file goes on with its runs, a copy begins without them, and a file that was moved away from them is refused', async () => {
  const file = await write('before', { more: 'maximumRuns: 3' });
  expect(await callCommand(['run', file])).toMatchObject({ code: 11, stderr: '' });
  const after = at('after.yml');
  await rename(file, after);
  const renamed = await callCommand(['run', after]);
  expect(renamed.code).toBe(11);
  expect(renamed.stdout).toContain('before.yaml is gone and was the same problem: this file goes on with its 3 runs');
  expect(await lines('before.log')).toHaveLength(3);
  const again = await callCommand(['run', after]);
  expect([again.code, again.stdout.includes('is gone')]).toEqual([11, false]);

  const copy = at('copy.yaml');
  await copyFile(after, copy);
  const copied = await callCommand(['run', copy]);
  expect(copied.stdout).toContain('after.yml is the same problem and has 3 runs; this file begins without them.');
  expect(await lines('before.log')).toHaveLength(6);

  await mkdir(at('elsewhere'));
  await rm(copy);
  const moved = at('elsewhere', 'after.yml');
  await rename(after, moved);
  await copyFile(at('box.mjs'), at('elsewhere', 'box.mjs'));
  const refused = await callCommand(['run', moved]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`The same problem was begun as ${after}, which is gone; its 3 runs are in`);
  expect(refused.stderr).toContain('--new');
});
