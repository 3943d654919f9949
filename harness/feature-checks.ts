/** Checks what must hold of a search whatever features it combines. Each check returns what is wrong, one sentence each. */

// biome-ignore lint/suspicious/noExplicitAny: data from the wire is read field by field
type Answered = { readonly status: number; readonly body: any };

export type Send = (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) => Promise<Answered>;

export interface Stated {
  readonly minimums: readonly number[];
  readonly maximums: readonly number[];
  /** Inputs from this one on take whole numbers. */
  readonly wholeFrom: number;
  readonly holds: readonly { readonly name: string; readonly holds: (input: readonly number[]) => boolean }[];
}

/** Whether an input lies within everything that was stated. */
export function checkInput(
  { minimums, maximums, wholeFrom, holds }: Stated,
  input: readonly number[],
  what: string,
): string[] {
  const at = `the input ${JSON.stringify(input)} (${what})`;
  const outside = input.some((value, v) => !(value >= minimums[v]! && value <= maximums[v]!));
  const isBroken = input.slice(wholeFrom).some((value) => !Number.isInteger(value));
  return [
    ...(outside ? [`${at} is outside of the bounds`] : []),
    ...(isBroken ? [`${at} is not whole`] : []),
    ...holds.flatMap((one) => (one.holds(input) ? [] : [`${at} does not keep: ${one.name}`])),
  ];
}

/** Whether a refusal is one of the client's own fault that names a key which it sent. */
export function checkRefusal({ status, body }: Answered, keys: readonly string[]): string[] {
  const violations: { pointer: string; message: string }[] = body?.errors ?? [];
  if (status >= 500 || status < 400) return [`is answered with ${status}: ${JSON.stringify(body)}`];
  if (violations.length === 0) return [`is refused without a reason: ${JSON.stringify(body)}`];
  return violations.flatMap(({ pointer, message }) => {
    const key = pointer.split('/')[1] ?? '';
    return keys.includes(key) && message.length > 10 ? [] : [`is refused by ${pointer}, which nobody sent: ${message}`];
  });
}

interface Played {
  readonly stated: Stated;
  /** Outputs of all fine runs and cases that succeeded, in their order, by the JSON of their inputs. */
  readonly known: ReadonlyMap<string, readonly (readonly number[])[]>;
  readonly truth: (input: readonly number[]) => readonly number[];
  readonly isNoisy: boolean;
}

interface Interval {
  readonly lower: number | null;
  readonly upper: number | null;
}

const isIn = (output: readonly number[], intervals: readonly Interval[]) =>
  intervals.every(({ lower, upper }, j) => output[j]! >= (lower ?? -Infinity) && output[j]! <= (upper ?? Infinity));

/** Rounding of a mean, by the order of its sum. */
const ROUNDING = 1e-12;

/** Whether what an objective answers is what it says. */
export async function checkAnswer(
  send: Send,
  url: string,
  played: Played,
): Promise<{ readonly faults: string[]; readonly holdsInTruth: boolean | null }> {
  const faults: string[] = [];
  const { status, body } = await send('GET', url);
  const history = await send('GET', `${url}/history`);
  if (status !== 200 || history.status !== 200)
    return { faults: [`is read with ${status} and ${history.status}`], holdsInTruth: null };
  const isKnown = (input: readonly number[], output: readonly number[]) => {
    const made = played.known.get(JSON.stringify(input)) ?? [];
    // Runs at one input are judged when the next input is computed.
    const judged = made.slice(0, body.answer?.runs ?? 1);
    const mean = output.map((_, j) => judged.reduce((sum, one) => sum + one[j]! / judged.length, 0));
    const isMean = judged.length > 1 && mean.every((y, j) => Math.abs(y - output[j]!) <= ROUNDING * Math.abs(y));
    return isMean || made.some((one) => one.every((y, j) => y === output[j]));
  };
  if (body.best && !isKnown(body.best.input, body.best.output))
    faults.push(`the best run was never made: ${JSON.stringify(body.best)}`);
  if (body.stopReason !== 0 && typeof body.endReason !== 'string') faults.push('an end has no reason');
  const types: string[] = body.objectiveTypes;
  const intervals: Interval[] = history.body.intervals;
  const optimal = body.optimalInverse && { input: body.optimalInverse.inputs, output: body.optimalInverse.outputs };
  if (optimal) faults.push(...checkInput(played.stated, optimal.input, 'the answer'));
  const isJudgedAlone = !types.includes('exact') && !played.isNoisy;
  if (body.stopReason === 1 && optimal === null) faults.push('is satisfied without an answer');
  if (body.stopReason === 1 && isJudgedAlone) {
    if (!isKnown(optimal.input, optimal.output))
      faults.push(`the answer was never run: ${JSON.stringify(optimal.input)}`);
    if (!isIn(optimal.output, intervals)) faults.push(`the answer misses a target: ${JSON.stringify(optimal.output)}`);
  }
  const open = types.flatMap((_, j) => (body.objectives[j] === null && types[j] !== 'fit' ? [j] : []));
  if (open.length > 1) faults.push(...(await checkFront(send, url, played, { types, open, intervals })));
  const isDeclared = body.stopReason === 1 && played.isNoisy && optimal !== null && !types.includes('exact');
  return { faults, holdsInTruth: isDeclared ? isIn(played.truth(optimal.input), intervals) : null };
}

/** Whether the front is that of the runs within all limits, computed anew. */
async function checkFront(
  send: Send,
  url: string,
  { stated, known, isNoisy }: Played,
  {
    types,
    open,
    intervals,
  }: { readonly types: readonly string[]; readonly open: readonly number[]; readonly intervals: readonly Interval[] },
): Promise<string[]> {
  const { status, body } = await send('GET', `${url}/front`);
  if (status !== 200) return [`the front is read with ${status}: ${JSON.stringify(body)}`];
  // The front of noisy runs is that of their means.
  if (isNoisy) return [];
  const worth = (output: readonly number[]) => open.map((j) => (types[j] === 'minimize' ? -output[j]! : output[j]!));
  const beats = (a: readonly number[], b: readonly number[]) =>
    a.every((y, j) => y >= b[j]!) && a.some((y, j) => y > b[j]!);
  const admissible = [...known]
    .filter(([input]) => checkInput(stated, JSON.parse(input), '').length === 0)
    .flatMap(([, outputs]) => outputs)
    .filter((output) => isIn(output, intervals))
    .map(worth);
  const points = body.points.map(({ output }: { output: number[] }) => worth(output)) as number[][];
  const isOn = (one: readonly number[]) => points.some((point) => point.every((y, j) => y === one[j]));
  return [
    ...points.flatMap((point) =>
      admissible.some((one) => beats(one, point)) ? [`the front has a beaten run: ${point.join(', ')}`] : [],
    ),
    ...admissible.flatMap((one) =>
      isOn(one) || admissible.some((other) => beats(other, one)) ? [] : [`the front lacks a run: ${one.join(', ')}`],
    ),
  ];
}
