/** Standard errors of measured values as they are typed, and the data sets of a fit. Needs no browser. */
import type { NewObjectives } from '../../../../clients/typescript/src/index.ts';
import { counted } from '../../../presentation/formats.ts';
import type { Rows } from '../../parts/paste.ts';
import { readNumber } from '../../parts/read-number.ts';
import { namesOfRows, type OutputDraft } from './draft.ts';

type Sent = NonNullable<NewObjectives['fits']>[number];
type Sigma = NonNullable<Sent['sigma']>;

/** Data sets that an objective already has; the form keeps what it does not show. */
export type KnownSets = readonly {
  readonly name: string | null;
  readonly outputs: readonly number[];
  readonly sigma: number | readonly (number | null)[] | { readonly relative: number } | null;
  readonly weight: number;
  readonly loss: NonNullable<Sent['loss']>;
}[];

/** A number, or a share of the value in percent. */
interface ReadError {
  readonly value: number;
  readonly isPercent: boolean;
}

const PERCENT = /\s*%\s*$/;

/** The data sets of all outputs of type fit; undefined without one. Outputs of no known set become a set of their own. */
export function readFits(
  outputs: readonly OutputDraft[],
  known: KnownSets,
  faults: Record<string, string>,
): Sent[] | undefined {
  const isFitted = (j: number) => outputs[j]!.type === 'fit';
  const others = outputs.flatMap((_, j) => (isFitted(j) && !known.some((set) => set.outputs.includes(j)) ? [j] : []));
  const sets: Sent[] = [
    ...known.map(({ name, weight, loss, outputs: all }) => ({ name, weight, loss, outputs: all.filter(isFitted) })),
    { outputs: others },
  ].filter((set) => set.outputs.length > 0);
  if (sets.length === 0) return undefined;
  return sets.map((set) => ({ ...set, sigma: readSigma(set.outputs as number[], outputs, faults) }));
}

function readSigma(set: readonly number[], outputs: readonly OutputDraft[], faults: Record<string, string>) {
  if (set.every((j) => outputs[j]!.sigma.trim() === '')) return null;
  const read = set.map((j) => {
    const { sigma, target } = outputs[j]!;
    // A gap needs none.
    if (sigma.trim() === '' && target.trim() === '') return null;
    const { value, fault } = readNumber(sigma.replace(PERCENT, ''));
    if (fault !== undefined) {
      const missing = 'State a standard error for all fitted outputs, or for none.';
      faults[`outputs/${j}/sigma`] = sigma.trim() === '' ? missing : fault;
    }
    return { value: value ?? 0, isPercent: PERCENT.test(sigma) };
  });
  return together(read) ?? read.map((one, i) => inUnits(one, outputs[set[i]!]!.target));
}

/** One number or share for all values; undefined where they differ. */
function together(read: readonly (ReadError | null)[]): Sigma | undefined {
  const stated = read.filter((one) => one !== null);
  const { value, isPercent } = stated[0]!;
  if (!stated.every((one) => one.value === value && one.isPercent === isPercent)) return undefined;
  return isPercent ? { relative: value / 100 } : value;
}

function inUnits(error: ReadError | null, target: string): number | null {
  if (error === null || !error.isPercent) return error?.value ?? null;
  return (error.value / 100) * Math.abs(readNumber(target).value ?? 0);
}

/** The standard error of an output as the form has it; empty: unknown. */
export function sigmaText(sets: KnownSets | null, j: number): string {
  const set = sets?.find(({ outputs }) => outputs.includes(j));
  if (set === undefined || set.sigma === null) return '';
  if (typeof set.sigma === 'number') return String(set.sigma);
  if ('relative' in set.sigma) return `${Number((100 * set.sigma.relative).toPrecision(12))} %`;
  return String(set.sigma[set.outputs.indexOf(j)] ?? '');
}

/**
 * The outputs with pasted measured values: a row for each, with the value and, if known, its standard error. Rows that begin with the name
 * of an output belong to it; others to the fitted outputs in their order, or to all outputs where none is fitted yet.
 */
export function takeMeasured(
  rows: Rows,
  outputs: readonly OutputDraft[],
): { readonly outputs: readonly OutputDraft[]; readonly said: string } {
  const names = namesOfRows(outputs, 'y');
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const isNamed = filled.length > 0 && filled.some(([first]) => names.includes(first ?? ''));
  const isFitted = outputs.some(({ type }) => type === 'fit');
  const inOrder = outputs.flatMap(({ type }, j) => (type === 'fit' || !isFitted ? [j] : []));
  const taken = [...outputs];
  let unused = 0;
  // Without names an empty line is a gap.
  (isNamed ? filled : rows).forEach((row, r) => {
    const j = isNamed ? names.indexOf(row[0] ?? '') : inOrder[r];
    const [target = '', sigma = ''] = isNamed ? row.slice(1) : row;
    if (j === undefined || j < 0) unused++;
    else taken[j] = { ...taken[j]!, type: 'fit', target, ...(sigma !== '' && { sigma }) };
  });
  const count = (isNamed ? filled : rows).length - unused;
  const rest = unused === 0 ? '' : ` ${counted(unused, 'row')} without an output left out.`;
  return { outputs: taken, said: `${counted(count, 'row')} taken.${rest}` };
}
