/** The published Python client parses the bodies that receivers get. */

import { beforeAll, expect, it } from 'vitest';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import { loadLinearObjective } from '../../support/fixtures.ts';
import { installPythonClient, type PythonClientOrReason } from '../../support/python-client.ts';
import { MAXIMUM_BYTES, openOutbox } from './outbox.ts';
import { openReceiver } from './receiver.ts';

const INSTALL_LIMIT_MS = 300_000;

let client: PythonClientOrReason;
beforeAll(async () => {
  client = await installPythonClient();
}, INSTALL_LIMIT_MS);

it.for([
  ['whole', MAXIMUM_BYTES],
  ['shortened to no list at all', 1],
] as const)(
  'handle_event of the Python client parses the events that it knows, with their records %s',
  async ([, maximumBytes], { skip }) => {
    if (client.kind === 'missing') return skip(client.reason);
    const outbox = await openOutbox(maximumBytes);
    const { db, accountId } = outbox;
    const receiver = await openReceiver();
    // The client refuses events that it does not know.
    await outbox.register(receiver.url, ['project.created', 'inverse.suggested']);
    const { project, path } = await loadLinearObjective(outbox);
    const { inverse } = await requestSuggestion(db, accountId, path, { requestId: null });
    const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
    const result = { kind: 'candidate', input: Float64Array.of(3, 7), expected: null, chance: null } as const;
    const engine = { ...explainNothing, suggest: async () => ({ ok: true, result, elapsedNs: 1 }) as const };
    await computeSuggestion({ db, engine, workLimit: 1 }, job!, new AbortController().signal);
    await outbox.drain();
    const stdin = receiver.received.map(({ body }) => body).join('\n');
    await receiver.close();
    const printed = await client.run('events.py', { url: 'http://127.0.0.1:9', key: 'unused', stdin });
    expect(JSON.parse(printed)).toEqual([
      ['project.created', 'Project', project.id, `project/${project.id}`],
      ['inverse.suggested', 'Inverse', inverse.id, `inverse/${inverse.id}`],
    ]);
    const wereShortened = receiver.received.map(({ body }) => JSON.parse(body).shortened === true);
    expect(wereShortened).toEqual([maximumBytes === 1, maximumBytes === 1]);
    await outbox.close();
  },
);
