/** Bodies as clients of any version send them: accepted if the meaning is clear, otherwise 400 with the property. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, openNativeService, type Send } from '../native-service.ts';
import { linear, makeObjective, makeTrial, SPACE } from './sdk-client.ts';

let service: NativeService;
let send: Send;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  send = service.send;
});
afterAll(() => service.close());

const propertiesOf = (body: { errors: { property: string }[] }) => body.errors.map((error) => error.property);

describe('a body is taken', () => {
  it('Unknown fields and an empty description are accepted', async () => {
    const made = await send('POST', '/api/models', { name: 'Extra fields', description: '', version: 2 });
    expect([made.status, made.body.description]).toEqual([201, null]);
  });

  it('Types in upper case and whole floats for integers, booleans and counts are accepted', async () => {
    const { model } = await makeTrial(send);
    const made = await send(
      'POST',
      `/api/models/${model.id}/projects`,
      `{"name": "Mixed", "inputCount": 3.0, "minimums": [1.0, 0.0, 0], "maximums": [8.0, 1.0, true],
        "inputTypes": ["INTEGER", "Boolean", "FLOAT"], "categories": null}`,
    );
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      inputCount: 3,
      maximums: [8, 1, 1],
      inputTypes: ['integer', 'boolean', 'float'],
      categories: [],
    });
  });

  it('Objective types in upper case and a missing norm are accepted', async () => {
    const { loaded } = await makeObjective(send, {
      objectiveTypes: ['PERCENT', 'Value', 'LessThan_Equal'],
      desiredL1Norm: undefined,
    });
    expect(loaded.status).toBe(201);
    expect(loaded.body).toMatchObject({ objectiveTypes: ['percent', 'value', 'lessthan_equal'], desiredL1Norm: 0 });
  });

  it.each([
    ['zeros for exact objectives', ['exact', 'exact', 'exact'], [0, 0, 0], [0, 0, 0]],
    ['zeros for inequalities', ['lessthan', 'greaterthan', 'minimize'], [0, 0, 0], [0, 0, 0]],
    ['null for inequalities', ['lessthan', 'greaterthan', 'minimize'], null, null],
    ['nothing for inequalities', ['lessthan', 'greaterthan', 'minimize'], undefined, undefined],
    ['empty lists for inequalities', ['lessthan', 'greaterthan', 'minimize'], [], []],
    ['zeros beside a percent objective', ['percent', 'lessthan', 'maximize'], [-1, 0, 0], [1, 0, 0]],
    ['null beside a value objective', ['value', 'lessthan', 'maximize'], [-1, null, null], [1, null, null]],
    ['bounds that cross where none apply', ['value', 'lessthan', 'maximize'], [-1, 5, 5], [1, -5, -5]],
  ])('Objectives with %s are accepted', async (_, objectiveTypes, minimumBounds, maximumBounds) => {
    const { loaded } = await makeObjective(send, { objectiveTypes, minimumBounds, maximumBounds });
    expect(loaded.status).toBe(201);
    expect(loaded.body.minimumBounds).toHaveLength(3);
    expect(loaded.body.minimumBounds.every(Number.isFinite)).toBe(true);
  });

  it('true and false are accepted in outputs', async () => {
    const { loaded, suggestUrl } = await makeObjective(send, { initialOutput: [true, false, 3] });
    expect(loaded.body.inverses[0].output).toEqual([1, 0, 3]);
    const { id } = (await send('POST', suggestUrl)).body;
    const stored = await send('POST', `/api/inverses/${id}/load-output`, { output: [false, true, 2] });
    expect(stored.body.output).toEqual([0, 1, 2]);
  });

  it('Suggest is accepted with or without a body', async () => {
    const { suggestUrl } = await makeObjective(send);
    const first = await send('POST', suggestUrl);
    expect((await send('POST', suggestUrl, {})).body).toEqual(first.body);
    expect((await send('POST', suggestUrl, { extra: 1 })).body).toEqual(first.body);
  });

  it('Fewer output cases than input cases are accepted', async () => {
    const { project } = await makeTrial(send);
    const loaded = await send('POST', `/api/projects/${project.id}/output-cases`, {
      outputCount: 1,
      outputCases: [[7]],
    });
    expect([loaded.status, loaded.body.caseCount, loaded.body.number]).toEqual([201, 1, 2]);
  });
});

describe('categories', () => {
  const space = (inputTypes: string[], maximums: number[], categories: unknown) => ({
    ...SPACE,
    inputTypes,
    maximums,
    categories,
  });
  const create = async (body: object) => {
    const model = (await send('POST', '/api/models', { name: `model ${crypto.randomUUID()}` })).body;
    return { model, made: await send('POST', `/api/models/${model.id}/projects`, body) };
  };

  it('Categories are one flat list in requests and answers', async () => {
    const { made } = await create(space(['category', 'float'], [2, 10], ['oil', 'water', 'air']));
    expect([made.status, made.body.categories]).toEqual([201, ['oil', 'water', 'air']]);
  });

  it('The categories of several inputs follow one another', async () => {
    const { model, made } = await create(space(['category', 'category'], [1, 2], ['a', 'b', 'x', 'y', 'z']));
    expect([made.status, made.body.categories]).toEqual([201, ['a', 'b', 'x', 'y', 'z']]);
    const native = await send('GET', `/v1/models/${model.id}/projects/${made.body.id}`);
    expect(native.body.categories).toEqual([
      ['a', 'b'],
      ['x', 'y', 'z'],
    ]);
  });

  it('Categories may be one list per input', async () => {
    const { made } = await create(space(['float', 'category'], [10, 1], [null, ['on', 'off']]));
    expect([made.status, made.body.categories]).toEqual([201, ['on', 'off']]);
  });

  it.each([
    ['too few', ['category', 'category'], [1, 2], ['a', 'b', 'x']],
    ['for no category input', ['float', 'float'], [1, 2], ['a']],
    ['missing', ['category', 'category'], [1, 2], []],
    ['no names', ['category', 'float'], [1, 2], [1, 2]],
  ])('Categories that are %s are refused', async (_, inputTypes, maximums, categories) => {
    const { made } = await create(space(inputTypes, maximums, categories));
    expect(made.status).toBe(400);
    expect(propertiesOf(made.body)[0]).toMatch(/^categories/);
  });
});

describe('a body is refused with 400 and every property that is wrong', () => {
  it('An invalid model is refused with every property that is wrong', async () => {
    const refused = await send('POST', '/api/models', { name: 'abc', description: 'short' });
    expect(refused.status).toBe(400);
    expect(propertiesOf(refused.body)).toEqual(['name', 'description']);
    expect(Object.values(refused.body.errors[0]).every((value) => typeof value === 'string')).toBe(true);
    expect((await send('POST', '/api/models', [])).status).toBe(400);
  });

  it('An invalid project is refused with every property that is wrong', async () => {
    const { model } = await makeTrial(send);
    const url = `/api/models/${model.id}/projects`;
    const refused = await send('POST', url, {
      name: 'abc',
      inputCount: 2,
      minimums: [0, 'low'],
      maximums: [10],
      inputTypes: ['float', 'complex'],
    });
    expect(propertiesOf(refused.body)).toEqual(['minimums[1]', 'inputTypes[1]', 'name']);
    const rules = await send('POST', url, { ...SPACE, name: 'abc', minimums: [0, 20] });
    expect(propertiesOf(rules.body)).toEqual(['name', 'maximums[1]']);
  });

  it('Invalid output cases are refused with every property that is wrong', async () => {
    const { project } = await makeTrial(send);
    const url = `/api/projects/${project.id}/output-cases`;
    const refused = await send('POST', url, { outputCount: 0, outputCases: [[1], ['x']] });
    expect(propertiesOf(refused.body)).toEqual(['outputCount', 'outputCases[1][0]']);
    const lengths = await send('POST', url, { outputCount: 2, outputCases: [[1, 2], [1]] });
    expect(propertiesOf(lengths.body)).toEqual(['outputCases[1]']);
    expect(propertiesOf((await send('POST', url, {})).body)).toEqual(['outputCount', 'outputCases']);
  });

  it.each([
    [
      'a percent objective without bounds',
      { minimumBounds: null, maximumBounds: null },
      ['minimumBounds', 'maximumBounds'],
    ],
    [
      'bounds of a percent objective that are zeros',
      { minimumBounds: [0, -1, -1], maximumBounds: [0, 1, 1] },
      ['maximumBounds[0]'],
    ],
    [
      'a bound of a percent objective that is null',
      { minimumBounds: [null, -1, -1], maximumBounds: [null, 1, 1] },
      ['maximumBounds[0]'],
    ],
    ['an unknown type', { objectiveTypes: ['percent', 'percent', 'nearly'] }, ['objectiveTypes[2]']],
    [
      'a negative norm and another length',
      { desiredL1Norm: -1, initialOutput: [1] },
      ['desiredL1Norm', 'initialOutput'],
    ],
    ['an initial input outside the space', { initialInput: [0, 11] }, ['initialInput[1]']],
    ['exact beside another type', { objectiveTypes: ['exact', 'exact', 'value'] }, ['objectiveTypes']],
    ['numbers as text', { objectives: ['2', 3, 3] }, ['objectives[0]']],
  ])('Objectives are refused for %s', async (_, change, properties) => {
    const { loaded } = await makeObjective(send, change);
    expect(loaded.status).toBe(400);
    expect(propertiesOf(loaded.body)).toEqual(properties);
  });

  it('An invalid output is refused with the property that is wrong', async () => {
    const { suggestUrl } = await makeObjective(send);
    const { id, input } = (await send('POST', suggestUrl, {})).body;
    const url = `/api/inverses/${id}/load-output`;
    expect(propertiesOf((await send('POST', url, {})).body)).toEqual(['output']);
    expect(propertiesOf((await send('POST', url, { output: [1] })).body)).toEqual(['output']);
    expect(propertiesOf((await send('POST', url, '{"output": [1, 1e400, 3]}')).body)).toEqual(['output[1]']);
    expect((await send('POST', url, { output: linear(input) })).status).toBe(200);
  });

  it('An id that is not a positive integer is refused', async () => {
    for (const url of ['/api/objectives/0', '/api/trials/-1', '/api/models/1.5']) {
      expect((await send('GET', url)).status).toBe(400);
    }
  });
});
