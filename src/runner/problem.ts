/** A problem as its file states it: inputs, what the outputs should be, and how to evaluate an input. */

import type { Goal } from '../../clients/typescript/src/solve/goals.ts';
import type { ExitMeaning } from './exit-codes.ts';
import type { SearchFields } from './search-keys.ts';

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
}

export type InputValue = number | string | boolean;

export interface CommandDefinition {
  /** The program and its arguments; with a shell the one text that it reads. */
  readonly command: readonly string[];
  readonly shell: boolean;
  /** `in.tmpl:in.dat` */
  readonly templates: readonly string[];
  /** Files and folders that every work folder gets. */
  readonly copies: readonly string[];
  /** `out.json` or `mass=out.txt:/mass = (\S+)/` */
  readonly read: readonly string[];
  /** What exit codes mean. */
  readonly onExit: ReadonlyMap<number, ExitMeaning>;
  readonly environment: Readonly<Record<string, string>>;
  readonly keep: 'all' | 'failed' | 'none';
}

export interface Problem {
  readonly name: string;
  readonly inputs: readonly InputDefinition[];
  readonly constraints: readonly string[];
  readonly outputs: readonly OutputDefinition[];
  /** A goal per output, in their order, per target set. */
  readonly targetSets: readonly (readonly Goal[])[];
  readonly desiredL1Norm: number | null;
  /** What is stated about how to search. */
  readonly search: SearchFields;
  /** How many inputs are designed and run first; null leaves it to the service and `jobs`. */
  readonly cases: number | null;
  /** The input to run first. */
  readonly start: Readonly<Record<string, InputValue>> | null;
  /** A CSV file of known runs, relative to the problem file. */
  readonly known: string | null;
  readonly command: CommandDefinition;
  /** Called instead of the command, which then is empty; null unless stated. */
  readonly evaluatorUrl: string | null;
  readonly jobs: number;
  readonly timeoutSeconds: number;
  /** All runs count: the designed ones, the start and those of one target set. null for the service's own limit. */
  readonly maximumRuns: number | null;
  readonly retries: number;
  readonly stopAfterFailures: number;
}
