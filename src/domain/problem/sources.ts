/**
 * The sources of a project: cheaper versions of its black box, such as a coarse mesh, each with the cost of a run in runs of the fine
 * one. Only the fine one counts: runs of the others are data for the models, and never a solution, the best or the nearest run.
 */
import { makeViolation, type Violation } from '../errors.ts';

export interface Source {
  readonly name: string;
  /** Cost of a run, in runs of the fine source. */
  readonly cost: number;
}

export const MAXIMUM_SOURCES = 4;
/** The name of the source that counts, which no other source may have. */
export const FINE = 'fine';

/** Faults of the names; the schema has checked everything else. */
export function checkSources(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap(({ name }, k) => {
    if (name === FINE) return [makeViolation(['sources', k, 'name'], `must not be ${FINE}, the source that counts.`)];
    const isRepeated = sources.findIndex((one) => one.name === name) < k;
    return isRepeated ? [makeViolation(['sources', k, 'name'], `must not repeat ${name}.`)] : [];
  });
}

/** The names of the cheaper sources of a project. */
export function sourceNames(sources: readonly Source[] | null): ReadonlySet<string> {
  return new Set((sources ?? []).map(({ name }) => name));
}

export function isCoarse({ source }: { readonly source: string | null }): boolean {
  return source !== null;
}

/** Faults of the source of added cases: it must be one of the project's sources. */
export function checkCaseSource(sources: readonly Source[] | null, source: string | null): readonly Violation[] {
  if (sources === null || source === null || source === FINE || sources.some(({ name }) => name === source)) return [];
  const names = [FINE, ...sources.map(({ name }) => name)].join(', ');
  return [
    makeViolation(['source'], `must be one of ${names}: the project has sources, so it says which one made the cases.`),
  ];
}
