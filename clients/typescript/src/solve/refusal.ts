/** Refusals of the service in the words of the door through which a problem came. */
import { BacksolveError } from '../backsolve-error.ts';
import { type Door, type GivenNames, lineOf, sayViolation } from '../front-doors.ts';

interface SentFit {
  readonly name?: string | null | undefined;
  readonly outputs?: readonly unknown[] | null | undefined;
}

interface Bodies {
  readonly project?: {
    readonly inputNames?: readonly string[] | null | undefined;
    readonly outputNames?: readonly string[] | null | undefined;
    readonly sources?: readonly { readonly name: string }[] | null | undefined;
  };
  readonly objectives?: readonly {
    readonly objectives?: unknown;
    readonly fits?: readonly SentFit[] | null | undefined;
  }[];
}

/**
 * Names that the bodies of a problem give its inputs and outputs.
 *
 * @param set  the objective that is meant
 */
export function namesIn(door: Door, { project = {}, objectives = [] }: Bodies, set = 0): GivenNames {
  const { inputNames, outputNames, sources } = project;
  const objective = objectives[set];
  const fits = objective?.fits ?? [];
  const fitOf = (j: number) => fits.find((fit) => fit.outputs?.includes(j))?.name;
  // The points of a fit have no names in a file.
  const outputs = (outputNames ?? []).map((name, j) => (door === 'file' ? fitOf(j) : undefined) ?? name);
  const targets = Array.isArray(objective?.objectives) ? (objective.objectives as readonly unknown[]) : [];
  return {
    inputs: inputNames ?? [],
    outputs,
    fits: fits.map(({ name }, k) => name ?? `data set ${k + 1}`),
    sources: (sources ?? []).map(({ name }) => name),
    open: outputs.filter((_, j) => targets[j] === null),
    hasSets: objectives.length > 1,
  };
}

/** Resolves to the result of `work`. A refusal names what is wrong in the words of the door, each fault once. */
export async function saidBy<Answer>(
  door: Door,
  body: '/model' | '/project' | '/batch' | '/run',
  bodies: Bodies,
  work: Promise<Answer>,
): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof BacksolveError && error.violations.length > 0 ? inWords(door, body, bodies, error) : error;
  }
}

function inWords(door: Door, body: string, bodies: Bodies, error: BacksolveError): BacksolveError {
  const said = error.violations.map((violation) => {
    const set = Number(/^\/objectives\/(\d+)\//.exec(violation.pointer)?.[1] ?? 0);
    const { place, message } = sayViolation(door, namesIn(door, bodies, set), body, violation);
    return { property: place, pointer: violation.pointer, message };
  });
  const lines = [...new Set(said.map(({ property, message }) => lineOf({ place: property, message })))];
  const detail = lines.length === 1 ? lines[0]! : `The problem has ${lines.length} faults:\n${lines.join('\n')}`;
  const { code, status, instance, retryAfterSeconds, requestId } = error;
  const Class = error.constructor as typeof BacksolveError;
  return new Class({ code, status, detail, instance, violations: said, retryAfterSeconds, requestId });
}
