/** Chooses where a problem is solved, and where this machine keeps its runs. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { Backsolve, type Retry } from '../client.ts';
import { ProblemFolder } from './folder.ts';
import { ANEW, describeComparison, describeNoise } from './kept.ts';
import { joinLocalService } from './local-service.ts';
import type { Looker } from './looks.ts';
import { checkProblem, type Problem, toObjective, toPlan, toProject, WORDS } from './problem.ts';
import { type ChangeNote, Session, type SessionOptions } from './session.ts';

export interface Connection {
  /** A client for the service, instead of url and key. */
  readonly client?: Backsolve | undefined;
  /** The address of the service; default BACKSOLVE_URL of the environment. */
  readonly url?: string | undefined;
  /** An API key; default BACKSOLVE_API_KEY of the environment. */
  readonly key?: string | undefined;
  /**
   * true starts a service on this machine, which ends soon after its last user; the default without any url. The command is
   * that of the package backsolve in this folder, what npx finds, or that of BACKSOLVE_COMMAND in the environment.
   */
  readonly local?: boolean | undefined;
  /** Keeps the runs, so that the same call goes on after a crash, and the data of a local service; default `.backsolve`. */
  readonly folder?: string | undefined;
  /** false keeps no runs. */
  readonly journal?: boolean | undefined;
  /** Starts over; what was kept earlier gets another name. */
  readonly fresh?: boolean | undefined;
}

export interface OpenProblem {
  readonly session: Session;
  /** Lets others work on the problem. */
  release(): Promise<void>;
}

const FOLDER = '.backsolve';

/**
 * Opens a problem in its folder, under its lock, and settles what an interrupted call left. Throws RangeError and TypeError for faults
 * of the problem, ProblemLockedError, ChangedProblemError, LocalServiceError, and what a call of the client throws.
 */
export async function openHere(
  problem: Problem,
  connection: Connection,
  { looker, ...how }: { readonly looker: Looker | null } & Pick<SessionOptions, 'retryFailed' | 'beginsAnew'>,
): Promise<OpenProblem> {
  checkProblem(problem);
  const releases: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const one of releases.splice(0).reverse()) await one();
  };
  try {
    const { client, service } = await connect(connection, releases);
    const folder = new ProblemFolder(connection.journal === false ? null : folderOf(problem, connection, service));
    await folder.make();
    releases.push(await folder.lock());
    if (connection.fresh === true) await folder.putAside();
    const plan = toPlan(problem, looker);
    const session = await Session.open({ client, service, folder, plan, words: WORDS, onChange, ...how });
    releases.push(() => session.journal.close());
    await session.settle();
    return { session, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** To standard error, whether or not progress is shown: it is a run, or a reason to think. */
function onChange(parts: readonly string[], what: ChangeNote): void {
  if (what === 'compared') process.stderr.write(`${describeComparison(parts)}\n`);
  else if (what === 'anew') process.stderr.write(`${ANEW}\n`);
  else process.emitWarning(what === 'noise' ? describeNoise(parts) : FAILURES);
}

const FAILURES =
  'The black box has changed since earlier runs of this problem, and those that failed are kept. retryFailed: true runs the failed ones again, fresh: true starts over.';

interface Connected {
  readonly client: Backsolve;
  /** null for a local service, whose address changes. */
  readonly service: string | null;
}

async function connect(connection: Connection, releases: (() => Promise<void>)[]): Promise<Connected> {
  const { client, folder = FOLDER } = connection;
  if (client !== undefined) return { client, service: client.address };
  const url = connection.url ?? process.env['BACKSOLVE_URL'];
  if (connection.local === true || (url === undefined && connection.local !== false)) {
    const service = await joinLocalService(folder);
    releases.push(() => service.close());
    const { url, key, fetch } = service;
    return { client: new Backsolve({ url, key, fetch }), service: null };
  }
  const key = connection.key ?? process.env['BACKSOLVE_API_KEY'];
  if (url === undefined || key === undefined) {
    const missing = url === undefined ? 'url (or BACKSOLVE_URL)' : 'key (or BACKSOLVE_API_KEY)';
    throw new TypeError(`There is no service to ask: give ${missing}, or local: true to start one on this machine.`);
  }
  const made = new Backsolve({ url, key, connectForMs: CONNECT_FOR_MS, onRetry });
  return { client: made, service: made.address };
}

/** Time to try an address at which nothing has ever answered: it may be wrong. */
const CONNECT_FOR_MS = 10_000;
/** Attempts of a request after which somebody who sees no progress is told what is waited for: some seconds. */
const TOLD_ATTEMPT = 6;

function onRetry({ attempt, error }: Retry): void {
  if (attempt === TOLD_ATTEMPT) process.stderr.write(`Waiting for the service: ${error.message}\n`);
}

/** That of its name; without one, the same problem on the same service has the same folder. */
function folderOf(problem: Problem, { folder = FOLDER }: Connection, service: string | null): string {
  const identity = JSON.stringify([toProject(problem), toObjective(problem), service]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  const name = problem.name?.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '');
  return path.join(folder, 'typescript', name === undefined || name === '' ? hash : name);
}
