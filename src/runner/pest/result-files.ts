/** Results as PEST writes them: .par with the values of all parameters, and .rei with the residuals of all observations. */
import type { PestControl } from './control.ts';
import { valueOfPrior } from './prior-information.ts';

/** @param values  of all parameters, without SCALE and OFFSET */
export function formatParameterFile({ parameters }: PestControl, values: ReadonlyMap<string, number>): string {
  const width = widest(parameters.map(({ name }) => name));
  const rows = parameters.map(
    ({ name, scale, offset }) =>
      ` ${name.padEnd(width)}  ${[values.get(name)!, scale, offset].map(toColumn).join('  ')}`,
  );
  return ['single point', ...rows, ''].join('\n');
}

/**
 * Observations without a modelled value are left out.
 *
 * @param run  the name of the run
 */
export function formatResidualFile(
  control: PestControl,
  run: string,
  values: ReadonlyMap<string, number>,
  modelled: ReadonlyMap<string, number>,
): string {
  const measured = control.observations.flatMap(({ name, group, value, weight }) => {
    const found = modelled.get(name);
    return found === undefined ? [] : [{ name, group, value, found, weight }];
  });
  const priors = control.priors.map((prior) => ({ ...prior, found: valueOfPrior(prior, values) }));
  const rows = [...measured, ...priors];
  const [names, groups] = [widest(rows.map(({ name }) => name)), widest(rows.map(({ group }) => group))];
  const titles = ['Measured', 'Modelled', 'Residual', 'Weight'].map((title) => title.padStart(COLUMN));
  return [
    // The first line with the word in the next comment begins the table for readers of these files: "name".
    ` MODEL OUTPUTS OF THE BEST RUN OF BACKSOLVE, ${run.toUpperCase()}:-`,
    '',
    ` ${'Name'.padEnd(names)}  ${'Group'.padEnd(groups)}  ${titles.join('  ')}`,
    ...rows.map(({ name, group, value, found, weight }) => {
      const numbers = [value, found, value - found, weight].map(toColumn);
      return ` ${name.padEnd(names)}  ${group.padEnd(groups)}  ${numbers.join('  ')}`;
    }),
    '',
  ].join('\n');
}

const COLUMN = 24;

/** With all digits, and two of the exponent at least. */
function toColumn(value: number): string {
  return value
    .toExponential(16)
    .replace(/e([+-])(\d)$/, 'e$10$2')
    .toUpperCase()
    .padStart(COLUMN);
}

function widest(names: readonly string[]): number {
  return Math.max(12, ...names.map((name) => name.length));
}
