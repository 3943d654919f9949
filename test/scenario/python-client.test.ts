/** The published Python client, unmodified, runs complete programs against a whole service. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReceiver } from '../outside/webhooks/receiver.ts';
import { readProgram } from '../support/doc-programs.ts';
import { installPythonClient, type PythonClient } from '../support/python-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const installed = await installPythonClient();
const reason = installed.kind === 'missing' ? installed.reason : undefined;
if (reason !== undefined) console.warn(`SKIPPED: every test of the Python client, because ${reason}`);

interface Solved {
  readonly stopReason: string;
  readonly suggestions: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly l1Norm: number;
  readonly suggestTime: number;
  readonly details: readonly string[];
  readonly satisfied: readonly boolean[];
  readonly categories: readonly string[];
  readonly inputCases: readonly (readonly number[])[];
}

describe.skipIf(reason !== undefined)('the published Python client', () => {
  const python = installed as PythonClient;
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ settings: { ALLOW_REGISTRATION: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' } });
  });
  afterAll(() => service.close());

  const run = (program: string, options: { stdin?: string; isOlder?: boolean; key?: string } = {}) =>
    python.run(program, { url: service.service.url!, key: service.key, ...options });
  const read = async <T>(program: string, options = {}): Promise<T> => JSON.parse(await run(program, options)) as T;

  it('reaches Satisfied with the quick start of its own description within its ten inverses', async () => {
    const shown = await run('quick_start.py');
    expect(shown).toContain('Solution satisfied all objectives!');
  });

  it('reaches Satisfied with the program of docs/clients.md', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backsolve-program-'));
    try {
      await writeFile(join(folder, 'program.py'), await readProgram('clients.md', 'Python', 'python'));
      expect(await run(join(folder, 'program.py'))).toMatch(/^SATISFIED \[/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.each([
    { program: 'linear.py', limit: 4 },
    { program: 'polynomial.py', limit: 25 },
    { program: 'exact.py', limit: 4 },
    { program: 'mixed.py', limit: 30 },
    { program: 'maximize.py', limit: 30 },
  ])('satisfies $program in at most $limit suggestions', async ({ program, limit }) => {
    const solved = await read<Solved>(program);
    expect(solved).toMatchObject({ stopReason: 'SATISFIED', satisfied: solved.output.map(() => true) });
    expect(solved.suggestions).toBeLessThanOrEqual(limit);
    expect(solved.suggestTime).toBeGreaterThan(0);
    expect(solved.details.every((detail) => detail.includes('is satisfied'))).toBe(true);
  });

  it('receives whole numbers for integer, boolean and category inputs, and the names of the category', async () => {
    const { input, inputCases, categories } = await read<Solved>('mixed.py');
    for (const row of [input, ...inputCases]) expect(row.slice(0, 3).every(Number.isInteger)).toBe(true);
    expect(categories).toEqual(['steel', 'titanium', 'carbon']);
  });

  it('The published Python client stays within the L1 norm that exact objectives allow', async () => {
    expect((await read<Solved>('exact.py')).l1Norm).toBeLessThanOrEqual(0.001);
  });

  it('parses every refusal with its own error type', async () => {
    const refusals = await read<Record<string, { status: number; properties: string[]; text: string }>>('refusals.py');
    expect(refusals).toMatchObject({
      shortName: { status: 400, properties: ['name', 'description'] },
      takenName: { status: 400, properties: ['name'] },
      space: { status: 400, properties: ['maximums[0]', 'maximums[1]', 'minimums[2]'] },
      unknown: { status: 404, properties: [], message: 'There is no objective 987654321.' },
      malformed: { status: 400, properties: ['objective_id'] },
      key: { status: 401, properties: [] },
    });
    expect(refusals.shortName!.text).toContain('- name: must have at least 4 characters, has 3.');
  });

  it('repeats suggest and load-output without effect, and reads back what it did', async () => {
    const repeated = await read<{ suggestedIds: number[]; resultIds: number[] }>('retries.py');
    expect(repeated).toMatchObject({
      sameAnswer: true,
      openOutput: [],
      openResults: [],
      sameLoaded: true,
      followingIteration: 1,
      attemptCount: 2,
      iterationCount: 3,
      stopReason: 'RUNNING',
      lastIsFollowing: true,
      nested: true,
      outputCases: true,
      developed: true,
    });
    expect(new Set(repeated.suggestedIds).size).toBe(1);
    expect(new Set(repeated.resultIds).size).toBe(2);
  });

  it('registers an account and works with its key', async () => {
    const registered = await read<{ account: Record<string, unknown> }>('registration.py', { key: 'unused' });
    expect(registered).toMatchObject({
      account: {
        company: 'Example Works',
        name: 'Ada Byron',
        first_name: 'Ada',
        last_name: 'Byron',
        email: 'ada@example.org',
        api_key: expect.stringMatching(/^bks_\w{8}_\w{32}_\w{6}$/),
        time_zone: 'Europe/London',
        customer_id: expect.stringMatching(/./),
        disabled_at: null,
      },
      models: ['First model of Ada'],
      again: [400, ['email']],
    });
  });

  it('The published Python client reads the events it knows with its own event handling', async () => {
    const receiver = await openReceiver();
    const { url } = receiver;
    await service.ok('POST', '/webhooks', { url, events: ['project.created', 'inverse.suggested'] });
    await run('retries.py');
    const bodies = [await receiver.next(), await receiver.next(), await receiver.next()].map(({ body }) => body);
    const events = await read<[string, string, number, string][]>('events.py', { stdin: bodies.join('\n') });
    const kinds = events.map(([name, kind]) => `${name} ${kind}`).sort();
    expect(kinds).toEqual(['inverse.suggested Inverse', 'inverse.suggested Inverse', 'project.created Project']);
    for (const [, kind, id, subject] of events) expect(subject).toBe(`${kind.toLowerCase()}/${id}`);
    await receiver.close();
  });

  it('The published Python client works in its previous release too', async () => {
    const solved = await read<Solved>('linear.py', { isOlder: true });
    expect(solved.stopReason).toBe('SATISFIED');
    const { account } = await read<{ account: Record<string, unknown> }>('older_registration.py', { isOlder: true });
    expect(account).toMatchObject({ name: 'Grace Brewster Hopper', company: 'Example Works', time_zone: 'UTC' });
  });
});
