/** Tests when kept runs count for a call of `solve`: one of them is made once more if the black box may have changed. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { ChangedProblemError, fit as dataOf, real, solve, within } from '../../../clients/typescript/src/solve.ts';
import { openPlaces, type Places } from './places.ts';

let here: Places['here'];
beforeAll(async () => {
  const places = await openPlaces();
  ({ here } = places);
  return places.close;
});

const PROBLEM = {
  inputs: { a: real(0, 10), b: real(0, 10) },
  goals: { u: within(12, 0.12), v: within(13, 0.13) },
} as const;
type Input = { readonly a: number; readonly b: number };

it('A change without effect costs one run once, and another answer is refused once and for all', async () => {
  const options = { ...here(), ...PROBLEM };
  const calls: Input[] = [];
  const black = (input: Input) => {
    calls.push(input);
    return { u: input.a * input.b, v: input.a + 3 * input.b };
  };
  const first = await solve(black, options);
  const count = calls.length;
  expect((await solve(black, options)).best).toEqual(first.best);
  expect(calls).toHaveLength(count);
  const rewritten = (input: Input) => {
    calls.push(input);
    return { v: 3 * input.b + input.a, u: input.b * input.a };
  };
  expect((await solve(rewritten, options)).best).toEqual(first.best);
  expect((await solve(rewritten, options)).best).toEqual(first.best);
  expect(calls.slice(count)).toEqual([first.best!.input]);
  const other = (input: Input) => {
    calls.push(input);
    return { u: input.a * input.b, v: input.a + 3.1 * input.b };
  };
  for (const _ of [1, 2]) {
    const error = await solve(other, options).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(ChangedProblemError);
    expect((error as Error).message).toMatch(
      /^The text of the function has changed since earlier runs, and with it the outputs: at a=\S+ b=\S+ v was 13\.\d+ and is 13\.\d+\. The kept runs do not fit\. Revert the change, or start over with fresh: true, or give another name\. If runs/,
    );
  }
  expect(calls).toHaveLength(count + 2);
  const noisy = await solve(other, { ...options, noise: { u: 0.3, v: 0.3 }, budget: count + 9 });
  expect(noisy.history.length).toBeGreaterThanOrEqual(count);
});

it('Functions of one text that close over other data are told apart within a process', async () => {
  const options = { ...here(), ...PROBLEM };
  let calls = 0;
  const of =
    (factor: number) =>
    ({ a, b }: Input) => {
      calls += 1;
      return { u: a * b, v: a + factor * b };
    };
  const three = of(3);
  await solve(three, options);
  const count = calls;
  await solve(three, options);
  expect(calls).toBe(count);
  await expect(solve(of(3.1), options)).rejects.toThrow(/^The function object has changed since .* v was/);
  expect((await solve(of(3), options)).status).toBe('satisfied');
  expect(calls).toBe(count + 2);
});

it('Named files count, and a run that fails now is a change', async () => {
  const options = { ...here(), ...PROBLEM };
  const file = path.join(options.folder, '..', `${path.basename(options.folder)}.txt`);
  await writeFile(file, '3');
  let calls = 0;
  const black = async ({ a, b }: Input) => {
    calls += 1;
    const factor = Number(await readFile(file, 'utf8'));
    if (factor === 0) throw new Error('no mesh');
    return { u: a * b, v: a + factor * b };
  };
  const first = await solve(black, { ...options, files: [file] });
  const count = calls;
  await writeFile(file, '3.0');
  expect((await solve(black, { ...options, files: [file] })).best).toEqual(first.best);
  expect(calls).toBe(count + 1);
  await writeFile(file, '0');
  const failed = solve(black, { ...options, files: [file] });
  await expect(failed).rejects.toThrow(/\.txt has changed .* the run that gave u=\S+ v=\S+ fails: Error: no mesh\. /);
  await writeFile(file, '3');
  expect((await solve(black, { ...options, files: [file] })).status).toBe('satisfied');
});

it('Failures alone are kept and mentioned, and a source that changed is run itself', async () => {
  const options = { ...here(), ...PROBLEM, stopAfterFailures: 2 };
  const broken = () => {
    throw new Error('no licence');
  };
  await solve(broken, options);
  const warned = once(process, 'warning');
  const black = ({ a, b }: Input) => ({ u: a * b, v: a + 3 * b });
  expect((await solve(black, options)).best).toBeNull();
  expect((await warned)[0]).toMatchObject({ message: expect.stringContaining('those that failed are kept') });

  const called: string[] = [];
  const fine = ({ a, b }: Input) => {
    called.push('fine');
    return { u: a * b, v: a + 3 * b };
  };
  const coarse = ({ a, b }: Input) => {
    called.push('coarse');
    return { u: a * b + 0.2, v: a + 3 * b };
  };
  const coarser = ({ a, b }: Input) => {
    called.push('coarse');
    return { u: a * b + 0.9, v: a + 3 * b };
  };
  const withSource = { ...here(), ...PROBLEM };
  await solve(fine, { ...withSource, sources: { coarse: { run: coarse, cost: 0.1 } } });
  expect(called).toContain('coarse');
  called.length = 0;
  const changed = solve(fine, { ...withSource, sources: { coarse: { run: coarser, cost: 0.1 } } });
  await expect(changed).rejects.toThrow(/since earlier runs of the source coarse, .* u was/);
  expect(called).toEqual(['coarse']);
});

it('The values of a fit are compared', async () => {
  const t = [0, 0.5, 1];
  const goals = {
    y: dataOf(
      t.map((one) => 2 * Math.exp(-one)),
      { sigma: 0.01 },
    ),
  };
  const options = { ...here(), inputs: { a: real(0, 5) }, goals };
  await solve(({ a }) => ({ y: t.map((one) => a * Math.exp(-one)) }), options);
  const changed = solve(({ a }) => ({ y: t.map((one) => a * Math.exp(-1.5 * one)) }), options);
  await expect(changed).rejects.toThrow(/was \S+ and is \S+\. The kept runs do not fit\. [^I]*$/);
});

it('What the program of the function imports counts, and a process that is killed in the comparison makes it once more', async () => {
  const { folder, url, key } = here();
  await mkdir(folder, { recursive: true });
  const client = fileURLToPath(new URL('../../../clients/typescript/src/solve.ts', import.meta.url));
  await writeFile(path.join(folder, 'factor.mjs'), 'export const factor = 3;\n');
  await writeFile(
    path.join(folder, 'program.mjs'),
    `import { appendFileSync } from 'node:fs';
import { factor } from './factor.mjs';
const { solve, real, within } = await import(${JSON.stringify(client)});
const result = await solve(({ a, b }) => {
  appendFileSync('calls', 'x');
  if (process.env.KILLED) process.kill(process.pid, 'SIGKILL');
  return { u: a * b, v: a + factor * b };
}, { url: ${JSON.stringify(url)}, key: ${JSON.stringify(key)}, name: 'imports', progress: false,
  inputs: { a: real(0, 10), b: real(0, 10) }, goals: { u: within(12, 0.12), v: within(13, 0.13) } });
console.log(result.status);
`,
  );
  const play = (environment = {}) =>
    new Promise<{ readonly stdout: string; readonly stderr: string; readonly signal: unknown }>((resolve) => {
      const options = { cwd: folder, env: { ...process.env, ...environment } };
      execFile(process.execPath, ['program.mjs'], options, (error, stdout, stderr) =>
        resolve({ stdout, stderr, signal: error?.signal }),
      );
    });
  const countCalls = async () => (await readFile(path.join(folder, 'calls'), 'utf8')).length;
  expect((await play()).stdout).toBe('satisfied\n');
  const count = await countCalls();
  await copyFile(path.join(folder, 'factor.mjs'), path.join(folder, 'before.mjs'));
  await writeFile(path.join(folder, 'factor.mjs'), 'export const factor = 3.5;\n');
  expect((await play({ KILLED: '1' })).signal).toBe('SIGKILL');
  for (const _ of [1, 2]) expect((await play()).stderr).toContain('factor.mjs has changed since earlier runs');
  expect(await countCalls()).toBe(count + 2);
  await copyFile(path.join(folder, 'before.mjs'), path.join(folder, 'factor.mjs'));
  expect((await play()).stdout).toBe('satisfied\n');
  expect(await countCalls()).toBe(count + 2);
});
