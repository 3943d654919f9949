/** The crash cases that all clients share, against `solve`: real processes, and a front of the service that loses what it is told to. */
import { spawn } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fate, type Front, openFront } from '../../support/front.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import table from '../crash-cases.json' with { type: 'json' };

interface Start {
  readonly when: { readonly request?: string; readonly number?: number; readonly call?: number };
  readonly fault?: Fate['kind'];
  readonly survives?: boolean;
  readonly tearsJournal?: boolean;
}

interface CrashCase {
  readonly name: string;
  readonly parallel?: number;
  readonly starts: readonly Start[];
  /** Whether all faults happen in one start. */
  readonly together?: boolean;
  /** The goals of the last start. */
  readonly then?: string;
  readonly batches?: number;
  readonly repeated: number;
}

interface Printed {
  readonly status: string;
  readonly runs: number;
  readonly modelId: number;
}

const PROGRAM = fileURLToPath(new URL('crash-program.ts', import.meta.url));
const REQUESTS: Readonly<Record<string, string>> = table.requests;
const GOALS: Readonly<Record<string, object>> = table.goals;

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-crashes-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** One case, behind a front of its own: the problem belongs to its address. */
class Play {
  readonly #case: CrashCase;
  readonly #front: Promise<Front>;
  #faults: readonly Start[] = [];
  #seen = new Map<Start, number>();
  #kill: () => void = () => undefined;

  constructor(one: CrashCase) {
    this.#case = one;
    this.#front = openFront(service.service.url!, { decide: (method, address) => this.#decide(method, address) });
  }

  get log(): string {
    return path.join(folder, `${this.#case.name}.log`);
  }

  get journal(): string {
    const { name } = this.#case;
    return path.join(folder, name, 'typescript', name, 'runs.jsonl');
  }

  /** Starts the program with some faults; returns what it printed, or undefined when it was killed. */
  async start(faults: readonly Start[], goals = 'usual'): Promise<Printed | undefined> {
    const { name, parallel = 1 } = this.#case;
    [this.#faults, this.#seen] = [faults, new Map()];
    const { url } = await this.#front;
    const killInCall = faults.find(({ when }) => when.call !== undefined)?.when.call;
    const connection = { url, key: service.key, folder: path.join(folder, name), name, parallel };
    const settings = { ...connection, log: this.log, goals: GOALS[goals], killInCall };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#kill = () => child.kill('SIGKILL');
    const printed = await text(child.stdout);
    return printed === '' ? undefined : JSON.parse(printed);
  }

  async close(): Promise<void> {
    await (await this.#front).close();
  }

  #decide(method: string, address: string): Fate | undefined {
    const called = `${method} ${address.split('?')[0]}`;
    for (const fault of this.#faults) {
      const { request, number } = fault.when;
      if (request === undefined || !new RegExp(REQUESTS[request]!).test(called)) continue;
      this.#seen.set(fault, (this.#seen.get(fault) ?? 0) + 1);
      const then = fault.survives === true ? () => undefined : this.#kill;
      if (this.#seen.get(fault) === number) return { kind: fault.fault!, then };
    }
    return undefined;
  }
}

it.concurrent.for(table.cases as readonly CrashCase[])('$name: nothing is lost', async (one, { onTestFinished }) => {
  const play = new Play(one);
  onTestFinished(() => play.close());
  const { starts, together = false } = one;
  for (const fault of together ? [] : starts) {
    expect(await play.start([fault])).toBeUndefined();
    if (fault.tearsJournal === true) await appendFile(play.journal, '{"kin');
  }
  const { status, runs, modelId } = (await play.start(together ? starts : [], one.then))!;
  expect(status).toBe('satisfied');
  const calls = (await readFile(play.log, 'utf8')).trim().split('\n');
  const distinct = new Set(calls).size;
  // The search may end while other runs are in progress, which then do not count.
  expect(runs).toBeLessThanOrEqual(distinct);
  expect(distinct - runs).toBeLessThan(one.parallel ?? 1);
  expect(calls.length - distinct).toBeLessThanOrEqual(one.repeated);
  const models = await service.ok<{ id: number; name: string }[]>('GET', '/models');
  expect(models.filter(({ name }) => name.startsWith(one.name)).map(({ id }) => id)).toEqual([modelId]);
  const projects = await service.ok<{ id: number }[]>('GET', `/models/${modelId}/projects`);
  expect(projects).toHaveLength(1);
  const batches = await service.ok<unknown[]>('GET', `/batches?project_id=${projects[0]!.id}`);
  expect(batches).toHaveLength(one.batches ?? 1);
});
