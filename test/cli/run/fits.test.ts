/** `backsolve run` fits curves of the program to data in files. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/run-command.ts';
import { useRunFolder } from '../../support/run-folder.ts';

const { at, lines } = useRunFolder();

/** A tank that drains, as a table on its own grid of time. */
const TANK = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const { inputByName: { h, k }, outputNames } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(process.argv[2], outputNames.join() + '\\n');
const rows = Array.from({ length: 101 }, (_, i) => [i / 20, h * Math.exp(-k * i / 20)].join());
writeFileSync('out.csv', ['t,h', ...rows].join('\\n'));
writeFileSync('cost.txt', String(2 * h));
`;

test('A curve of a table is fitted to data in a file, and the end says what the data tell; a column that is not there is a failed run', async () => {
  const times = [0, 0.52, 1.03, 1.5, 2, 3, 4.9];
  const errors = [0.02, -0.03, 0.01, 0.02, -0.02, -0.01, 0.01];
  const rows = times.map((time, i) => `${time},${2 * Math.exp(-0.7 * time) + errors[i]!}`);
  await writeFile(at('level.csv'), ['time,level', ...rows.toSpliced(3, 0, '1.2,')].join('\n'));
  await writeFile(at('tank.mjs'), TANK);
  const write = async (name: string, column: string) => {
    const command = [process.execPath, at('tank.mjs'), at(`${name}.log`)];
    await writeFile(
      at(`${name}.yaml`),
      `inputs:
  h: {minimum: 0.5, maximum: 5}
  k: {minimum: 0.05, maximum: 3}
outputs:
  level: {unit: m, fit: {data: level.csv, x: time, y: level, sigma: 0.02}, read: {csv: out.csv, x: t, y: ${column}}}
  cost: {atMost: 9}
read: [cost=cost.txt]
command: ${JSON.stringify(command)}
maximumRuns: 40
retries: 0
stopAfterFailures: 2
`,
    );
    return at(`${name}.yaml`);
  };
  const end = await callCommand(['run', await write('tank', 'h')]);
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toMatch(/^run \d+: h=.* -> level=7 values cost=.*; best: run \d+, chi-square \d/m);
  expect(end.stdout).toMatch(/^Fitted after \d+ runs\. Best: run \d+\./m);
  expect(end.stdout).toMatch(/^ {2}level +chi-square [\d.]+ +fit to 7 values, each \+-0\.02 m$/m);
  expect(end.stdout).toMatch(/^What the data tell:\n {2}h: .*; 95 % interval .* to .*\.\n {2}k: /m);
  expect(new Set(await lines('tank.log'))).toEqual(new Set(['level,cost']));
  expect((await lines('tank.csv'))[0]!.trim()).toBe(
    'h,k,level[0] [m],level[1] [m],level[2] [m],level[4] [m],level[5] [m],level[6] [m],level[7] [m],cost,number,run,status,failureReason',
  );
  const { optimum, fit, fitParameters } = JSON.parse(await readFile(at('tank.json'), 'utf8'));
  expect(optimum.output.level).toHaveLength(7);
  expect(optimum.misses).toEqual({ cost: 0 });
  expect(optimum.input.h / 2).toBeCloseTo(1, 1);
  expect(fit).toMatchObject({ freedom: 5, warnings: [] });
  expect(fitParameters.parameters).toMatchObject([{ kind: 'identifiable' }, { kind: 'identifiable' }]);

  const wrong = await callCommand(['run', await write('untitled', 'level')]);
  expect(wrong.code).toBe(12);
  expect(wrong.stdout).toContain(
    'failed: level: out.csv, columns t and level: it has no column level; line 1 has t, h',
  );
});

test('Data of two temperatures are one run: the command is called once at each, and is told which', async () => {
  const levelsAt = (temperature: number) =>
    [0, 1, 2, 4].map((t) => `${t},${Math.exp(-0.7 * Math.exp((0.5 * (temperature - 300)) / 20) * t)}`);
  await writeFile(at('cold.csv'), ['time,level', ...levelsAt(280)].join('\n'));
  await writeFile(at('warm.csv'), ['time,level', ...levelsAt(320)].join('\n'));
  await writeFile(
    at('reactor.mjs'),
    `import { appendFileSync, readFileSync } from 'node:fs';
const { inputByName: { k, energy, temperature }, outputNames } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync(process.argv[2], [process.argv[3], process.env.BACKSOLVE_INPUT_TEMPERATURE, outputNames] + '\\n');
const rate = k * Math.exp((energy * (temperature - 300)) / 20);
const x = Array.from({ length: 81 }, (_, i) => i / 20);
const level = { x, y: x.map((t) => Math.exp(-rate * t)) };
console.log(JSON.stringify(temperature === 280 ? { level, cost: 3 } : { level }));
`,
  );
  const write = async (name: string, warm: string) => {
    const command = ['node', at('reactor.mjs'), at(`${name}.log`), '{temperature}'];
    const file = at(`${name}.yaml`);
    await writeFile(
      file,
      `inputs:
  k: {minimum: 0.05, maximum: 3, scale: log}
  energy: {minimum: 0, maximum: 2}
outputs:
  cold: {fit: {data: cold.csv, x: time, y: level, sigma: 0.01, when: {temperature: 280}, output: level}}
  warm: {fit: {data: warm.csv, x: time, y: level, sigma: 0.01, ${warm}}}
  cost: {atMost: 9}
command: ${JSON.stringify(command)}
maximumRuns: 40
`,
    );
    return file;
  };
  const end = await callCommand(['run', await write('reactor', 'when: {temperature: 320}, output: level')]);
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toMatch(/^Fitted after \d+ runs\. Best: run \d+\./m);
  const called = await lines('reactor.log');
  const runs = called.length / 2;
  expect(called).toEqual(Array.from({ length: runs }, () => ['280,280,level,cost', '320,320,level']).flat());
  const { optimum, fit } = JSON.parse(await readFile(at('reactor.json'), 'utf8'));
  expect([optimum.input.k, optimum.input.energy]).toEqual([expect.closeTo(0.7, 1), expect.closeTo(0.5, 1)]);
  expect(fit.sets.map(({ name }: { name: string }) => name)).toEqual(['cold', 'warm']);

  const refused = async (warm: string) => (await callCommand(['run', '--check', await write('wrong', warm)])).stderr;
  expect(await refused('when: {k: 320}')).toContain('The data of warm fix k, which the search varies');
  expect(await refused('output: level')).toContain('give when, or leave out output');
  expect(await refused('when: {temperature: 280}, output: level')).toContain(
    'outputs.warm: is about level as another data set under the same conditions',
  );
  expect(await refused('when: {}')).toContain('outputs.warm.fit.when: must name at least one condition.');
});
