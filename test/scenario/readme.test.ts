import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

/** The tour is written for a shell with curl; where there is none it cannot be walked, and the run says so. */
const hasShell = ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0);

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

it.skipIf(!hasShell)('the tour of the README ends SATISFIED on a fresh service', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const tour = /## A tour[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)![1]!;
  const env = { ...process.env, KEY: service.key, URL: `${service.service.url}/v1` };
  const { stdout } = await promisify(execFile)('bash', ['-euc', tour], { env });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { stopReason?: number; inverses?: { inputs: number[] }[] });
  expect(answers).toHaveLength(7);
  expect(answers.at(-1)!.stopReason).toBe(1);
  const [x1, x2] = answers.at(-1)!.inverses!.at(-1)!.inputs as [number, number];
  expect(Math.abs(x1 + x2 - 10)).toBeLessThan(0.1);
  expect(Math.abs(x1 - x2 + 4)).toBeLessThan(0.04);
});
