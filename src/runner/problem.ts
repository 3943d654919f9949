/** A problem as its file states it: inputs, what the outputs should be, and how to evaluate an input. */

import type { Fit } from '../../clients/typescript/src/solve/fit.ts';
import type { Goal } from '../../clients/typescript/src/solve/goals.ts';
import type { BlackBox } from './black-box/black-box.ts';
import type { CurvePlace } from './files/read-output.ts';
import type { SearchFields } from './search-keys.ts';
import type { SourceDefinition } from './source-keys.ts';

export type InputType = 'float' | 'integer' | 'boolean' | 'category';

export interface InputDefinition {
  readonly name: string;
  readonly unit: string;
  readonly type: InputType;
  /** In natural units; of categories the numbers of the first and the last, 1 and their count. */
  readonly minimum: number;
  readonly maximum: number;
  readonly categories: readonly string[];
  readonly scale: 'linear' | 'log' | null;
  readonly step: number | null;
  readonly levels: readonly number[] | null;
  readonly likelyMinimum: number | null;
  readonly likelyMaximum: number | null;
}

export interface OutputDefinition {
  readonly name: string;
  readonly unit: string;
  /** The name of the fit that it is a point of; absent for an output of its own. */
  readonly fit?: string;
}

/** An output that is an array, with the data that it is fitted to. */
export interface FittedOutput {
  readonly name: string;
  readonly fit: Fit;
  /** The number of its first point among the outputs. */
  readonly first: number;
  /** Columns of a CSV file of the command; null where the output is read as others are. x is null for the points of the data. */
  readonly read: Omit<CurvePlace, 'name'> | null;
}

export type InputValue = number | string | boolean;

export interface Problem {
  readonly name: string;
  readonly inputs: readonly InputDefinition[];
  readonly constraints: readonly string[];
  /** Each point of a fit is one, as for the service. */
  readonly outputs: readonly OutputDefinition[];
  readonly fits: readonly FittedOutput[];
  /** A goal per output, in their order, per target set. */
  readonly targetSets: readonly (readonly Goal[])[];
  readonly desiredL1Norm: number | null;
  /** Search options that the file states. */
  readonly search: SearchFields;
  /** Number of inputs that are designed and run first; null leaves it to the service and `jobs`. */
  readonly cases: number | null;
  /** The input to run first. */
  readonly start: Readonly<Record<string, InputValue>> | null;
  /** A CSV file of known runs, relative to the problem file. */
  readonly known: string | null;
  readonly blackBox: BlackBox;
  /** Files and folders that it reads and nothing else names, relative to the problem file. */
  readonly files: readonly string[];
  /** Cheaper versions of it. */
  readonly sources: readonly SourceDefinition[];
  readonly jobs: number;
  readonly timeoutSeconds: number;
  /** All runs count: the designed ones, the start and those of one target set. null for the service's own limit. */
  readonly maximumRuns: number | null;
  /** The most runs at the ends of the intervals of a fit, beside `maximumRuns`. */
  readonly verify: number;
  readonly retries: number;
  readonly stopAfterFailures: number;
}

/** An output as people know it: a fit is one, with all of its points. */
export interface ShownOutput extends OutputDefinition {
  /** The number of its only or first output. */
  readonly first: number;
  /** The position of its data set among the fits; absent for an output of its own. */
  readonly set?: number;
}

export function shownOutputs({ outputs, fits }: Pick<Problem, 'outputs' | 'fits'>): readonly ShownOutput[] {
  return outputs.flatMap((output, first) => {
    if (output.fit === undefined) return [{ ...output, first }];
    const set = fits.findIndex((one) => one.first === first);
    return set < 0 ? [] : [{ ...output, name: output.fit, first, set }];
  });
}

/** Values by the names of the outputs that people know: of a fit the list of its points. */
export function byShownOutput<T>(problem: Pick<Problem, 'outputs' | 'fits'>, values: readonly T[]) {
  return Object.fromEntries(
    shownOutputs(problem).map(({ name, first, set }) => {
      if (set === undefined) return [name, values[first]!];
      return [name, values.slice(first, first + problem.fits[set]!.fit.values.length)];
    }),
  );
}
