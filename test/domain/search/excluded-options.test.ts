/** The table "What excludes each other" of docs/search-options.md says which options the service refuses beside which. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { checkNewObjective, type NewObjective, storedTargets } from '../../../src/domain/search/objective.ts';

type Fields = Partial<NewObjective>;

const goal = (objectiveTypes: NewObjective['objectiveTypes'], stated: readonly (number | null)[]): Fields => ({
  objectiveTypes,
  objectives: storedTargets(stated, objectiveTypes),
});

/** By its name in the table: a valid use of it, and the field by which a refusal calls it. */
const OPTIONS: Readonly<Record<string, { readonly fields: Fields; readonly field: string }>> = {
  'no target': { fields: goal(['minimize', 'lessthan'], [null, 3]), field: 'objectives' },
  fit: { fields: goal(['fit', 'lessthan'], [1, 3]), field: 'objectives' },
  exact: { fields: goal(['exact', 'exact'], [1, 3]), field: 'objectiveTypes' },
  weights: { fields: { weights: [2, 1] }, field: 'weights' },
  priorities: { fields: { priorities: [1, 2] }, field: 'priorities' },
  noise: { fields: { noise: 'estimate' }, field: 'noise' },
  confirm: { fields: { confirm: 3 }, field: 'confirm' },
  confidence: { fields: { confidence: 0.9 }, field: 'confidence' },
  solutions: { fields: { solutions: { count: 3 } }, field: 'solutions' },
  aimAtRobustness: {
    fields: { inputTolerances: { kind: 'normal', in: 'units', values: [0.1] }, aimAtRobustness: true },
    field: 'aimAtRobustness',
  },
  inputTolerances: {
    fields: { inputTolerances: { kind: 'normal', in: 'units', values: [0.1] } },
    field: 'inputTolerances',
  },
  stop: { fields: { stop: {} }, field: 'stop' },
  'stop.patience': { fields: { stop: { patience: 5 } }, field: 'stop' },
};

const BASE: Fields = { ...goal(['value', 'lessthan'], [1, 3]), minimumBounds: [-1, null], maximumBounds: [1, null] };

function violationsOf(...names: readonly string[]) {
  const fields = names.map((name) => OPTIONS[name]!.fields);
  const isExact = names.includes('exact');
  const bounds = names.some((name) => ['no target', 'fit', 'exact'].includes(name))
    ? { minimumBounds: [], maximumBounds: [] }
    : {};
  return checkNewObjective(Object.assign({}, BASE, bounds, isExact ? { desiredL1Norm: 0.1 } : {}, ...fields));
}

function pairs(): (readonly [string, string])[] {
  const names = Object.keys(OPTIONS);
  const goals = ['no target', 'fit', 'exact'];
  return names.flatMap((one, i) =>
    names
      .slice(i + 1)
      .flatMap((other) => (goals.includes(one) && goals.includes(other) ? [] : [[one, other] as const])),
  );
}

async function documentedPairs(): Promise<string[]> {
  const text = await readFile(new URL('../../../docs/search-options.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## What excludes each other'));
  return section.split('\n').flatMap((line) => {
    const [, beside, refused] = /^\| ([^|]+) \| ([^|]+) \|/.exec(line) ?? [];
    if (beside === undefined || refused === undefined || !refused.includes('`')) return [];
    const name = beside.replaceAll('`', '').trim();
    return [...refused.matchAll(/`([^`]+)`/g)].map(([, other]) => [name, other!].sort().join(' + '));
  });
}

it('each option of the table is valid by itself', () => {
  for (const name of Object.keys(OPTIONS)) expect(violationsOf(name), name).toEqual([]);
});

it('the table has every pair that is refused, and no other', async () => {
  const refused = pairs().filter((pair) => violationsOf(...pair).length > 0);
  const documented = new Set(await documentedPairs());
  expect([...documented].sort()).toEqual(refused.map((pair) => [...pair].sort().join(' + ')).sort());
});

it('a refusal names an option that was sent and the way out', () => {
  for (const pair of pairs()) {
    for (const { pointer, message } of violationsOf(...pair)) {
      expect(
        pair.map((name) => OPTIONS[name]!.field),
        pair.join(' + '),
      ).toContain(pointer.split('/')[1]);
      expect(message, pair.join(' + ')).toMatch(/must be|State|state|use/);
    }
  }
});

it('beside one output without target a refusal names it and says that a target helps', () => {
  const [violation] = violationsOf('no target', 'confidence');
  expect(violation).toMatchObject({ pointer: '/confidence' });
  expect(violation!.message).toContain('objectives[0]');
  expect(violation!.message).toContain('state a target');
  expect(violation!.message).not.toContain('front');
});
