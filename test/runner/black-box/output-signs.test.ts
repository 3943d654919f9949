/** Signs of failed runs for black boxes that have no files: an address that answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { UNDESCRIBED } from '../../../src/runner/black-box/black-box.ts';
import { evaluateUnderConditions } from '../../../src/runner/conditions.ts';
import { readProblem } from '../../../src/runner/problem-file.ts';
import { EVALUATION } from '../evaluation-fixture.ts';

const PROBLEM = `inputs: {length: {minimum: 0, maximum: 9}, steel: {values: [S235, S355]}}
outputs: {mass: {atMost: 3}, sag: {atMost: 3}}
`;

/** Evaluates at an address that gives this output. */
async function evaluate(output: readonly number[], rest: string) {
  const server = createServer((_, response) => response.end(JSON.stringify({ output })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const text = `${PROBLEM}evaluator: {url: "http://127.0.0.1:${port}/"}\n${rest}`;
  const { problem, violations } = readProblem(text, 'p', new Map(), UNDESCRIBED);
  expect(violations).toEqual([]);
  const where = { home: tmpdir(), workFolder: tmpdir(), environment: {} };
  const box = problem!.blackBox.open(where);
  const made = await evaluateUnderConditions(problem!, box.call);
  return { outcome: await made(EVALUATION, new AbortController().signal), blackBox: problem!.blackBox };
}

test('an output of an address that stands for a failure is a failed run', async () => {
  const { outcome, blackBox } = await evaluate([1, -1], 'failsIf: [sag=-1]\nsucceedsIf: [mass > 0]\n');
  expect(outcome).toEqual({ kind: 'failure', reason: 'sag = -1', retryable: false });
  const plain = await evaluate([1, -1], '');
  expect(plain.outcome).toMatchObject({ kind: 'output', output: [1, -1] });
  expect(blackBox.identity).toHaveLength(plain.blackBox.identity.length + 1);
  expect((await evaluate([1, 2], 'failsIf: [sag=-1]\n')).outcome).toMatchObject({ kind: 'output', output: [1, 2] });
});

test.each([
  ['failsIf: [sagg=-1]', '--fails-if sagg=-1: there is no output "sagg"; the outputs are mass, sag.'],
  [
    'failsIf: ["stdout.log:/x/"]',
    '--fails-if stdout.log: only a command has files; compare an output, such as mass=-1.',
  ],
])('%s is refused before any run', async (rest, message) => {
  await expect(evaluate([1, 2], rest)).rejects.toThrow(message);
});
