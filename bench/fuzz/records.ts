/** Records to fuzz with: one input and one output, so that random arrays of one number often fit. */

/** Ids, by their names in paths. */
type FuzzRecord = Readonly<Record<string, number>>;

export interface FuzzRecords {
  /** The fuzzer's own key, which no request may revoke. */
  readonly ownKeyId: number;
  /** For requests that leave their record usable. */
  readonly kept: readonly FuzzRecord[];
  /** For requests that end, disable or delete their record. */
  readonly spent: readonly FuzzRecord[];
}

const KEPT = 12;
const SPENT = 24;

interface Made {
  readonly id: number;
  readonly trial_id: number;
}

/** @param origin  URL without a path. Throws if any request fails. */
export async function makeRecords(origin: string, key: string): Promise<FuzzRecords> {
  const call = async <T = Made>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  const make = async (count: number, name: string): Promise<FuzzRecord[]> => {
    const records = [];
    for (let i = 0; i < count; i++) records.push(await makeRecord(call, `${name} ${i}`, i));
    return records;
  };
  const [own] = await call<readonly [Made]>('GET', '/keys');
  return { ownKeyId: own.id, kept: await make(KEPT, 'Kept'), spent: await make(SPENT, 'Spent') };
}

type CallService = <T = Made>(method: string, path: string, body?: object) => Promise<T>;

/** A target alone, and then with each option of the search. */
const SEARCHES = [
  {},
  { solutions: { count: 3, apart: 0.1 }, parallelism: 2 },
  { objectives: [null], objectiveTypes: ['minimize'], front: { reference: [20] } },
  {
    inputTolerances: { kind: 'normal', values: [0.1] },
    aimAtRobustness: true,
    // The initial point is the first solution.
    objectives: [3],
    minimumBounds: [-1],
    maximumBounds: [1],
  },
  { noise: 'estimate', confidence: 0.9 },
  { weights: [3], stop: { patience: 5 } },
] as const;

async function makeRecord(call: CallService, name: string, i: number): Promise<FuzzRecord> {
  // Created first, so that the following events are delivered to it; the name never resolves (RFC 6761).
  const webhook = await call('POST', '/webhooks', { url: `https://receiver.invalid/${encodeURIComponent(name)}` });
  const model = await call('POST', '/models', { name });
  const projects = `/models/${model.id}/projects`;
  const project = await call('POST', projects, {
    name: 'One input',
    inputCount: 1,
    minimums: [-10],
    maximums: [10],
    inputTypes: ['float'],
    inputCases: [[-9], [0], [4], [9]],
  });
  const set = await call('POST', `${projects}/${project.id}/output-cases`, {
    outputCount: 1,
    outputCases: [[-27], [0], [12], [27]],
  });
  const trial = `${projects}/${project.id}/trials/${set.trial_id}`;
  const objective = await call('POST', `${trial}/objectives`, {
    objectives: [5.4321],
    objectiveTypes: ['value'],
    initialInput: [1],
    initialOutput: [3],
    desiredL1Norm: 0,
    minimumBounds: [-1e-9],
    maximumBounds: [1e-9],
    ...SEARCHES[i % SEARCHES.length],
  });
  const inverses = `${trial}/objectives/${objective.id}/inverses`;
  const first = async () => (await call<readonly [Made]>('GET', inverses))[0];
  const isSuggested = Math.floor(i / SEARCHES.length) % 2 === 0;
  const inverse = await (isSuggested ? call('POST', inverses, {}) : first());
  const [delivery] = await call<readonly [Made]>('GET', `/webhooks/${webhook.id}/deliveries`);
  // Otherwise every event of the run would go to every webhook.
  await call('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
  const deleted = await call('POST', '/models', { name: `${name}, deleted` });
  await call('DELETE', `/models/${deleted.id}`);
  const deletions = await call<readonly Made[]>('GET', '/deleted?limit=100');
  return {
    deletion_id: deletions.at(-1)!.id,
    number: 1,
    model_id: model.id,
    project_id: project.id,
    output_case_set_id: set.id,
    trial_id: set.trial_id,
    objective_id: objective.id,
    inverse_id: inverse.id,
    webhook_id: webhook.id,
    delivery_id: delivery.id,
    key_id: (await call('POST', '/keys', { scopes: ['read'], label: name })).id,
  };
}
