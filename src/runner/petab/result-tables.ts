/** Results as PEtab has them: the parameter table with the estimates, and a simulation table with the values of the best run. */
import type { InputValues } from '../files/template.ts';
import { nameOfSet, type PetabProblem, type PetabSet, transform } from './petab-problem.ts';
import { withValues } from './simulator.ts';
import { formatPetabTable } from './table.ts';

/** Transformed values of each data set at its points, by the name of the output. */
export type SimulatedSets = Readonly<Record<string, number | readonly number[]>>;

/** A noise parameter that was estimated with a fit is the root mean square of its residuals, by its factor, within its bounds. */
export function formatEstimates(problem: PetabProblem, input: InputValues, outputs: SimulatedSets): string {
  const noise = new Map<string, number>();
  for (const { id, lower = 0, upper = Number.POSITIVE_INFINITY } of problem.parameters) {
    const residuals = problem.sets.flatMap((set) => {
      if (!('parameter' in set.noise) || set.noise.parameter !== id) return [];
      const { factor } = set.noise;
      return residualsOf(set, outputs[nameOfSet(set, problem)]).map((residual) => residual / factor);
    });
    if (residuals.length === 0) continue;
    const spread = Math.sqrt(residuals.reduce((sum, one) => sum + one * one, 0) / residuals.length);
    noise.set(id, Math.min(upper, Math.max(lower, spread)));
  }
  return formatPetabTable(withValues(problem.parameterTable, (id) => input[id] ?? noise.get(id)));
}

function residualsOf({ measurements, transformation }: PetabSet, simulated: SimulatedSets[string] | undefined) {
  if (simulated === undefined || typeof simulated === 'number') return [];
  if (simulated.length !== measurements.length) return [];
  return measurements.map(({ value }, k) => transform(value, transformation) - simulated[k]!);
}

/** The rows of the measurement tables, in their order, with simulated values in place of measured ones. */
export function formatSimulations(problem: PetabProblem, outputs: SimulatedSets): string {
  const found = new Map(
    problem.sets.flatMap((set) => {
      const simulated = outputs[nameOfSet(set, problem)];
      if (simulated === undefined || typeof simulated === 'number') return [];
      return set.measurements.map(({ row }, k) => [row, inverse(simulated[k]!, set.transformation)] as const);
    }),
  );
  const titles = [...new Set(problem.measurementTables.flatMap((table) => table.titles))];
  return formatPetabTable({
    titles: titles.map((title) => (title === 'measurement' ? 'simulation' : title)),
    rows: problem.measurementTables
      .flatMap((table) => table.rows)
      .filter((row) => found.has(row))
      .map((row) => ({ where: row.where, cells: new Map([...row.cells, ['simulation', String(found.get(row)!)]]) })),
  });
}

function inverse(value: number, transformation: PetabSet['transformation']): number {
  if (transformation === 'lin') return value;
  return transformation === 'log' ? Math.exp(value) : 10 ** value;
}
