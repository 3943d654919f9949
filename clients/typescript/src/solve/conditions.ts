/** Data sets that were measured under different conditions: one run calls the black box once under each of them. */
import { type Fit, isFit } from './fit.ts';
import type { InputValue } from './inputs.ts';

/** Values that the black box gets beside the inputs, by name. */
export type Conditions = Readonly<Record<string, InputValue>>;

/** One of the calls of a run. */
export interface Call {
  readonly when: Conditions;
  /** The goals that it is about, each with the output of the black box. */
  readonly outputs: readonly { readonly goal: string; readonly output: string }[];
}

type Named = Iterable<readonly [string, object]>;

/** In the order in which the data sets name them; empty without any. A goal without conditions belongs to the first call. */
export function callsOf(goals: Named): readonly Call[] {
  const calls: { when: Conditions; outputs: { goal: string; output: string }[] }[] = [];
  const others: string[] = [];
  for (const [goal, one] of goals) {
    if (!isFit(one) || one.when === null) {
      others.push(goal);
      continue;
    }
    let call = calls.find(({ when }) => keyOf(when) === keyOf(one.when!));
    if (call === undefined) calls.push((call = { when: one.when, outputs: [] }));
    call.outputs.push({ goal, output: one.output ?? goal });
  }
  calls[0]?.outputs.push(...others.map((goal) => ({ goal, output: goal })));
  return calls;
}

/** Fault of the conditions of data sets, because of which a black box could not be told which call it is; undefined if there is none. */
export function conditionFault(goals: Named, inputs: readonly string[]): string | undefined {
  const fits = [...goals].filter((entry): entry is [string, Fit] => isFit(entry[1]));
  const stated = fits.flatMap(([name, { when }]) => (when === null ? [] : [{ name, keys: Object.keys(when).sort() }]));
  if (stated.length === 0) return undefined;
  for (const { name, keys } of stated) {
    const taken = keys.filter((key) => inputs.includes(key));
    if (taken.length > 0) {
      return `The data of ${name} fix ${taken.join(' and ')}, which the search varies: use another name, or leave out the input.`;
    }
  }
  const kinds = [...new Set(stated.map(({ keys }) => keys.join(', ')))].sort();
  if (kinds.length > 1) return `All data sets must state the same conditions in when, not ${kinds.join(' and ')}.`;
  const missing = fits.filter(([, { when }]) => when === null).map(([name]) => name);
  if (missing.length > 0) return `The data of ${missing.join(' and ')} need when, as the other data sets have it.`;
  return undefined;
}

/** Points at which the outputs of runs are read: data may get other values, but runs cannot be read at other points. */
export function pointsOf(fits: readonly { readonly name: string; readonly fit: Fit }[]) {
  return fits.map(({ name, fit: { x, when, output } }) => ({ name, x, when, output }));
}

function keyOf(when: Conditions): string {
  return JSON.stringify(Object.entries(when).sort(([a], [b]) => (a < b ? -1 : 1)));
}
