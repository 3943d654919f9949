/** Passes parameters and condition to the simulator of a PEtab problem and reads simulated values. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Expected, type Reading, readDocument } from '../files/exchange.ts';
import { readRegularFile } from '../files/read-file.ts';
import { type OutputReader, whatIsWrong } from '../files/read-output.ts';
import type { InputValues } from '../files/template.ts';
import type { FileTemplate } from '../files/work-folder.ts';
import { PetabError } from './petab-error.ts';
import {
  isSameCondition,
  type PetabMeasurement,
  type PetabProblem,
  type PetabSet,
  transform,
} from './petab-problem.ts';
import { formatPetabTable, numberOfCell, type PetabRow, parsePetabTable } from './table.ts';

/** A table like that of the measurements, with a column of simulated values. */
const SIMULATIONS = 'simulations.tsv';

/** Values that a simulator gets besides the inputs: all parameters, the ids of the condition, and its values. */
export function toldTo(problem: PetabProblem, input: InputValues): InputValues {
  const values = new Map<string, number | string | boolean>();
  for (const { id, nominal } of problem.parameters) if (nominal !== undefined) values.set(id, nominal);
  for (const [name, value] of Object.entries(input)) values.set(name, value);
  const condition = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));
  for (const [name, cell] of problem.conditionValues(condition)) {
    const number = Number(cell);
    values.set(name, Number.isFinite(number) ? number : (values.get(cell) ?? cell));
  }
  return Object.fromEntries(values);
}

/** All names that a simulator may be told, under any condition. */
export function namesTold({ parameters, sets, conditionValues }: PetabProblem): readonly string[] {
  const ofConditions = sets.flatMap(({ condition }) => [
    ...Object.keys(condition),
    ...conditionValues(condition).keys(),
  ]);
  return [...new Set([...parameters.map(({ id }) => id), ...ofConditions])];
}

/** The tables of the problem, with the values of this run and the measurements of this condition alone. */
export function tablesOf({ parameterTable, measurementTables, sets }: PetabProblem): readonly FileTemplate[] {
  const mode = 0o644;
  const parameters = {
    check: () => undefined,
    render: (input: InputValues) => toBytes(formatPetabTable(withValues(parameterTable, (id) => input[id]))),
  };
  const measurements = measurementTables.map((table) => ({
    target: table.file,
    mode,
    template: {
      check: () => undefined,
      render: (input: InputValues) => {
        const own = new Set(
          sets
            .filter(({ condition }) => isSameCondition(condition, input))
            .flatMap((set) => set.measurements.map(({ row }) => row)),
        );
        return toBytes(formatPetabTable({ ...table, rows: table.rows.filter((row) => own.has(row)) }));
      },
    },
  }));
  return [{ target: parameterTable.file, mode, template: parameters }, ...measurements];
}

/** The parameter table with other nominal values. */
export function withValues(
  { titles, rows }: PetabProblem['parameterTable'],
  nominalOf: (id: string) => number | string | boolean | undefined,
): Pick<PetabProblem['parameterTable'], 'titles' | 'rows'> {
  return {
    titles: titles.includes('nominalValue') ? titles : [...titles, 'nominalValue'],
    rows: rows.map(({ where, cells }) => {
      const value = nominalOf(cells.get('parameterId')!);
      return { where, cells: value === undefined ? cells : new Map([...cells, ['nominalValue', String(value)]]) };
    }),
  };
}

/** Texts of templates have each byte as one character. */
function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Values come from the table of simulations, or, where there is none, from the last line that the simulator printed. */
export function simulationReader(problem: PetabProblem): OutputReader {
  return {
    removes: [SIMULATIONS, 'stdout.log'],
    check: () => undefined,
    async read(folder, expected): Promise<Reading> {
      const bytes = await readRegularFile(path.join(folder, SIMULATIONS)).catch((error: Error) => error);
      if (!(bytes instanceof Error)) return readSimulations(problem, bytes.toString('utf8'), expected);
      if ((bytes as NodeJS.ErrnoException).code !== 'ENOENT') {
        return { kind: 'unreadable', reason: `${SIMULATIONS}: ${whatIsWrong(bytes)}` };
      }
      const printed = await readFile(path.join(folder, 'stdout.log'), 'utf8').catch(() => '');
      const line = printed.trimEnd().split('\n').at(-1)!;
      if (line === '') {
        return { kind: 'unreadable', reason: `the command left no ${SIMULATIONS} and printed nothing` };
      }
      const reading = readDocument(line, expected, 'the last line of standard output');
      return reading.kind === 'output' ? transformed(problem, reading.output, expected) : reading;
    },
  };
}

function setsOf({ sets }: PetabProblem, { names, input = {} }: Expected): readonly (PetabSet | undefined)[] {
  return names.map((name) => sets.find((set) => set.observable === name && isSameCondition(set.condition, input)));
}

function transformed(problem: PetabProblem, output: readonly number[], expected: Expected): Reading {
  const transformations = expected.names.flatMap((name, i) => {
    const count = expected.fits?.get(name)?.values.length ?? 1;
    return Array<PetabSet['transformation']>(count).fill(setsOf(problem, expected)[i]?.transformation ?? 'lin');
  });
  return finite(output.map((value, k) => transform(value, transformations[k]!)));
}

function finite(output: readonly number[]): Reading {
  if (output.every(Number.isFinite)) return { kind: 'output', output };
  return { kind: 'failed', reason: 'a simulated value is not positive, or not finite, and its logarithm is compared' };
}

function readSimulations(problem: PetabProblem, text: string, expected: Expected): Reading {
  try {
    const { rows } = parsePetabTable(text, SIMULATIONS, ['observableId', 'time', 'simulation']);
    const output: number[] = [];
    for (const [i, set] of setsOf(problem, expected).entries()) {
      if (set === undefined) {
        const reason = `${expected.names[i]} is no observable of the PEtab problem, so ${SIMULATIONS} cannot have it`;
        return { kind: 'unreadable', reason };
      }
      const own = rows.filter(({ cells }) => cells.get('observableId') === set.observable && isOfCondition(cells, set));
      const positions = expected.fits?.get(set.observable)?.positions ?? set.measurements.map((_, k) => k);
      const values = simulatedValues(set, own);
      output.push(...positions.map((k) => transform(values[k]!, set.transformation)));
    }
    return finite(output);
  } catch (error) {
    if (error instanceof PetabError) return { kind: 'unreadable', reason: error.message.replace(/\.$/, '') };
    throw error;
  }
}

/** A table may leave the condition out, since a simulator is asked for one alone. */
function isOfCondition(cells: PetabRow['cells'], { condition }: PetabSet): boolean {
  return Object.entries(condition).every(([title, id]) => (cells.get(title) ?? id) === id);
}

/** For each measurement the row of its time; for several of one time as many rows in their order, or one for all. */
function simulatedValues({ observable, measurements }: PetabSet, rows: readonly PetabRow[]): readonly number[] {
  const byTime = Map.groupBy(rows, (row) => timeKey(numberOfCell(row, 'time')));
  const taken = new Map<string, number>();
  return measurements.map(({ time }: PetabMeasurement) => {
    const key = timeKey(time);
    const own = byTime.get(key) ?? [];
    const k = taken.get(key) ?? 0;
    taken.set(key, k + 1);
    const row = own[Math.min(k, own.length - 1)];
    if (row === undefined) throw new PetabError(`${SIMULATIONS} has no row for ${observable} at time ${time}.`);
    return numberOfCell(row, 'simulation') ?? Number.NaN;
  });
}

/** Times that were printed and read again. */
function timeKey(time: number | undefined): string {
  return time === undefined ? '' : time.toPrecision(9);
}
