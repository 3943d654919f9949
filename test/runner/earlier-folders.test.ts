/** Folders that earlier versions left are read as those of this one. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProblemFolder } from '../../clients/typescript/src/solve/folder.ts';
import { RunFolder } from '../../src/runner/run-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-earlier-'));
});
afterEach(() => rm(folder, { recursive: true }));

const PROJECT = { name: 'part', inputCount: 1, minimums: [0], maximums: [1], inputTypes: ['float'] };
const COMMON = { version: 1, id: 'b2f1', service: null, project: PROJECT, modelId: 3, projectId: 4 };
const OBJECTIVE = { objectives: [1], objectiveTypes: ['exact'], minimumBounds: [null], maximumBounds: [null] };

it('A folder of the commands keeps its batches, budget, known runs and results', async () => {
  const problem = new RunFolder(path.join(folder, 'part.yaml'));
  await mkdir(problem.path, { recursive: true });
  const results = { csv: 'part.csv', json: 'part.json' };
  const batch = { id: 7, objectives: [OBJECTIVE], maximumRuns: 9, body: { objectives: [] }, retried: 2 };
  const earlier = { ...COMMON, file: 'part.yaml', command: 'c0de', trialId: 5, known: 'ab', batches: [batch], results };
  await writeFile(path.join(problem.path, 'problem.json'), JSON.stringify(earlier));
  const record = (await problem.read())!;
  const now = { id: 7, objectives: [OBJECTIVE], budget: 9, body: { objectives: [] }, retried: 2 };
  expect(record).toEqual({
    ...{ ...COMMON, file: 'part.yaml', code: 'c0de', trialId: 5, known: 'ab', designed: null },
    ...{ batches: [now], results },
  });
  await problem.write(record);
  expect(JSON.parse(await readFile(path.join(problem.path, 'problem.json'), 'utf8'))).toEqual(record);
});

it('A folder of the client keeps its batches of one objective', async () => {
  const batches = [{ id: 7, objective: OBJECTIVE, budget: null, body: { objectives: [OBJECTIVE] } }];
  const earlier = { ...COMMON, code: 'c0de', designed: 2, batches };
  await writeFile(path.join(folder, 'problem.json'), JSON.stringify(earlier));
  expect(await new ProblemFolder(folder).read()).toEqual({
    ...{ ...COMMON, code: 'c0de', designed: 2, trialId: null, known: null },
    batches: [{ id: 7, objectives: [OBJECTIVE], budget: null, body: { objectives: [OBJECTIVE] } }],
  });
});
