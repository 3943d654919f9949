import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../../harness/free-port.ts';
import { makeUrlRunner, urlFault } from '../../../src/runner/black-box/url-runner.ts';
import { EVALUATION } from '../evaluation-fixture.ts';

interface Posted {
  readonly inputByName: Readonly<Record<string, number>>;
}

/** An evaluator that answers one call after another as it is told. Returns its address and what was posted to it. */
async function listen(...answers: readonly ((response: ServerResponse) => void)[]) {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    posted.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    answers[posted.length - 1]!(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`, posted };
}

const say = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

const never = new AbortController().signal;
const one = EVALUATION;

it('posts the evaluation without its lease token, and reads what the answer says', async () => {
  const cases = [
    [say(200, { output: [1.6, 20] }), { kind: 'output', output: [1.6, 20] }],
    [say(200, { output: { sag: 20, mass: 1.6 } }), { kind: 'output', output: [1.6, 20] }],
    [say(200, { failed: true, reason: 'no mesh' }), { kind: 'failure', reason: 'no mesh', retryable: false }],
    [
      say(200, { failed: true, reason: 'no licence', retryable: true }),
      { kind: 'failure', reason: 'no licence', retryable: true },
    ],
    [say(200, '<html>'), { kind: 'failure', reason: 'the answer is not JSON: "<html>"', retryable: true }],
    [say(404, ''), { kind: 'failure', reason: 'the evaluator answers 404', retryable: false }],
    [say(302, ''), { kind: 'failure', reason: 'the evaluator answers 302', retryable: false }],
    [say(500, ''), { kind: 'failure', reason: 'the evaluator answers 500', retryable: true }],
    [(response: ServerResponse) => void response.destroy(), { kind: 'failure', retryable: true }],
    [
      say(200, 'x'.repeat(1024 * 1024 + 1)),
      { kind: 'failure', reason: 'the connection broke: its answer has more than 1048576 bytes', retryable: true },
    ],
  ] as const;
  const { url, posted } = await listen(...cases.map(([answer]) => answer));
  const evaluate = makeUrlRunner({ url });
  for (const [, outcome] of cases) expect(await evaluate(one, never)).toMatchObject(outcome);
  expect(posted[0]).toMatchObject({ inputByName: one.inputByName, outputNames: ['mass', 'sag'] });
  expect(posted[0]).not.toHaveProperty('leaseToken');
});

it('calls again what is busy or not there yet, says so, and counts no try', async () => {
  const { url } = await listen(say(503, ''), say(429, ''), say(200, [1, 2]));
  const notes: string[] = [];
  const onNote = (note: string) => notes.push(note);
  const outcome = await makeUrlRunner({ url, onNote, firstPauseMs: 1 })(one, never);
  expect(outcome).toEqual({ kind: 'output', output: [1, 2] });
  expect(notes).toEqual([
    `${url} answers 503; it is called again in 0.001 s.`,
    `${url} answers 429; it is called again in 0.002 s.`,
  ]);

  const stop = new AbortController();
  const away = `http://127.0.0.1:${await findFreePort()}/`;
  const stopped = makeUrlRunner({ url: away, onNote: (note) => stop.abort(notes.push(note)) })(one, stop.signal);
  expect(await stopped).toMatchObject({ kind: 'failure', retryable: true });
  expect(notes.at(-1)).toBe(`${away} does not answer (ECONNREFUSED); it is called again in 2 s.`);
});

it('ends a call that takes too long: a failed run, as with a program', async () => {
  const { url } = await listen(() => undefined);
  expect(await makeUrlRunner({ url })({ ...one, timeoutSeconds: 0.05 }, never)).toEqual({
    kind: 'failure',
    reason: `${url} gave no output within 0.05 s`,
    retryable: false,
  });
});

it('knows which addresses it cannot call', () => {
  expect(urlFault('http://localhost:9000/run')).toBeUndefined();
  expect(urlFault('localhost:9000')).toContain('must be an address');
  expect(urlFault('file:///etc/passwd')).toContain('must be an address');
  expect(urlFault('https://me:secret@rig.example')).toContain('no user and no password');
});
