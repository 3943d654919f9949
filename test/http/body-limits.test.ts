/** Limits on the bytes, numbers and time of a request, per route, per account and per process. */
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, openNativeService, prepareTrial, type Send } from './native-service.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const CELLS = 20_000;
const account = { openObjectives: 0, queuedSuggestions: 0, cases: 10_000, cells: CELLS, storedBytes: 0, storedRows: 0 };

let service: NativeService;
let send: Send;
let projects: string;
beforeAll(async () => {
  service = await openNativeService({ settings: { account, isRegistrationOpen: true } });
  send = service.send;
  const model = await send('POST', '/v1/models', { name: 'limits' });
  projects = `/v1/models/${model.body.id}/projects`;
});
afterAll(() => service.close());

function space(inputCount: number) {
  return {
    name: 'wide',
    inputCount,
    minimums: new Array(inputCount).fill(0),
    maximums: new Array(inputCount).fill(1),
    inputTypes: new Array(inputCount).fill('float'),
  };
}

const cell = (i: number, j: number) => Math.abs(Math.sin(i * 1000 + j));
const matrix = (rows: number, columns: number) =>
  Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => cell(i, j)));

describe('a body', () => {
  it.each([
    ['a model', '/v1/models', 64 * KIBIBYTE],
    ['a model in the other dialect', '/api/models', 64 * KIBIBYTE],
    ['objectives', '/v1/models/1/projects/1/trials/1/objectives', 256 * KIBIBYTE],
    ['a registration', '/api/accounts/register', 64 * KIBIBYTE],
  ])('The body of %s may have as many bytes as its route accepts and no more', async (_, url, limit) => {
    const sized = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
    expect((await send('POST', url, sized(limit + 1))).status).toBe(413);
    expect((await send('POST', url, sized(limit))).status).toBe(400);
  });

  it('A body larger than its route accepts is refused before it is sent', async () => {
    const { status, body } = await send('POST', '/v1/models', undefined, {
      'content-type': 'application/json',
      'content-length': String(30 * MEBIBYTE),
    });
    expect(status).toBe(413);
    expect(body.detail).toContain('65536 bytes');
  });

  it('The body of a request to an unknown path is not read', async () => {
    expect((await send('POST', '/v1/nothing', `"${'x'.repeat(MEBIBYTE)}"`)).status).toBe(404);
  });

  it('A large body is read in a thread and gives the same project', async () => {
    const inputCases = matrix(100, 150);
    const made = await send('POST', projects, { ...space(150), inputCases });
    expect(made.status).toBe(201);
    expect(made.body.inputCases).toEqual(inputCases);
    const read = await send('GET', `${projects}/${made.body.id}`);
    expect(read.body).toEqual(made.body);
    const loaded = await send('POST', `${projects}/${made.body.id}/output-cases`, {
      outputCount: 200,
      outputCases: matrix(100, 200),
    });
    expect(loaded.status).toBe(201);
    expect(loaded.body.output_cases).toEqual(matrix(100, 200));
  });

  it('A large body gets the same violations as a small one', async () => {
    const inputCases = matrix(100, 150);
    inputCases[7]![3] = 'x' as never;
    inputCases[99]!.pop();
    const { status, body } = await send('POST', projects, { ...space(150), name: 'x', inputCases });
    expect(status).toBe(400);
    expect(body.errors.map(({ property }: { property: string }) => property)).toEqual(['name', 'inputCases[7][3]']);
  });

  it('A large body that is not JSON, too deeply nested or full of fields is refused with 400', async () => {
    for (const text of [
      `{"name":"${'x'.repeat(100_000)}"`,
      `{"name":${'['.repeat(50_000)}`,
      `{"name":"abcd"${Array.from({ length: 20_000 }, (_, i) => `,"k${i}":0`).join('')}}`,
    ]) {
      expect((await send('POST', projects, text)).status).toBe(400);
    }
  });

  it('A body nested thousands of levels deep is refused with 400, also with an Idempotency-Key and without an API key', async () => {
    const deep = `{"name":"abcd","x":${'['.repeat(4_500)}${']'.repeat(4_500)}}`;
    const refused = await send('POST', '/v1/models', deep, { 'idempotency-key': 'deep' });
    expect([refused.status, refused.body.detail]).toEqual([400, 'The body must be nested at most 32 levels deep.']);
    const deeper = `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const registration = await service.sendAs('')('POST', '/api/accounts/register', deeper);
    expect(registration.status).toBe(400);
  });
});

describe('the limit on numbers in cases', () => {
  it.each([
    ['designed', { caseCount: 201 }, 'caseCount'],
    ['own', { inputCases: matrix(201, 100) }, 'inputCases'],
  ])('The numbers of a project with %s cases have a limit that the refusal states', async (_, cases, property) => {
    const { status, body } = await send('POST', projects, { ...space(100), ...cases });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        property,
        pointer: `/${property}`,
        message: 'must have at most 200 cases of 100 numbers (20000 numbers in all), has 201.',
      },
    ]);
    const largest = 'caseCount' in cases ? { caseCount: 200 } : { inputCases: matrix(200, 100) };
    expect((await send('POST', projects, { ...space(100), ...largest })).body.caseCount).toBe(200);
  });

  it('The numbers of output cases have the same limit in both dialects', async () => {
    const { body: project } = await send('POST', projects, { ...space(1), caseCount: 1_000 });
    const outputs = { outputCount: 21, outputCases: matrix(1_000, 21) };
    for (const url of [`${projects}/${project.id}/output-cases`, `/api/projects/${project.id}/output-cases`]) {
      const { status, body } = await send('POST', url, outputs);
      expect([status, body.errors[0].property]).toEqual([400, 'outputCases']);
      expect(body.errors[0].message).toContain('20000 numbers');
    }
  });
});

describe('cases', () => {
  it('Cases are not part of lists and have pages of their own', async () => {
    const { projectUrl, project, set } = await prepareTrial(send);
    const [listed] = (await send('GET', projectUrl.replace(/\/\d+$/, ''))).body;
    expect(listed).toMatchObject({ id: project.id, caseCount: 3 });
    expect(listed).not.toHaveProperty('inputCases');
    const first = await send('GET', `${projectUrl}/input-cases?limit=2`);
    expect(first.body).toEqual([
      { number: 1, input: [0, 0] },
      { number: 2, input: [10, 1] },
    ]);
    expect(first.headers.link).toBe(`<${projectUrl}/input-cases?limit=2&after=2>; rel="next"`);
    const second = await send('GET', `${projectUrl}/input-cases?limit=2&after=2`);
    expect(second.body).toEqual([{ number: 3, input: [2, 7] }]);
    expect(second.headers.link).toBeUndefined();
    expect((await send('GET', `${projectUrl}/input-cases?after=99`)).body).toEqual([]);
    const [listedSet] = (await send('GET', `${projectUrl}/output-cases`)).body;
    expect(listedSet).toMatchObject({ id: set.id, case_count: 3 });
    expect(listedSet).not.toHaveProperty('output_cases');
    expect((await send('GET', `${projectUrl}/output-cases/${set.id}/cases?after=2`)).body).toEqual([
      { number: 3, output: [9, -5, 4] },
    ]);
  });

  it('Cases of failed runs have no output', async () => {
    const { projectUrl } = await prepareTrial(send);
    const outputs = { outputCount: 1, outputCases: [[1], ['crashed'], [3]], failedCases: [1] };
    const set = (await send('POST', `${projectUrl}/output-cases`, outputs)).body;
    expect((await send('GET', `${projectUrl}/output-cases/${set.id}/cases`)).body).toEqual([
      { number: 1, output: [1] },
      { number: 2, output: null },
      { number: 3, output: [3] },
    ]);
  });
});

describe('over a real connection', () => {
  let port: number;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    port = (service.app.server.address() as AddressInfo).port;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  function open(key: string, path: string, length: number) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let received = '';
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (data) => {
      received += data.toString();
    });
    socket.on('error', () => undefined);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    return { socket, closed, received: () => received };
  }

  it('A refused sender sees the answer while it is still sending, and is then cut off', async () => {
    const connection = new Promise<Socket>((resolve) => service.app.server.once('connection', resolve));
    const { socket, closed, received } = open(service.key, '/v1/models', 30 * MEBIBYTE);
    const piece = Buffer.alloc(64 * KIBIBYTE, ' ');
    const accepted = await connection;
    const pour = () => {
      while (socket.write(piece));
    };
    socket.on('drain', pour);
    pour();
    await closed;
    socket.off('drain', pour);
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(received()).toContain('"status":413');
    expect(accepted.bytesRead).toBeLessThan(2 * MEBIBYTE);
  });

  it('An account may have a limited number of bytes in transit, and another account is not affected', async () => {
    // An account may have 8 of the 16 MiB of a process.
    const unfinished = Array.from({ length: 3 }, () => open(service.key, projects, 7 * MEBIBYTE));
    for (const { socket } of unfinished) socket.write(Buffer.alloc(5 * MEBIBYTE, ' '));
    await expect.poll(() => unfinished.filter(({ received }) => received().startsWith('HTTP/1.1 429'))).toHaveLength(2);
    const other = service.sendAs(await service.makeKey('neighbour'));
    const model = await other('POST', '/v1/models', { name: 'neighbour' });
    const url = `/v1/models/${model.body.id}/projects`;
    const { status } = await other('POST', url, `${JSON.stringify(space(1))}${' '.repeat(6 * MEBIBYTE)}`);
    expect(status).toBe(201);
    for (const { socket } of unfinished) socket.destroy();
    const again = async () =>
      (await send('POST', projects, `${JSON.stringify(space(1))}${' '.repeat(6 * MEBIBYTE)}`)).status;
    await expect.poll(again).toBe(201);
  });
});

it('A body that does not arrive in time is answered with 408', async () => {
  const slow = await openNativeService({ settings: { requestTimeoutMs: 300 } });
  try {
    await slow.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = slow.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += data.toString();
    });
    const head = `Host: x\r\nAuthorization: Bearer ${slow.key}\r\nContent-Type: application/json\r\nContent-Length: 100`;
    socket.write(`POST /v1/models HTTP/1.1\r\n${head}\r\n\r\n{"name":`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  } finally {
    await slow.close();
  }
});
