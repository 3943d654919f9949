/** Everything that is wrong with a problem file, at its place: what the file alone tells, and what the service would refuse. */
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Violation } from '../../clients/typescript/src/index.ts';
import type { KnownRun } from '../../clients/typescript/src/solve/plan.ts';
import type { Surroundings } from './black-box/black-box.ts';
import { describeBlackBox } from './black-box/kinds.ts';
import { readRegularFile } from './files/read-file.ts';
import type { FileViolation, Position } from './files/yaml-values.ts';
import { dataFilesIn } from './output-keys.ts';
import type { Problem } from './problem.ts';
import { inFileWords, type ProblemBodies, toBodies } from './problem-bodies.ts';
import { readProblem, sortByPlace } from './problem-file.ts';

type ServiceViolation = Pick<Violation, 'pointer' | 'message' | 'parts'>;

/** The rules of the service, whose code the runner does not import. */
export type CheckDefinition = (definition: ProblemBodies & { readonly known: Uint8Array | null }) => Promise<{
  readonly violations: readonly ServiceViolation[];
  readonly designedCount: number;
  readonly feasibleInput: readonly number[] | null;
  readonly isStartInside: boolean;
  readonly known: readonly KnownRun[];
}>;

export interface CheckedProblem {
  readonly problem: Problem;
  readonly bodies: ProblemBodies;
  readonly known: readonly KnownRun[];
  /** Cases that will be designed and run first; 0 where known runs take their place. */
  readonly designedCount: number;
  /** Whether the start keeps the constraints, so that it may be the answer. */
  readonly isStartInside: boolean;
  /** Notes of the black box about itself. */
  readonly notes: readonly string[];
  /** Absolute. */
  readonly file: string;
  /** Returns the position of a path such as ['inputs', 'length', 'step']. */
  positionOf(path: readonly string[]): Position;
}

/** The file cannot be used; `violations` are in the order of the file. */
export class ProblemFileError extends Error {
  readonly violations: readonly FileViolation[];

  constructor(file: string, violations: readonly FileViolation[]) {
    super(violations.map((violation) => formatViolation(file, violation)).join('\n'));
    this.name = 'ProblemFileError';
    this.violations = violations;
  }
}

/** `bracket.yaml:12:5: inputs.length.step: must be ...` */
function formatViolation(file: string, { position, key, message }: FileViolation): string {
  const subject = key === '' ? '' : `${key}: `;
  return `${file}:${position.line}:${position.column}: ${subject}${message}`;
}

/**
 * @param file  as the user named it; messages repeat it
 * @param changed  what replaces fields of the file
 * @param where  for a black box that is asked what it is
 *
 * Throws ProblemFileError with all violations.
 */
export async function checkProblemFile(
  file: string,
  changed: Partial<Pick<Problem, 'jobs' | 'maximumRuns'>>,
  checkDefinition: CheckDefinition,
  where: Surroundings = { home: path.dirname(file), workFolder: tmpdir(), environment: {} },
): Promise<CheckedProblem> {
  const text = await readText(file);
  const described = await describeBlackBox(text, where);
  const {
    problem: written,
    violations,
    positionOf,
  } = readProblem(text, path.parse(file).name, await readData(file, text), described);
  if (written === undefined) throw new ProblemFileError(file, withoutUnknown(violations, described.unknown ?? []));
  const problem = { ...written, ...changed };
  const knownBytes =
    problem.known === null ? null : await readKnownFile(path.resolve(path.dirname(file), problem.known));
  const found: FileViolation[] = [];
  const refuse = (key: readonly string[], message: string) =>
    found.push({ position: positionOf(key), key: key.join('.'), message });
  if (typeof knownBytes === 'string') refuse(['known'], knownBytes);
  const known = typeof knownBytes === 'string' ? null : knownBytes;
  const stated = toBodies(problem);
  const checked = await checkDefinition({ ...stated, known });
  for (const violation of checked.violations) {
    const { key, message } = inFileWords(stated, violation);
    refuse(key, message);
  }
  const hasKnown = checked.known.some((run) => run.isInside && run.output !== null);
  if (checked.known.length > 0 && !hasKnown) {
    refuse(['known'], 'needs a successful run within the bounds and the constraints.');
  }
  const designedCount = hasKnown ? 0 : checked.designedCount;
  const first = designedCount + (problem.start === null ? 0 : 1);
  if (problem.maximumRuns !== null && designedCount > 0 && problem.maximumRuns <= first) {
    const advice = problem.cases === null ? 'raise it, or lower cases' : 'raise it or lower cases';
    refuse(['maximumRuns'], `must be more than the ${first} runs that come before the search; ${advice}.`);
  }
  if (found.length > 0) throw new ProblemFileError(file, sortByPlace(withoutRepeats(found)));
  const { feasibleInput, isStartInside } = checked;
  const bodies = feasibleInput === null ? stated : { ...stated, project: { ...stated.project, feasibleInput } };
  const notes = [...(described.notes ?? []), ...noteOfSharedFolder(problem)];
  return {
    ...{ problem, bodies, known: checked.known, designedCount, isStartInside, notes },
    file: path.resolve(file),
    positionOf,
  };
}

function noteOfSharedFolder({ jobs, blackBox, fits }: Problem): readonly string[] {
  if (jobs === 1 || blackBox.sharesFolder !== true || fits.some(({ read }) => read !== null)) return [];
  return [
    `${jobs} runs at a time run in one folder. If the program writes files, state workFolder: true, which gives each run a folder of its own, ` +
      'and the files that it reads as copies; workFolder: false states that it writes none.',
  ];
}

/** A black box that could not be asked may know what inputs or outputs lack. */
function withoutUnknown(violations: readonly FileViolation[], sections: readonly string[]): readonly FileViolation[] {
  return violations.filter(({ key }) => !sections.includes(key.split('.')[0]!));
}

/** Several target sets share what their outputs state. */
function withoutRepeats(violations: readonly FileViolation[]): readonly FileViolation[] {
  return [...new Map(violations.map((one) => [JSON.stringify(one), one])).values()];
}

const MAXIMUM_PROBLEM_BYTES = 16 * 1024 * 1024;

async function readText(file: string): Promise<string> {
  const bytes = await readRegularFile(file, MAXIMUM_PROBLEM_BYTES).catch((error: NodeJS.ErrnoException) => {
    throw new ProblemFileError(file, [atStart(COMPLAINTS[error.code ?? ''] ?? describeFault(error))]);
  });
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new ProblemFileError(file, [atStart('must be text in UTF-8.')]);
  return text.replace(/^\uFEFF/, '');
}

const COMPLAINTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; `backsolve init` writes a problem file.',
  EACCES: 'may not be read by this user.',
};

function atStart(message: string): FileViolation {
  return { position: { line: 1, column: 1 }, key: '', message };
}

function describeFault(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'does not exist.';
  return error.code === undefined ? `${error.message}.` : `cannot be read: ${error.message}.`;
}

/** The bytes, or why there are none. */
async function readKnownFile(file: string): Promise<Uint8Array | string> {
  return readRegularFile(file).catch(describeFault);
}

/** The files with data of fits: their texts, or why there are none. */
async function readData(file: string, text: string): Promise<ReadonlyMap<string, string | Error>> {
  const read = async (name: string): Promise<readonly [string, string | Error]> => {
    const bytes = await readRegularFile(path.resolve(path.dirname(file), name)).catch((error: Error) => error);
    return [name, bytes instanceof Error ? new Error(`${name}: ${describeFault(bytes)}`) : bytes.toString('utf8')];
  };
  return new Map(await Promise.all(dataFilesIn(text).map(read)));
}
