/** The black box that evaluates the inputs of a problem file: a command, an address, a model in a file. kinds.ts has the table of kinds. */
import path from 'node:path';
import type { Evaluate } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import type { Fit } from '../../../clients/typescript/src/solve/fit.ts';
import type { BoxFile } from '../../../clients/typescript/src/solve/looks.ts';
import type { CurvePlace } from '../files/read-output.ts';
import type { Path, ValueReader } from '../files/value-reader.ts';
import type { Trial } from '../files/writing.ts';
import type { Value } from '../files/yaml-values.ts';

/** The values of a problem file by its keys. */
export type Fields = ReadonlyMap<string, Value>;

export interface BlackBoxKind {
  /** The key of a problem file that chooses this kind. */
  readonly key: string;
  /** Example of a value of the key, for people. */
  readonly example: string;
  /** All keys that belong to this kind, with `key`. No other kind allows them. */
  readonly keys: readonly string[];
  /** Whether it looks for signs of failed runs itself, because they may be in its files; others have outputs alone. */
  readonly readsSigns?: boolean;
  /** Keys of an input and of an output that only this kind knows, such as the name of a variable. */
  readonly inputKeys?: readonly string[];
  readonly outputKeys?: readonly string[];
  /** Facts that the black box itself states, before the file is read. Does not throw: anything wrong is a fault. */
  describe?(fields: Fields, where: Surroundings): Promise<Described>;
  /** Reads its keys. Whatever is wrong is refused, and the result then not used. */
  read(reader: ValueReader, fields: Fields, described: Described): BlackBox;
}

/** A value that a problem file could have stated. */
export type Fact = number | string | boolean | null | readonly Fact[] | { readonly [key: string]: Fact };
/** By the name of an input or output: keys with the values that they have where the file leaves them out. */
export type Facts = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

export interface Described {
  readonly inputs: Facts;
  readonly outputs: Facts;
  readonly faults: readonly { readonly path: Path; readonly message: string }[];
  /** Sections that the black box could not be asked about; a fault says why. */
  readonly unknown?: readonly ('inputs' | 'outputs')[];
  /** For people, such as how it will be worked on. */
  readonly notes?: readonly string[];
}

export const UNDESCRIBED: Described = { inputs: {}, outputs: {}, faults: [] };

/** For an input and an output with a fault, so that nothing else is said of them. */
export const STAND_INS = { input: { minimum: 0, maximum: 1 }, output: { below: 0 } } as const;

export interface BlackBox {
  /** That of its kind. */
  readonly key: string;
  /** Equal for black boxes whose runs count for each other, as JSON. */
  readonly identity: readonly unknown[];
  /** As result files show it. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Whether runs at the same time may write into each other's files, which the problem file has not answered for. */
  readonly sharesFolder?: boolean;
  /** Files that it is made of: if one of them has changed, runs may not count any more. */
  files(where: Surroundings): Promise<readonly BoxFile[]>;
  open(where: Surroundings): OpenBlackBox;
  /** Files that get the best run at the end. */
  readonly copies?: readonly BestCopy[];
}

export interface BestCopy {
  /**
   * The names that the file may have, beside the problem file; it gets the first that no file of the user has.
   *
   * @param problem  the name of the problem file without its ending
   * @param set      -2 for the second of several target sets
   */
  names(problem: string, set: string): readonly string[];
  /** Content of the copy, such as "the input" of the best run. */
  readonly has: string;
  /** Returns why it could not be written. Does not throw. */
  write(best: BestValues, target: string, where: Surroundings): Promise<string | undefined>;
}

export interface BestValues {
  /** The name of the run, such as `run 17`. */
  readonly run: string;
  readonly input: Readonly<Record<string, number | string | boolean>>;
  /** Values of the outputs; for a fit, the values at its points. */
  readonly output: Readonly<Record<string, number | readonly number[]>>;
}

/** Files that a problem file names. */
export function namedFiles(names: readonly string[], { home }: Pick<Surroundings, 'home'>): readonly BoxFile[] {
  return names.map((name) => ({ path: path.resolve(home, name), name }));
}

/** Surroundings in which a black box works. */
export interface Surroundings {
  /** The folder of the problem file, from which its relative paths start. */
  readonly home: string;
  /** The folder in which evaluations may have work folders. */
  readonly workFolder: string;
  /** The variables of programs. */
  readonly environment: NodeJS.ProcessEnv;
  readonly onNote?: ((note: string) => void) | undefined;
  /** Takes sentences about what a person may want to change before any run. */
  readonly onAdvice?: ((sentence: string) => void) | undefined;
}

/** Parameters of one call of the black box, by the names of its outputs. */
export interface CallOptions {
  readonly names: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  readonly fits: ReadonlyMap<string, Fit>;
  readonly curves: readonly CurvePlace[];
  /** Whether it is about all outputs of the problem. */
  readonly isWhole: boolean;
  /** Outputs of other calls. */
  readonly otherOutputs?: readonly string[];
  /** Values of its inputs that are written for a look before any run. */
  readonly trials?: readonly Trial[];
}

export interface OpenBlackBox {
  /** Throws LocalFault, which says what to change, where a call cannot work here. */
  call(options: CallOptions): Promise<Evaluate>;
  /** Call it when no evaluation runs any more. */
  close(): Promise<void>;
}
