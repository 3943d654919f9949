/**
 * The processes of the service, each with its own proxy to Postgres, and a supervisor that restarts them as an orchestrator
 * would. A process that ends unexpectedly, does not stop gracefully, or is not ready at the end is a complaint: a person
 * would have had to step in.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../harness/free-port.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';

export type Role = 'serve' | 'work';
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
/** Longer than the product's own grace period; then an orchestrator would kill the process. */
const STOP_LIMIT_MS = 40_000;
const READY = new Set(['service.ready', 'worker.ready']);

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly port: number;
  readonly proxy: TcpProxy;
  child: ChildProcess | undefined;
  isFrozen = false;
  /** It was asked to end. */
  isDoomed = false;
  /** It has reported readiness; until then an orchestrator neither relies on it nor expects it to stop gracefully. */
  hasStarted = false;

  constructor(name: string, role: Role, port: number, proxy: TcpProxy) {
    this.name = name;
    this.role = role;
    this.port = port;
    this.proxy = proxy;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.hasStarted && !this.isFrozen && !this.isDoomed;
  }

  /** The worker's name in its leases. */
  get workerName(): string {
    return `${hostname()}:${this.child?.pid}`;
  }
}

export interface FleetOptions {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly ingresses: number;
  readonly workers: number;
  readonly settings: Readonly<Record<string, string>>;
}

export class Fleet {
  readonly members: readonly Member[];
  /** Events that would have required a person. */
  readonly complaints: string[] = [];
  /** The count of each logged event, warnings and errors only. */
  readonly events = new Map<string, number>();
  starts = 0;
  readonly #options: FleetOptions;
  readonly #logs = new Map<Member, WriteStream>();
  #isClosing = false;

  private constructor(options: FleetOptions, members: readonly Member[]) {
    this.#options = options;
    this.members = members;
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const roles: Role[] = [
      ...new Array<Role>(options.ingresses).fill('serve'),
      ...new Array<Role>(options.workers).fill('work'),
    ];
    const members: Member[] = [];
    for (const [index, role] of roles.entries()) {
      const proxy = new TcpProxy(options.databaseUrl);
      await proxy.listen();
      members.push(new Member(`${role}-${index}`, role, await findFreePort(), proxy));
    }
    const fleet = new Fleet(options, members);
    // An interrupted run leaves no processes behind.
    process.once('exit', () => {
      for (const { child } of members) child?.kill('SIGKILL');
    });
    for (const member of members) fleet.start(member);
    await fleet.untilReady(60_000);
    return fleet;
  }

  get ingressPorts(): readonly number[] {
    return this.members.filter(({ role }) => role === 'serve').map(({ port }) => port);
  }

  /** Starts a member's process; the supervisor calls it again when the process has ended. */
  start(member: Member): void {
    this.starts += 1;
    const port = member.role === 'serve' ? { PORT: String(member.port) } : { HEALTH_PORT: String(member.port) };
    const child = spawn(process.execPath, [MAIN, member.role], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: member.proxy.through(this.#options.databaseUrl),
        HOST: '127.0.0.1',
        NODE_COMPILE_CACHE: path.join(this.#options.folder, 'compile-cache'),
        ...port,
        ...this.#options.settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    member.child = child;
    member.isDoomed = false;
    member.isFrozen = false;
    member.hasStarted = false;
    this.#watchLog(member, child);
    child.once('exit', (code, signal) => {
      if (!member.isDoomed && !this.#isClosing) {
        this.complaints.push(`${member.name} ended unexpectedly: ${signal ?? `code ${code}`}`);
      }
      member.child = undefined;
      if (!this.#isClosing) setTimeout(() => this.#isClosing || this.start(member), 500);
    });
  }

  /** SIGKILL, without any cleaning up. */
  kill(member: Member): void {
    member.isDoomed = true;
    member.child?.kill('SIGKILL');
  }

  freeze(member: Member): void {
    member.isFrozen = true;
    member.child?.kill('SIGSTOP');
  }

  thaw(member: Member): void {
    member.isFrozen = false;
    member.child?.kill('SIGCONT');
  }

  /** SIGTERM, as in a rolling restart; the process must end with code 0 within the limit. */
  async stopGracefully(member: Member): Promise<void> {
    const { child } = member;
    if (child === undefined) return;
    member.isDoomed = true;
    const exited = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    child.kill('SIGTERM');
    const limit = new AbortController();
    const late = delay(STOP_LIMIT_MS, 'late', { signal: limit.signal }).catch(() => 'late');
    const how = await Promise.race([exited, late]);
    limit.abort();
    if (how === 'code 0') return;
    this.complaints.push(`${member.name} did not stop gracefully: ${how}`);
    child.kill('SIGKILL');
  }

  /** Waits until every process is ready; complains about those that are late. */
  async untilReady(limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    let waiting = [...this.members];
    while (waiting.length > 0 && performance.now() < deadline) {
      const answers = await Promise.all(waiting.map(isReady));
      waiting = waiting.filter((_, i) => !answers[i]);
      if (waiting.length > 0) await delay(100);
    }
    for (const { name } of waiting) this.complaints.push(`${name} is not ready after ${limitMs} ms`);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const member of this.members) if (member.isFrozen) this.thaw(member);
    await Promise.all(this.members.map((member) => this.stopGracefully(member)));
    for (const member of this.members) await member.proxy.close();
    for (const log of this.#logs.values()) log.end();
  }

  #watchLog(member: Member, child: ChildProcess): void {
    const file =
      this.#logs.get(member) ??
      createWriteStream(path.join(this.#options.folder, `${member.name}.log`), { flags: 'a' });
    this.#logs.set(member, file);
    const take = (line: string) => {
      file.write(`${line}\n`);
      const entry = parseLine(line);
      if (entry !== undefined && READY.has(entry.msg)) member.hasStarted = true;
      if (entry === undefined || (entry.level !== 'warn' && entry.level !== 'error')) return;
      this.events.set(entry.msg, (this.events.get(entry.msg) ?? 0) + 1);
    };
    for (const stream of [child.stdout!, child.stderr!]) createInterface({ input: stream }).on('line', take);
  }
}

function parseLine(line: string): { readonly level: string; readonly msg: string } | undefined {
  try {
    return JSON.parse(line) as { level: string; msg: string };
  } catch {
    return undefined; // printed by Node itself
  }
}

async function isReady(member: Member): Promise<boolean> {
  if (!member.isRunning) return false;
  const url = `http://127.0.0.1:${member.port}/readyz`;
  return fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  );
}
