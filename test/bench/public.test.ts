import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const PUBLIC = 'bench/public';

async function hasPython(): Promise<boolean> {
  return run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).then(
    () => true,
    () => false,
  );
}

const python = await hasPython();

/** Parsed JSON that a program in the folder of the public grounds prints. */
async function resultOf(program: string): Promise<unknown> {
  const { stdout } = await run('python3', ['-c', `import json, curves\n${program}`], { cwd: PUBLIC });
  return JSON.parse(stdout);
}

it.skipIf(!python)('docs/benchmarks.md and its charts are what the recorded plays say', async () => {
  const { stdout } = await run('python3', [`${PUBLIC}/figures.py`, '--check']).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

it.skipIf(!python)(
  'a play reaches a target with the run that improves to it, and never one that it does not',
  async () => {
    const play = '{"at": [1, 4, 9], "best": [8.0, 2.0, 0.5], "n": 3, "budget": 12}';
    expect(
      await resultOf(`p = ${play}
print(json.dumps([curves.runs_to(p, 2.0), curves.runs_to(p, 1.9), curves.value_after(p, 8), curves.runs_to(p, 0.1) == curves.INFINITE]))`),
    ).toEqual([4, 9, 2, true]);
  },
);

it.skipIf(!python)('profiles count a problem as solved by how far the best of all solvers came', async () => {
  const program = `a = {"at": [1, 4], "best": [100.0, 0.0], "n": 3, "budget": 12}
b = {"at": [1, 8], "best": [100.0, 10.0], "n": 3, "budget": 12}
plays = {"a": {("p", 1): a}, "b": {("p", 1): b}}
keys = [("p", 1)]
found = []
for tau in (0.2, 0.05):
    targets = curves.targets_of(plays, ["a", "b"], keys, tau)
    ratios = curves.ratios(plays, ["a", "b"], keys, targets)
    found.append([targets[keys[0]], curves.efforts(plays, "b", keys, targets)[0] <= 2, min(9, ratios["b"][0])])
print(json.dumps(found))`;
  expect(await resultOf(program)).toEqual([
    [20, true, 2],
    [5, false, 9],
  ]);
});

it('the guide shows the solver that it explains', async () => {
  const guide = await readFile('docs/guides/repeat-a-benchmark.md', 'utf8');
  const [, shown] = /```python\n([\s\S]*?)```/.exec(guide)!;
  expect(await readFile(`${PUBLIC}/model_solvers.py`, 'utf8')).toContain(shown);
});

it('our optimizer plays a number within a limit and a fit through lines of JSON', async () => {
  const child = spawn(process.execPath, [`${PUBLIC}/ours.ts`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (request: object): Promise<{ input?: number[]; version?: string }> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return JSON.parse((await lines.next()).value as string) as { input?: number[] };
  };
  const inputs = [0, 1].map(() => ({ kind: 'float', minimum: -2, maximum: 3 }));
  const playOut = async (shape: string, evaluate: (x: number[]) => number[], runs: number): Promise<number[][]> => {
    const { version } = await ask({ op: 'start', inputs, outputs: 2, shape, start: [2, 2], seed: 1 });
    expect(version).toMatch(/^[0-9a-f]{10}$/);
    const made: number[][] = [];
    for (let k = 0; k < runs; k++) {
      const { input } = await ask({ op: 'ask' });
      if (input === undefined) break;
      made.push(input);
      await ask({ op: 'tell', output: k === 1 ? null : evaluate(input) });
    }
    return made;
  };
  const limited = await playOut('number', ([a, b]) => [a! + b!, 1 - a! * a! - b!], 20);
  const kept = limited.filter(([a, b], k) => k !== 1 && 1 - a! * a! - b! <= 0);
  expect(Math.min(...kept.map(([a, b]) => a! + b!))).toBeLessThan(-3.9);
  expect(limited).toContainEqual([2, 2]);
  const fitted = await playOut('residuals', ([a, b]) => [10 * (b! - a! * a!), 1 - a!], 30);
  const sums = fitted.map(([a, b]) => 100 * (b! - a! * a!) ** 2 + (1 - a!) ** 2);
  expect(Math.min(...sums)).toBeLessThan(1e-6);
  child.stdin.end();
});
