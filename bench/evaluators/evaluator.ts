/**
 * One evaluator: a process that claims an input, runs the black box, keeps its lease meanwhile, and reports. chaos.ts starts
 * several and kills them. Its options come as JSON in the only argument.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Backsolve, BacksolveError } from '../../clients/typescript/src/index.ts';
import { pick, randomFrom } from '../chaos/random.ts';
import { boxNamed, durationMs, fateOf } from './boxes.ts';
import { append, type Claimed, type JournalLine, type Reports } from './journal.ts';

export interface EvaluatorOptions {
  readonly name: string;
  readonly ports: readonly number[];
  readonly key: string;
  readonly seed: number;
  readonly journal: string;
  readonly leaseSeconds: number;
  /** Number of inputs that it runs at a time. */
  readonly jobs: number;
  /** The name of the black box of each project. */
  readonly boxes: Readonly<Record<number, string>>;
}

type Claim = Awaited<ReturnType<typeof claimOne>>[number];

/** Longer than any fault: an evaluator gives nothing up. */
const CALL_LIMIT_MS = 180_000;
const WAIT_SECONDS = 5;
/** A frozen ingress answers nothing; shorter than the longest freeze, so that it carries out some calls that were repeated elsewhere. */
const SILENCE_LIMIT_MS = 8_000;
/** The share of calls sent twice simultaneously, as a proxy might. */
const DOUBLED = 0.05;

const options = JSON.parse(process.argv[2]!) as EvaluatorOptions;
const leaseMs = 1_000 * options.leaseSeconds;
const random = randomFrom(options.seed);
const client = new Backsolve({
  url: `http://127.0.0.1:${options.ports[0]}`,
  key: options.key,
  fetch: callAnyIngress,
  maximumRetries: 1_000,
  retryForMs: CALL_LIMIT_MS,
  timeoutMs: SILENCE_LIMIT_MS,
});
const ended = new AbortController();
process.once('SIGTERM', () => ended.abort());
await Promise.all(Array.from({ length: options.jobs }, work));
process.exit(0);

/** Each attempt goes to a random ingress. */
async function callAnyIngress(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const send = () => {
    const url = new URL(input instanceof Request ? input.url : input);
    url.port = String(pick(random, options.ports));
    return fetch(url, init);
  };
  const copy = random() < DOUBLED ? send() : undefined;
  // The copy's answer is not used, but its connection must be freed.
  copy?.then((answer) => answer.body?.cancel()).catch(() => undefined);
  return send();
}

async function work(): Promise<void> {
  // An evaluation claimed before the end is still run.
  while (!ended.signal.aborted) for (const claim of await claimOne()) await evaluate(claim);
}

async function claimOne() {
  const { name: evaluator, leaseSeconds } = options;
  const askedAt = Date.now();
  const { body } = await client.call('claimEvaluations', { body: { evaluator, leaseSeconds, wait: WAIT_SECONDS } });
  const at = Date.now();
  // An answer that is late by more was read late, by an evaluator that was frozen, or came after repeated calls.
  const isFresh = at - askedAt < 1_000 * (WAIT_SECONDS + 1);
  if (body.evaluations.length === 0 && isFresh) append(options.journal, { event: 'idle', at, evaluator });
  return body.evaluations;
}

async function evaluate(claim: Claim): Promise<void> {
  const box = boxNamed(options.boxes[claim.projectId]!);
  write({
    event: 'claimed',
    ...about(claim),
    projectId: claim.projectId,
    input: claim.input,
    leaseExpiresAt: Date.parse(claim.leaseExpiresAt),
  });
  const fate = fateOf(box, claim.input);
  const isWanted = await spend(claim, durationMs(box, claim.input, leaseMs));
  if (fate === 'kills') {
    write({ event: 'dies', ...about(claim) });
    process.kill(process.pid, 'SIGKILL');
    await delay(leaseMs);
  }
  if (!isWanted) await report(claim, 'release', null);
  else if (fate === 'fails') await report(claim, 'failure', null);
  else if (fate === 'flaky' && claim.try === 1) await report(claim, 'retryable failure', null);
  else await report(claim, 'output', box.run(claim.input));
}

/** Runs for so long and keeps the lease. Resolves early, to false, when the run is no longer wanted or the lease is lost. */
async function spend(claim: Claim, forMs: number): Promise<boolean> {
  const until = performance.now() + forMs;
  for (;;) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return true;
    await delay(Math.min(leftMs, leaseMs / 3));
    if (until - performance.now() <= 0) return true;
    const progress = Math.max(0, Math.min(1, 1 - (until - performance.now()) / forMs));
    const path = { evaluation_id: claim.id };
    const answer = await orRefusal(
      client.call('heartbeatEvaluation', { path, body: { leaseToken: claim.leaseToken, progress } }),
    );
    // The lease is lost. The output may still be accepted if no other evaluator has claimed the input since.
    if (answer instanceof BacksolveError) continue;
    const { leaseExpiresAt, isWanted } = answer.body;
    if (leaseExpiresAt !== null) write({ event: 'kept', ...about(claim), leaseExpiresAt: Date.parse(leaseExpiresAt) });
    if (!isWanted) return false;
  }
}

async function report(claim: Claim, what: Reports['what'], output: readonly number[] | null): Promise<void> {
  const { leaseToken } = claim;
  write({ event: 'reports', ...about(claim), what, output });
  const path = { evaluation_id: claim.id };
  const send = {
    output: () => client.call('putEvaluationOutput', { path, body: { leaseToken, output: [...output!] } }),
    failure: () =>
      client.call('failEvaluation', { path, body: { leaseToken, reason: 'the mesh broke', retryable: false } }),
    'retryable failure': () =>
      client.call('failEvaluation', { path, body: { leaseToken, reason: 'no licence', retryable: true } }),
    release: () => client.call('releaseEvaluation', { path, body: { leaseToken } }),
  }[what];
  const answer = await orRefusal<{ readonly status: number; readonly body: { readonly state: string } }>(send());
  const state = answer instanceof BacksolveError ? answer.code : answer.body.state;
  write({ event: 'answered', ...about(claim), what, status: answer.status, state });
}

/** The error of a refusal that is final: a client error. Everything else ends this process. */
async function orRefusal<Answer>(calling: Promise<Answer>): Promise<Answer | BacksolveError> {
  try {
    return await calling;
  } catch (error) {
    if (error instanceof BacksolveError && error.status < 500) return error;
    throw error;
  }
}

function about({ id, leaseToken }: Claim): Pick<Claimed, 'at' | 'evaluator' | 'id' | 'leaseToken'> {
  return { at: Date.now(), evaluator: options.name, id, leaseToken };
}

function write(line: JournalLine): void {
  append(options.journal, line);
}
