/** `backsolve run --check`. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/run-command.ts';
import { useRunFolder } from '../../support/run-folder.ts';

const { at, exists } = useRunFolder();

test('--check lists everything that is wrong, at its place, and begins nothing', async () => {
  const file = at('wrong.yaml');
  await writeFile(
    file,
    'inputs:\n  a: {minimum: 3, maxium: 2}\n  b: {minimum: 0, maximum: 1, scale: log}\noutputs:\n  p: {target: 0, within: 5%}\ncommand: [nowhere]\njobs: 0\n',
  );
  const { code, stderr } = await callCommand(['run', '--check', file]);
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toEqual([
    `${file}:2:3: inputs.a.maximum: is required, or values with all that the input takes.`,
    `${file}:2:19: inputs.a.maxium: is not known here; did you mean maximum?`,
    `${file}:7:7: jobs: must be a whole number from 1 to 64, is 0.`,
  ]);
  await writeFile(
    file,
    'inputs: {a: {minimum: 0, maximum: 1, scale: log}}\noutputs: {p: {below: 3}}\ncommand: [nowhere]\n',
  );
  const second = await callCommand(['run', '--check', file]);
  expect(second.stderr).toContain(`${file}:1:38: inputs.a.scale: can be log only with a positive minimum`);
  await writeFile(
    file,
    'inputs: {a: {minimum: 0, maximum: 1}}\noutputs: {p: {below: 3}}\n"x\\e[2J": 1\ncommand: [node]\n',
  );
  const third = await callCommand(['run', '--check', file]);
  expect(third.stderr).toContain(`${file}:3:1: x [2J: is not known here`);
  expect(await exists('.backsolve/wrong')).toBe(false);
});

test('--check says which formats lose values, and what does not fit its width is refused before anything runs', async () => {
  const file = at('widths.yaml');
  const write = (placeholder: string) => writeFile(at('card.tmpl'), `MAT1{{${placeholder}}}{{n:3d}}\n`);
  await writeFile(
    file,
    `inputs: {k: {minimum: 1e-6, maximum: 1e-3, scale: log}, n: {type: integer, minimum: 1, maximum: 999}}
outputs: {y: {atMost: 1}}
templates: [card.tmpl:card.txt]
failsIf: [y=-1]
command: [node, -e, 'console.log(1)']
`,
  );
  await write('k:8.3f');
  expect(await callCommand(['run', '--check', file])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'card.tmpl: k:8.3f writes 0.000001 and 0.00000104407 both as 0.000 (2 texts for 101 values from bound to bound), and ' +
        '0.000001 as 0.000, which is below the bound: write k:8.3g.',
    ),
  });
  await write('k:8.3g');
  expect((await callCommand(['run', '--check', file])).stdout).not.toContain('card.tmpl');
  await write('k:8.3e');
  for (const flags of [['--check'], []]) {
    expect(await callCommand(['run', ...flags, file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'widths.yaml:3:1: templates: card.tmpl: k:8.3e: 1.000e-06 takes 9 characters, but the width is 8; write k:8.2e.',
      ),
    });
  }
});
