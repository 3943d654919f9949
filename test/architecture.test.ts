/**
 * Checks who may import whom and which packages, that there are no cycles, that the environment and SQL are each used in
 * one folder only, and names, sizes and words. The last group proves that each rule catches a violation.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  CAPABILITIES,
  findMutualPairs,
  judgeFolders,
  judgeOrder,
  judgePairs,
  MOST_PAIRS,
} from './support/folder-rules.ts';
import {
  FLOORS,
  findCycles,
  type Import,
  judgeComponents,
  judgeImport,
  judgeLength,
  judgeName,
  readSource,
  resolve,
  type SourceFacts,
  TABLES,
  zoneOf,
} from './support/import-rules.ts';
import { findRetiredWords, readRetiredWords } from './support/vocabulary.ts';

const root = new URL('../', import.meta.url);
const sources = new Map<string, string>();
for (const path of globSync('**/*.{ts,tsx}', { cwd: new URL('src/', root) }).sort()) {
  sources.set(path, readFileSync(new URL(`src/${path}`, root), 'utf8'));
}
const facts = new Map([...sources].map(([path, source]) => [path, readSource(path, source)]));
const allImports = [...facts.values()].flatMap((each) => each.imports);

function pathsWhere(isBroken: (path: string, each: SourceFacts) => boolean): string[] {
  return [...facts].filter(([path, each]) => isBroken(path, each)).map(([path]) => path);
}

describe('src', () => {
  it('The sources are found', () => {
    expect(sources.size).toBeGreaterThan(10);
    expect(allImports.length).toBeGreaterThan(20);
  });

  it('Every file imports only what the table of zones allows', () => {
    expect(allImports.map(judgeImport).filter((complaint) => complaint !== undefined)).toEqual([]);
  });

  it('Relative imports name existing files', () => {
    const targets = allImports.map((one) => ({ one, target: resolve(one) }));
    const isThere = (target: string) =>
      sources.has(target) || (target.endsWith('.css') && existsSync(new URL(`src/${target}`, root)));
    const missing = targets.filter(({ target }) => target && !target.startsWith('../') && !isThere(target));
    expect(missing.map(({ one }) => `${one.from} imports ${one.specifier}`)).toEqual([]);
  });

  it('The folders of domain, application, db and http/native are the capabilities', () => {
    expect(judgeFolders([...sources.keys()])).toEqual([]);
  });

  it('A capability imports those before it in the order', () => {
    expect(judgeOrder(allImports)).toEqual([]);
  });

  it(`Folders that import each other are listed with their reasons, at most ${MOST_PAIRS} pairs`, () => {
    expect(judgePairs(allImports)).toEqual([]);
    expect(findMutualPairs(allImports).length).toBeLessThanOrEqual(MOST_PAIRS);
  });

  it('Every floor of the optimizer exists', () => {
    const missing = FLOORS.flat().filter((place) => !existsSync(new URL(`src/optimizer/${place}`, root)));
    expect(missing).toEqual([]);
  });

  it('There are no import cycles, even through type imports', () => {
    expect(findCycles(allImports)).toEqual([]);
  });

  it('Only settings/config.ts reads the environment', () => {
    const reads = (path: string, each: SourceFacts): boolean =>
      path !== 'settings/config.ts' &&
      (each.readsEnvironment || each.imports.some(({ specifier }) => specifier === 'node:process'));
    expect(pathsWhere(reads)).toEqual([]);
  });

  it('Only db contains SQL', () => {
    const zones = ['domain', 'optimizer', 'engine', 'application', 'worker', 'outside/webhooks', 'http', 'composing'];
    expect(pathsWhere((path, each) => zones.includes(zoneOf(path)) && each.sqlTexts.length > 0)).toEqual([]);
  });

  it('The dialects keep no state', () => {
    const isDialect = (path: string): boolean => /^http\/(native|sdk)\//.test(path);
    expect(pathsWhere((path, each) => isDialect(path) && each.moduleState.length > 0)).toEqual([]);
  });

  it('Files are named after an idea, in kebab-case', () => {
    expect([...sources.keys()].map(judgeName).filter((complaint) => complaint !== undefined)).toEqual([]);
  });

  it('No component of the page has more than 90 lines', () => {
    const components = [...sources].filter(([path]) => path.startsWith('dashboard/') && path.endsWith('.tsx'));
    expect(components.length).toBeGreaterThan(100);
    expect(components.flatMap(([path, source]) => judgeComponents(path, source))).toEqual([]);
  });

  it('No file but a table is too long; a warning names those that are getting long', () => {
    const complaints = [...sources]
      .map(([path, source]) => judgeLength(path, source))
      .filter((one) => one !== undefined);
    const textsOf = (isError: boolean) => complaints.filter((one) => one.isError === isError).map(({ text }) => text);
    const warnings = textsOf(false);
    if (warnings.length > 0) console.warn(`*** Look whether they hold two ideas:\n${warnings.join('\n')}`);
    expect(textsOf(true)).toEqual([]);
  });

  it.each(TABLES)('The table %s, which may have any length, exists', (path) => {
    expect(sources.has(path)).toBe(true);
  });
});

describe('the vocabulary of docs/architecture.md', () => {
  const RETIRED = readRetiredWords(readFileSync(new URL('docs/architecture.md', root), 'utf8'));
  it('The table retires the words that once named several ideas', () => {
    expect(RETIRED).toEqual(['step', 'turn', 'place', 'settle', 'passing', 'keyed']);
  });

  it.each(['application', 'db', 'domain', 'http'])(
    'No retired word is used in identifiers, comments and texts of %s',
    (zone) => {
      const found = [...sources].filter(([path]) => zoneOf(path) === zone);
      // The spacing of an input's values is a step in its own right, and a field of the interface.
      const STEPS_OF_INPUTS =
        /^(application\/problem\/optimizer-space|domain\/problem\/input-(details|space)|http\/native\/problem\/(projects-by-name|project-fields\.wire|projects\.wire))\.ts:\d+: step$/;
      // Processes of earlier releases still listen on this channel.
      const words = found.flatMap(([path, source]) =>
        findRetiredWords(path, source.replace('backsolve_settled', 'backsolve_finished'), RETIRED),
      );
      expect(words.filter((word) => !STEPS_OF_INPUTS.test(word))).toEqual([]);
    },
  );
});

describe('clients', () => {
  const folder = new URL('clients/typescript/src/', root);
  const paths = globSync('**/*.ts', { cwd: folder });
  const imports = paths.flatMap((path) => readSource(path, readFileSync(new URL(path, folder), 'utf8')).imports);

  it('The TypeScript client imports only its own files and Node.js', () => {
    expect(paths).toEqual(expect.arrayContaining(['index.ts', 'solve.ts']));
    const targets = imports.map((one) => resolve(one) ?? one.specifier);
    expect(targets.filter((target) => !paths.includes(target) && !target.startsWith('node:'))).toEqual([]);
    expect(findCycles(imports)).toEqual([]);
  });

  it('What runs in browsers needs neither Node.js nor what solves problems', () => {
    const needed = new Set(['index.ts']);
    for (const path of needed) {
      for (const one of imports.filter(({ from }) => from === path)) needed.add(resolve(one) ?? one.specifier);
    }
    expect(Array.from(needed).filter((path) => !/^(generated\/)?[\w-]+\.ts$/.test(path))).toEqual([]);
    expect(needed).not.toContain('solve.ts');
  });
});

describe('migrations', () => {
  it('Migrations import nothing', () => {
    for (const path of globSync('*.ts', { cwd: new URL('migrations/', root) })) {
      const source = readFileSync(new URL(`migrations/${path}`, root), 'utf8');
      expect(readSource(`../migrations/${path}`, source).imports).toEqual([]);
    }
  });
});

describe('the rules', () => {
  const importsOf = (path: string, source: string): readonly Import[] => readSource(path, source).imports;

  test.each([
    ['domain/data/trial.ts', "import { z } from 'zod';"],
    ['domain/data/trial.ts', "import { createHash } from 'node:crypto';"],
    ['domain/data/trial.ts', "import type { Db } from '../../db/connection/transaction.ts';"],
    ['domain/search/acceptance.ts', "import { Target } from '../../optimizer/interface/problem.ts';"],
    ['domain/search/acceptance.ts', "import type { Interval } from '../../optimizer/goal/targets.ts';"],
    ['optimizer/suggest.ts', "import type { Trial } from '../domain/trial.ts';"],
    ['optimizer/suggest.ts', "import { hrtime } from 'node:process';"],
    ['optimizer/goal/cases.ts', "import { fitScope } from '../surrogate/scope.ts';"],
    ['optimizer/surrogate/scope.ts', "import type { Prepared } from '../search/prepare.ts';"],
    ['optimizer/search/next-input.ts', "import { suggest } from '../suggest.ts';"],
    ['numbers/pareto.ts', "import type { Trial } from '../domain/trial.ts';"],
    ['numbers/pareto.ts', "import { join } from 'node:path';"],
    ['engine/pool.ts', "import type { Trial } from '../domain/trial.ts';"],
    ['application/create-model.ts', "import { startEngine } from '../engine/pool.ts';"],
    ['application/create-model.ts', "import { type Engine, startEngine } from '../engine/pool.ts';"],
    ['application/create-model.ts', "import '../engine/pool.ts';"],
    ['application/create-model.ts', "export * from '../engine/pool.ts';"],
    ['application/create-model.ts', "const { startEngine } = await import('../engine/pool.ts');"],
    ['application/create-model.ts', "const file = new URL('../engine/entry.ts', import.meta.url);"],
    ['application/create-model.ts', "import { sql } from 'kysely';"],
    ['application/create-model.ts', "import type { Config } from '../settings/config.ts';"],
    ['worker/run.ts', "import { getTrial } from '../db/trials.ts';"],
    ['http/server.ts', "import { inTransaction } from '../db/connection/transaction.ts';"],
    ['http/server.ts', "import type { Row } from '../db/schema.ts';"],
    ['http/server.ts', "import { pino } from 'pino';"],
    ['http/server.ts', 'const plugin = await import(name);'],
    ['http/server.ts', "import { startEngine } from '../engine/pool.ts';"],
    ['http/server.ts', "let engine: import('../worker/run.ts').Worker;"],
    ['http/native/data/trials.ts', "import { toTrial } from '../../sdk/trials.wire.ts';"],
    ['http/sdk/trials.ts', "import type { TrialBody } from '../native/data/trials.wire.ts';"],
    ['composing/compose.ts', "import { start } from '../cli/start.ts';"],
    ['cli/start.ts', "import { getTrial } from '../db/trials.ts';"],
    ['db/trials.ts', "import { setup } from '../../test/support/postgres.ts';"],
    ['db/trials.ts', "import { problems } from '../../bench/problems/rosenbrock.ts';"],
    ['db/trials.ts', "import { Trial } from '../domain/trial';"],
    ['somewhere/else.ts', "import { Trial } from '../domain/trial.ts';"],
    ['dashboard/views/overview/overview.tsx', "import { StopReason } from '../../../domain/stop-reason.ts';"],
    ['dashboard/main.tsx', "import type { ObjectiveGlance } from '../http/native/overview.wire.ts';"],
    ['dashboard/main.tsx', "import { build } from 'vite';"],
    ['dashboard/main.tsx', "import { join } from 'node:path';"],
    ['http/server.ts', "import { save } from '../dashboard/parts/export.ts';"],
  ])('The import rules refuse in %s: %s', (path, source) => {
    const complaints = importsOf(path, source).map(judgeImport);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain(path);
  });

  test.each([
    ['domain/accounts/api-key.ts', "import { createHash } from 'node:crypto';"],
    ['application/create-model.ts', "import type { Engine } from '../engine/pool.ts';"],
    ['application/create-model.ts', "import { type Engine } from '../engine/pool.ts';"],
    ['application/create-model.ts', "export type { Engine } from '../engine/pool.ts';"],
    ['application/create-model.ts', "let engine: import('../engine/pool.ts').Engine;"],
    ['worker/run.ts', "import { listen } from '../db/connection/listen.ts';"],
    ['http/server.ts', "import type { Db } from '../db/connection/transaction.ts';"],
    ['dashboard/shell/service.ts', "import { Backsolve } from '../../../clients/typescript/src/index.ts';"],
    ['dashboard/main.tsx', "import { render } from 'preact';"],
    ['dashboard/main.tsx', "import './styles/base.css';"],
    ['dashboard/parts/strip.tsx', "import { useState } from 'preact/hooks';"],
    ['http/server.ts', "import type { Logger } from 'pino';"],
    ['db/migrate.ts', 'const migration = await import(file);'],
    ['http/native/data/trials.ts', "import { ids } from '../../wire/ids.ts';"],
    ['http/server.ts', "import cors from '@fastify/cors';"],
    ['engine/pool.ts', "const file = new URL('./entry.ts', import.meta.url);"],
    ['optimizer/surrogate/scope.ts', "import { bestOf } from '../goal/targets.ts';"],
    ['optimizer/suggest.ts', "import { initialDesign } from './initial-design.ts';"],
    ['db/migrate.ts', "import { sql } from '../../migrations/0001-create-accounts.ts';"],
    ['cli/start.ts', "import { readConfig } from '../settings/config.ts';"],
  ])('The import rules allow in %s: %s', (path, source) => {
    const found = importsOf(path, source);
    expect(found).toHaveLength(1);
    expect(found.map(judgeImport)).toEqual([undefined]);
  });

  it('A cycle is found even through a type import', () => {
    const imports = [
      ...importsOf('db/a.ts', "import { b } from './b.ts';"),
      ...importsOf('db/b.ts', "import type { C } from './deep/c.ts';"),
      ...importsOf('db/deep/c.ts', "export { a } from '../a.ts';"),
      ...importsOf('db/d.ts', "import { a } from './a.ts';"),
    ];
    expect(findCycles(imports)).toEqual(['db/a.ts -> db/b.ts -> db/deep/c.ts -> db/a.ts']);
    expect(findCycles(imports.slice(1))).toEqual([]);
  });

  const NO_FOLDERS = { mutual: {}, againstTheOrder: {} };

  it('Two folders that import each other are found, even by a type import and between levels', () => {
    const imports = [
      ...importsOf('db/data/a.ts', "import { b } from '../search/b.ts';"),
      ...importsOf('db/data/a.ts', "import { p } from '../pages.ts';"),
      ...importsOf('db/pages.ts', "import type { C } from './data/c.ts';"),
      ...importsOf('db/search/b.ts', "import { d } from './d.ts';"),
    ];
    expect(judgePairs(imports, NO_FOLDERS)).toEqual(['db <-> db/data import each other']);
    const mutual = { 'db <-> db/data': 'why', 'db <-> db/search': 'once' };
    expect(judgePairs(imports, { ...NO_FOLDERS, mutual })).toEqual([
      'db <-> db/search no longer import each other: remove them from the table',
    ]);
  });

  it('Two capabilities that import each other are refused even if they are listed', () => {
    const imports = [
      ...importsOf('db/data/a.ts', "import { b } from '../search/b.ts';"),
      ...importsOf('db/search/b.ts', "import { c } from '../data/c.ts';"),
    ];
    const mutual = { 'db/data <-> db/search': 'why' };
    expect(judgePairs(imports, { ...NO_FOLDERS, mutual })).toEqual([
      'db/data <-> db/search import each other, as no capabilities may',
    ]);
  });

  it('An import of a later capability of the same floor is refused unless it is listed, and stale entries are too', () => {
    const up = importsOf('application/data/a.ts', "import { b } from '../search/b.ts';");
    const fine = [
      ...importsOf('application/search/a.ts', "import { b } from '../data/b.ts';"),
      ...importsOf('application/data/a.ts', "import { b } from '../../db/search/b.ts';"),
      ...importsOf('domain/search/quests/a.ts', "import { b } from '../b.ts';"),
    ];
    expect(judgeOrder([...fine, ...up], NO_FOLDERS)).toEqual([
      'application/data/a.ts imports ../search/b.ts, of a capability that comes later',
    ]);
    const againstTheOrder = { 'application/data -> application/search': 'why' };
    expect(judgeOrder([...fine, ...up], { ...NO_FOLDERS, againstTheOrder })).toEqual([]);
    expect(judgeOrder(fine, { ...NO_FOLDERS, againstTheOrder })).toEqual([
      'application/data -> application/search is gone: remove it from the table',
    ]);
  });

  it('A folder of another name and a word without a folder are refused', () => {
    const paths = CAPABILITIES.slice(1).map((word) => `db/${word}/a.ts`);
    expect(judgeFolders([...paths, 'domain/errors.ts', 'domain/runs/run.ts', 'db/connection/client.ts'])).toEqual([
      'domain/runs is named after no capability',
      `no floor has a folder ${CAPABILITIES[0]}`,
    ]);
  });

  test.each([
    'const x = process.env.PORT;',
    "const x = process['env'];",
    'const { env } = process;',
    'export const read = () => ({ ...process.env });',
  ])('Reading the environment is found: %s', (source) => {
    expect(readSource('http/server.ts', source).readsEnvironment).toBe(true);
  });

  test.each([
    "const q = 'select id from trials where id = 1';",
    'const q = sql`insert into trials (id) values (1)`;',
    'const q = `update trials set status = 1`;',
  ])('SQL is found: %s', (source) => {
    expect(readSource('http/sdk/trials.ts', source).sqlTexts).toHaveLength(1);
  });

  test.each([
    'let last = 0;',
    'export let last: number;',
    'const seen = new Map();',
    'export const seen = new Set<string>();',
  ])('The state of a module is found: %s', (source) => {
    expect(readSource('http/sdk/trials.ts', source).moduleState).toHaveLength(1);
  });

  test.each(["const tag = 'Trials';", 'function f() { let i = 0; return i; }', 'export const paths = [1, 2];'])(
    'A constant does not count as state: %s',
    (source) => {
      expect(readSource('http/sdk/trials.ts', source).moduleState).toEqual([]);
    },
  );

  test.each([
    ['const nextStep = 1;', 'step'],
    ['// Two steps later.', 'step'],
    ["const text = 'it has settled';", 'settle'],
    ['const SETTLED_CHANNEL = 1;', 'settle'],
    ['const unsettled = 1;', 'settle'],
    ['const { placeOf } = slots;', 'place'],
    ['/** Turns rows into columns. */', 'turn'],
    ['sql`select keyed from models`', 'keyed'],
  ])('A retired word is found: %s', (source, word) => {
    expect(findRetiredWords('http/a.ts', source, [word])).toEqual([`http/a.ts:1: ${word}`]);
  });

  it('A retired word is found in the name of a file', () => {
    expect(findRetiredWords('http/places.ts', '', ['place'])).toEqual(['http/places.ts: place']);
  });

  test.each(['return stepwise;', 'const settings = replaceAll();', 'const timestep = pass;'])(
    'Other words do not count as retired: %s',
    (source) => {
      expect(findRetiredWords('http/a.ts', source, ['step', 'settle', 'place', 'turn', 'passing'])).toEqual([]);
    },
  );

  it('Ordinary sentences do not count as SQL', () => {
    const source = "const message = 'select one of the types', other = 'nothing to update';";
    expect(readSource('http/sdk/trials.ts', source).sqlTexts).toEqual([]);
  });

  test.each(['domain/utils.ts', 'db/index.ts', 'http/wire/types.ts', 'db/sql-helpers.ts', 'db/trialRepository.ts'])(
    'The file name %s is refused',
    (path) => {
      expect(judgeName(path)).toContain(path);
    },
  );

  test.each(['domain/input-types.ts', 'http/native/data/trials.wire.ts', 'main.ts'])(
    'The file name %s is allowed',
    (path) => {
      expect(judgeName(path)).toBeUndefined();
    },
  );

  test.each([
    ['domain/data/trial.ts', 400, undefined],
    ['domain/data/trial.ts', 401, { isError: false, text: 'domain/data/trial.ts has 401 lines, more than 400' }],
    ['domain/data/trial.ts', 600, { isError: false, text: 'domain/data/trial.ts has 600 lines, more than 400' }],
    ['domain/data/trial.ts', 601, { isError: true, text: 'domain/data/trial.ts has 601 lines, more than 600' }],
    [TABLES[0]!, 2000, undefined],
  ])('The length of a file is judged: %s with %i lines', (path, lines, complaint) => {
    expect(judgeLength(path, 'const x = 1;\n'.repeat(lines))).toEqual(complaint);
  });

  test.each([
    ['function Part() {', '}', 87, []],
    ['function Part() {', '}', 88, ['dashboard/part.tsx: Part has 91 lines']],
    ['const Part = () => {', '};', 88, ['dashboard/part.tsx: a function has 91 lines']],
  ])('The length of a component is judged: %s with %i more lines', (head, end, count, complaints) => {
    const source = `${head}\n${'  use();\n'.repeat(count)}  return <p>Text</p>;\n${end}\n`;
    expect(judgeComponents('dashboard/part.tsx', source)).toEqual(complaints);
    expect(judgeComponents('dashboard/part.tsx', source.replace('<p>Text</p>', 'text'))).toEqual([]);
  });
});
