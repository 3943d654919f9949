/**
 * Priors of PEtab, as petab 0.10.0 reads them (petab.v1.priors, petab.v2.core): on the parameter itself, truncated by its bounds. The names of
 * version 1 that begin with parameterScale have parameters on the scale of the parameter table.
 */
import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import { PetabError } from './petab-error.ts';
import type { PetabParameter, PetabPrior } from './petab-problem.ts';
import type { PetabRow } from './table.ts';

type Shape = 'uniform' | 'normal' | 'other';

interface Kind {
  readonly shape: Shape;
  /** Scale of its parameters. */
  readonly on: 'value' | 'ln' | 'scale';
  readonly count: number;
  /** The least value that it allows. */
  readonly least: number;
}

const EVERYWHERE = Number.NEGATIVE_INFINITY;
const KINDS: Readonly<Record<1 | 2, Readonly<Record<string, Kind>>>> = {
  1: {
    uniform: { shape: 'uniform', on: 'value', count: 2, least: EVERYWHERE },
    normal: { shape: 'normal', on: 'value', count: 2, least: EVERYWHERE },
    laplace: { shape: 'other', on: 'value', count: 2, least: EVERYWHERE },
    logNormal: { shape: 'normal', on: 'ln', count: 2, least: 0 },
    logLaplace: { shape: 'other', on: 'ln', count: 2, least: 0 },
    parameterScaleUniform: { shape: 'uniform', on: 'scale', count: 2, least: EVERYWHERE },
    parameterScaleNormal: { shape: 'normal', on: 'scale', count: 2, least: EVERYWHERE },
    parameterScaleLaplace: { shape: 'other', on: 'scale', count: 2, least: EVERYWHERE },
  },
  2: {
    uniform: { shape: 'uniform', on: 'value', count: 2, least: EVERYWHERE },
    // Its parameters are the ends themselves.
    'log-uniform': { shape: 'uniform', on: 'value', count: 2, least: 0 },
    normal: { shape: 'normal', on: 'value', count: 2, least: EVERYWHERE },
    'log-normal': { shape: 'normal', on: 'ln', count: 2, least: 0 },
    laplace: { shape: 'other', on: 'value', count: 2, least: EVERYWHERE },
    'log-laplace': { shape: 'other', on: 'ln', count: 2, least: 0 },
    cauchy: { shape: 'other', on: 'value', count: 2, least: EVERYWHERE },
    chisquare: { shape: 'other', on: 'value', count: 1, least: 0 },
    exponential: { shape: 'other', on: 'value', count: 1, least: 0 },
    gamma: { shape: 'other', on: 'value', count: 2, least: 0 },
    rayleigh: { shape: 'other', on: 'value', count: 1, least: 0 },
  },
};
const COLUMNS = {
  1: ['objectivePriorType', 'objectivePriorParameters'],
  2: ['priorDistribution', 'priorParameters'],
} as const;
const LIKELY = 2;

/** Undefined where none is stated. Throws PetabError. */
export function readPrior(row: PetabRow, version: 1 | 2, scale: PetabParameter['scale']): PetabPrior | undefined {
  const [typeTitle, parameterTitle] = COLUMNS[version];
  const id = row.cells.get('parameterId');
  const kind = row.cells.get(typeTitle);
  const stated = row.cells.get(parameterTitle);
  if (kind === undefined) {
    if (stated === undefined) return undefined;
    throw new PetabError(`${row.where}: ${id} has ${parameterTitle} without ${typeTitle}.`);
  }
  const known = Object.hasOwn(KINDS[version], kind) ? KINDS[version][kind]! : undefined;
  if (known === undefined) {
    const all = Object.keys(KINDS[version]).join(', ');
    throw new PetabError(`${row.where}: ${typeTitle} of ${id} is "${kind}", but version ${version} has ${all}.`);
  }
  // The default prior of version 1, between the bounds.
  if (stated === undefined && kind === 'parameterScaleUniform') {
    return { kind, support: [EVERYWHERE, Number.POSITIVE_INFINITY], likely: undefined, isFlat: true };
  }
  const parameters = (stated ?? '').split(';').map((part) => readNumber(part.trim()));
  if (parameters.length !== known.count || parameters.includes(undefined)) {
    const wanted = known.count === 1 ? 'a number' : '2 numbers, as in 0;1';
    throw new PetabError(`${row.where}: ${parameterTitle} of ${id} must be ${wanted}, is "${stated ?? ''}".`);
  }
  const [first, second] = parameters as number[];
  const from = (value: number) => fromScale(value, known.on === 'scale' ? (scale ?? 'lin') : known.on);
  if (known.shape === 'uniform') {
    if (!(first! < second!))
      throw new PetabError(`${row.where}: ${parameterTitle} of ${id} must ascend, is "${stated}".`);
    const isFlat = kind !== 'log-uniform';
    return { kind, support: [Math.max(known.least, from(first!)), from(second!)], likely: undefined, isFlat };
  }
  const support = [known.least, Number.POSITIVE_INFINITY] as const;
  if (known.shape === 'other') return { kind, support, likely: undefined, isFlat: false };
  if (!(second! > 0))
    throw new PetabError(`${row.where}: the standard deviation of the prior of ${id} must be positive.`);
  const likely = [from(first! - LIKELY * second!), from(first! + LIKELY * second!)] as const;
  return { kind, support, likely, isFlat: false };
}

function fromScale(value: number, on: 'value' | 'ln' | 'lin' | 'log' | 'log10'): number {
  if (on === 'value' || on === 'lin') return value;
  return on === 'log10' ? 10 ** value : Math.exp(value);
}

/**
 * Explains in sentences what becomes of priors.
 *
 * @param errors  the parameters that are errors of data
 * @param hasLikely  whether the input of a parameter states a likely range
 */
export function notesOnPriors(
  parameters: readonly PetabParameter[],
  errors: readonly string[],
  hasLikely: (id: string) => boolean = () => true,
): readonly string[] {
  const own = parameters.filter(
    ({ id, isEstimated, prior }) => isEstimated && prior !== undefined && !errors.includes(id),
  );
  const named = (sentence: string, found: readonly PetabParameter[]) =>
    found.length === 0 ? [] : [`${sentence}: ${found.map(({ id }) => id).join(', ')}.`];
  return [
    ...named(
      'Priors became likely ranges, of two standard deviations, and no part of chi-square',
      own.filter(({ id, prior }) => prior!.likely !== undefined && hasLikely(id)),
    ),
    ...named(
      'Normal priors that are not used, because their inputs have no likely range',
      own.filter(({ id, prior }) => prior!.likely !== undefined && !hasLikely(id)),
    ),
    ...named(
      'Uniform priors became the bounds, which are narrower for them',
      own.filter(({ isNarrowed, prior }) => isNarrowed && isUniform(prior!.kind)),
    ),
    ...named(
      'The bounds end where the prior does',
      own.filter(({ isNarrowed, prior }) => isNarrowed && !isUniform(prior!.kind)),
    ),
    ...named(
      'Priors that are left out, because they are not normal',
      own.filter(({ prior }) => prior!.likely === undefined && !isUniform(prior!.kind)),
    ),
    ...named(
      'The density of log-uniform priors is not part of chi-square',
      own.filter(({ prior }) => isUniform(prior!.kind) && !prior!.isFlat),
    ),
    ...named(
      'Priors of errors that are estimated are left out',
      parameters.filter(({ id, prior }) => prior !== undefined && errors.includes(id)),
    ),
  ];
}

function isUniform(kind: string): boolean {
  return /uniform$/i.test(kind);
}
