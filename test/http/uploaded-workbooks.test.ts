/** Workbooks over HTTP, and a batch that a worker calculates. What the guarded processes do: test/outside/workbooks. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEAM, openWorkbooks, sheetPython, writeBook } from '../../harness/sheet-python.ts';
import { purgeWorkbooks } from '../../src/application/workbooks/keep-workbooks.ts';
import { type NativeService, openNativeService } from './native-service.ts';

const SPACE = {
  name: 'beam',
  inputCount: 2,
  minimums: [10, 20],
  maximums: [60, 80],
  inputTypes: ['float', 'float'],
  inputNames: ['height', 'width'],
  outputNames: ['sag', 'mass'],
  categories: [],
  caseCount: 3,
};
const GOAL = { objectives: [4, 20], objectiveTypes: ['lessthan_equal', 'lessthan_equal'] };
const CELLS = { inputs: ['Beam!B1', 'Beam!B2'], outputs: ['sag', 'Beam!B4'] };

it('without the permission of the operator nothing is taken, and the answer says what to do instead', async () => {
  const service = await openNativeService();
  try {
    const refused = await service.send('POST', '/v1/workbooks', { name: 'a.xlsx', content: 'UEsDBA==' });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      type: 'urn:backsolve:problem:workbooks-not-allowed',
      detail: expect.stringContaining('backsolve run'),
    });
    expect((await service.send('GET', '/v1/account')).body.workbooks).toBeNull();
  } finally {
    await service.close();
  }
});

describe.skipIf(sheetPython === undefined)('with the permission, and a Python that has IronCalc', () => {
  const sheets = openWorkbooks();
  const file = sheetPython === undefined ? '' : writeBook(BEAM).toString('base64');
  let service: NativeService;
  beforeAll(async () => {
    service = await openNativeService({ deps: { sheets }, settings: { workbookBytes: 20_000 }, hasWorker: true });
  });
  afterAll(async () => {
    await service?.close();
    sheets.close();
  });

  async function upload(): Promise<number> {
    const made = await service.send('POST', '/v1/workbooks', { name: 'beam.xlsx', content: file });
    expect(made.status, made.text).toBe(201);
    expect(made.headers['location']).toBe(`/v1/workbooks/${made.body.id}`);
    return made.body.id;
  }

  async function makeProject(space: object = SPACE): Promise<string> {
    const model = (await service.send('POST', '/v1/models', { name: `beams ${Math.random()}` })).body;
    const project = await service.send('POST', `/v1/models/${model.id}/projects`, space);
    expect(project.status, project.text).toBe(201);
    return `/v1/models/${model.id}/projects/${project.body.id}`;
  }

  it('a workbook is kept with what its cells may be, listed, and deleted', async () => {
    const id = await upload();
    const found = (await service.send('GET', `/v1/workbooks/${id}`)).body;
    expect(found).toMatchObject({ id, name: 'beam.xlsx', bytes: Buffer.from(file, 'base64').length });
    expect(found.inputs[0]).toEqual({ cell: 'Beam!B1', name: 'height', label: 'Height', value: 20 });
    const { inputs: _, outputs: __, ...listed } = found;
    expect((await service.send('GET', '/v1/workbooks')).body).toContainEqual(listed);
    expect((await service.send('DELETE', `/v1/workbooks/${id}`)).status).toBe(204);
    expect((await service.send('GET', `/v1/workbooks/${id}`)).status).toBe(404);
  });

  it('what is no workbook, or too large, is refused with the reason', async () => {
    const content = Buffer.from('name,value\n').toString('base64');
    const refused = await service.send('POST', '/v1/workbooks', { name: 'beam.xlsx', content });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toBe('beam.xlsx is not a workbook: choose an .xlsx file.');
    const large = { name: 'beam.xlsx', content: Buffer.alloc(21_000).toString('base64') };
    const tooLarge = await service.send('POST', '/v1/workbooks', large);
    expect(tooLarge.body.errors[0].message).toBe('has 21000 bytes; at most 20000 are taken here.');
    const huge = { name: 'beam.xlsx', content: Buffer.alloc(2_000_000).toString('base64') };
    expect((await service.send('POST', '/v1/workbooks', huge)).status).toBe(413);
  });

  it('the cells of a batch are checked before it is stored', async () => {
    const workbookId = await upload();
    const project = await makeProject();
    const create = (evaluator: object) =>
      service.send('POST', `${project}/batches`, { objectives: [GOAL], evaluator: { kind: 'workbook', ...evaluator } });
    const messages = async (evaluator: object) =>
      (await create(evaluator)).body.errors.map((one: { pointer: string; message: string }) => [
        one.pointer,
        one.message,
      ]);
    expect(await messages({ workbookId: 999_999, ...CELLS })).toEqual([
      ['/evaluator/workbookId', 'the account has no workbook 999999.'],
    ]);
    expect(await messages({ workbookId, inputs: ['Beam!B1'], outputs: CELLS.outputs })).toEqual([
      ['/evaluator/inputs', 'must name a cell for each of the 2 inputs, has 1.'],
    ]);
    expect(await messages({ workbookId, inputs: ['Beam!B1', 'Beam!B3'], outputs: CELLS.outputs })).toEqual([
      ['/evaluator/inputs/1', expect.stringContaining('holds the formula')],
    ]);
    const foreign = service.sendAs(await service.makeKey('stranger'));
    const strange = await foreign('POST', `${project}/batches`, { objectives: [GOAL] });
    expect(strange.status).toBe(404);
  });

  it('a batch of a workbook keeps it, shows it, exports it, and gives copies', async () => {
    const workbookId = await upload();
    const project = await makeProject();
    const evaluator = { kind: 'workbook', workbookId, ...CELLS };
    const made = await service.send('POST', `${project}/batches`, { objectives: [GOAL], evaluator });
    expect(made.status, made.text).toBe(201);
    expect(made.body.evaluator).toEqual(evaluator);
    const refused = await service.send('DELETE', `/v1/workbooks/${workbookId}`);
    expect(refused.status).toBe(409);
    expect(refused.body.type).toBe('urn:backsolve:problem:workbook-in-use');
    const { text } = await service.send('GET', `${project.replace(/\/projects.*/, '')}/export`);
    const lines = text.split('\n').filter((line) => line.includes('"type":"workbook"'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { type: 'workbook', id: workbookId, name: 'beam.xlsx', content: file },
    ]);
    const copy = await service.send('POST', `/v1/workbooks/${workbookId}/copy`, { values: { 'Beam!B1': 31 } });
    const again = await service.send('POST', '/v1/workbooks', copy.body);
    expect(again.body.inputs[0].value).toBe(31);
    // A claim of an evaluator gets none of its evaluations: the worker calculates them.
    expect((await service.send('POST', '/v1/evaluations/claim', { evaluator: 'rig' })).body.evaluations).toEqual([]);
  });

  it('a workbook that no batch uses goes after a week', async () => {
    const [unused, used] = [await upload(), await upload()];
    const evaluator = { kind: 'workbook', workbookId: used, ...CELLS };
    await service.send('POST', `${await makeProject()}/batches`, { objectives: [GOAL], evaluator });
    await purgeWorkbooks(service.db);
    expect((await service.send('GET', `/v1/workbooks/${unused}`)).status).toBe(200);
    await sql`update workbooks set created_at = now() - interval '8 days'`.execute(service.db);
    await purgeWorkbooks(service.db);
    expect((await service.send('GET', `/v1/workbooks/${unused}`)).status).toBe(404);
    expect((await service.send('GET', `/v1/workbooks/${used}`)).status).toBe(200);
  });
});
