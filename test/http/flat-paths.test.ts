/** The operations of an objective by its id alone: the same as under the path with its parents. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { buildOpenApiDocument } from '../../src/http/openapi.ts';
import { blackBox, type NativeService, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const NESTED = '/models/{model_id}/projects/{project_id}/trials/{trial_id}';

describe('the flat paths of the document', () => {
  const nested = NATIVE_OPERATIONS.filter(({ path }) => path.startsWith(`${NESTED}/objectives/{objective_id}`));
  const { paths } = JSON.parse(JSON.stringify(buildOpenApiDocument()));

  it('There is one for every operation of an objective, of its inverses and of its history', () => {
    expect(nested.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining([
        'getObjective',
        'deleteObjective',
        'stopObjective',
        'suggestInverse',
        'listInverses',
        'getInverse',
        'loadInverseOutput',
        'putInverseOutput',
        'getHistory',
      ]),
    );
  });

  it.each(nested.map((operation) => [operation.operationId, operation] as const))(
    '%s is described alike under both paths, but for the ids',
    (_, { path, method, operationId }) => {
      const one = paths[path][method.toLowerCase()];
      const flat = paths[path.slice(NESTED.length)][method.toLowerCase()];
      expect(flat.operationId).toBe(`${operationId}Flat`);
      expect(flat.description).toMatch(new RegExp(`The same as ${operationId}, without the ids of the parents.$`));
      const isParent = ({ name }: { name: string }) => ['model_id', 'project_id', 'trial_id'].includes(name);
      expect(flat.parameters).toEqual(one.parameters.filter((one: { name: string }) => !isParent(one)));
      const { parameters: _p, operationId: _o, description: _d, 'x-preferred': preferred, ...rest } = one;
      expect(preferred).toBe(flat.operationId);
      expect(flat).not.toHaveProperty('x-preferred');
      expect(flat).toMatchObject(rest);
    },
  );
});

describe('an objective by its id alone', () => {
  it('A whole search runs under the flat path, whose answers and links are flat', async () => {
    const t = await prepareObjective(service.send);
    const url = `/v1/objectives/${t.loaded.body.id}`;
    for (let run = 0; run < 20; run++) {
      const suggested = await service.send('POST', `${url}/inverses`, {});
      expect(suggested.status, suggested.text).toBe(201);
      const location = String(suggested.headers['location']);
      expect(location).toBe(`${url}/inverses/${suggested.body.id}`);
      const again = await service.send('POST', `${url}/inverses`, {});
      expect([again.status, again.body.instance]).toEqual([409, location]);
      const loaded = await service.send('PUT', `${location}/output`, { output: blackBox(suggested.body.input) });
      expect(loaded.status, loaded.text).toBe(200);
      const { warnings, ...inverse } = loaded.body;
      expect(inverse).toEqual((await service.send('GET', location)).body);
      expect(warnings).toEqual([]);
      if (loaded.body.status === 'converged') break;
    }
    const objective = await service.send('GET', url);
    expect(objective.body.stopReason).toBe(1);
    for (const tail of ['', '/inverses', '/history']) {
      // The knowledge from the last output is stored a moment later, perhaps between the two.
      const readBoth = async () => {
        const [flat, nested] = await Promise.all([
          service.send('GET', `${url}${tail}`),
          service.send('GET', `${t.objectiveUrl}${tail}`),
        ]);
        expect(flat.status).toBe(200);
        return isDeepStrictEqual(flat.body, nested.body);
      };
      await expect.poll(readBoth).toBe(true);
    }
    const page = await service.send('GET', `${url}/inverses?limit=1`);
    expect(page.headers['link']).toMatch(new RegExp(`^<${url}/inverses\\?limit=1&after=\\d+>; rel="next"$`));
    expect((await service.send('POST', `${url}/stop`)).body.stopReason).toBe(1);
    expect((await service.send('DELETE', url)).status).toBe(204);
    expect((await service.send('GET', url)).body.disabledAt).not.toBeNull();
  });

  it('Locations under the nested path stay nested', async () => {
    const t = await prepareObjective(service.send);
    const suggested = await service.send('POST', `${t.objectiveUrl}/inverses`, {});
    expect(suggested.headers['location']).toBe(`${t.objectiveUrl}/inverses/${suggested.body.id}`);
    const again = await service.send('POST', `${t.objectiveUrl}/inverses`, {});
    expect(again.body.instance).toBe(suggested.headers['location']);
    expect((await service.send('GET', `/v1/objectives/${t.loaded.body.id}/inverses/999999`)).status).toBe(404);
  });

  it("Another account's objective is 404, as one that does not exist, and keys need the same scopes", async () => {
    const t = await prepareObjective(service.send);
    const url = `/v1/objectives/${t.loaded.body.id}`;
    const stranger = service.sendAs(await service.makeKey('stranger'));
    const reader = service.sendAs(await service.makeKey('test', ['read']));
    for (const tail of ['', '/inverses', '/history']) {
      const foreign = await stranger('GET', `${url}${tail}`);
      const never = await stranger('GET', `/v1/objectives/999999999${tail}`);
      expect([foreign.status, never.status]).toEqual([404, 404]);
      expect(foreign.body.detail.replace(/\d+/, '')).toBe(never.body.detail.replace(/\d+/, ''));
      expect((await reader('GET', `${url}${tail}`)).status).toBe(200);
    }
    expect((await stranger('POST', `${url}/inverses`)).status).toBe(404);
    expect((await reader('POST', `${url}/stop`)).status).toBe(403);
  });

  it('An inverse under the id of another objective is 404', async () => {
    const [one, other] = [await prepareObjective(service.send), await prepareObjective(service.send)];
    const [inverse] = (await service.send('GET', `${one.objectiveUrl}/inverses`)).body;
    expect((await service.send('GET', `/v1/objectives/${one.loaded.body.id}/inverses/${inverse.id}`)).status).toBe(200);
    const wrong = await service.send('GET', `/v1/objectives/${other.loaded.body.id}/inverses/${inverse.id}`);
    expect(wrong.status).toBe(404);
  });

  it('An answer under an Idempotency-Key is repeated', async () => {
    const t = await prepareObjective(service.send);
    const url = `/v1/objectives/${t.loaded.body.id}/stop`;
    const key = { 'idempotency-key': crypto.randomUUID() };
    const first = await service.send('POST', url, {}, key);
    const second = await service.send('POST', url, {}, key);
    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
    expect(second.body).toEqual(first.body);
  });
});
