/** Passes the parameters of a PEST case to its model and reads its observations. */
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Reading, toOutput } from '../files/exchange.ts';
import { readRegularFile } from '../files/read-file.ts';
import { type OutputReader, whatIsWrong } from '../files/read-output.ts';
import type { InputValues, WrittenPlace } from '../files/template.ts';
import type { FileTemplate } from '../files/work-folder.ts';
import type { PestCase } from './case.ts';
import { followInstructions } from './follow-instructions.ts';
import { modelValues, parameterValues } from './parameter-values.ts';
import { PestFileError } from './pest-error.ts';
import type { PestTemplate } from './template-file.ts';

/** The PEST names of a search's inputs and outputs. */
export interface PestNames {
  /** The parameter of each input. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The observations of each output: those of a group for a fit, else one. */
  readonly observations: ReadonlyMap<string, readonly string[]>;
  /** Outputs whose limits are fitted, too. */
  readonly fitsLimits?: ReadonlySet<string>;
}

/** The values of all parameters, without SCALE and OFFSET. A condition of a fit may have the name of a parameter. */
export function valuesOfInput(
  { control }: PestCase,
  { parameters }: PestNames,
  input: InputValues,
): ReadonlyMap<string, number> {
  const varied = Object.entries(input).map(([name, value]) => {
    return [parameters.get(name) ?? name.toLowerCase(), Number(value)] as const;
  });
  return parameterValues(control, new Map(varied));
}

export function inputFilesOf(pestCase: PestCase, names: PestNames): readonly FileTemplate[] {
  return pestCase.templates.map(({ template, target, mode }) => ({
    target,
    mode,
    template: {
      // The case was checked as a whole.
      check: () => undefined,
      render: (input) => template.render(modelValues(pestCase.control, valuesOfInput(pestCase, names, input))),
      places: (inputs) => inputs.flatMap((input) => placesOf(pestCase, names, template, input)),
    },
  }));
}

/** Positions in a template of the parameter of an input and of those that are tied to it. */
function placesOf(
  pestCase: PestCase,
  names: PestNames,
  { widths, origin, write }: PestTemplate,
  input: string,
): readonly WrittenPlace[] {
  const { parameters } = pestCase.control;
  const own = names.parameters.get(input);
  const moved = parameters.filter(({ name, parent }) => widths.has(name) && (name === own || parent === own));
  return moved.map(({ name }) => {
    const toWritten = (value: number) =>
      modelValues(pestCase.control, valuesOfInput(pestCase, names, { [input]: value }))[name]!;
    return {
      label: `${origin}: the space of ${name} (${widths.get(name)} characters)`,
      input,
      toWritten,
      write: (value) => write(name, toWritten(Number(value))),
    };
  });
}

/** @param record  a file that gets the observations of each run, also those that are not fitted; null for none */
export function observationReader(pestCase: PestCase, names: PestNames, record: string | null): OutputReader {
  const { instructions, control } = pestCase;
  const delimiters = control.options.get('additional_ins_delimiters') ?? '';
  return {
    removes: instructions.map(({ output }) => output),
    check: () => undefined,
    async read(folder, expected): Promise<Reading> {
      const found = new Map<string, number>();
      for (const { file, output } of instructions) {
        const text = await readRegularFile(path.join(folder, output)).then(
          (bytes) => bytes.toString('latin1'),
          (error: NodeJS.ErrnoException) => error,
        );
        if (text instanceof Error) return { kind: 'unreadable', reason: `${output}: ${whatIsWrong(text)}` };
        try {
          for (const [name, value] of followInstructions(file, text, output, { delimiters })) found.set(name, value);
        } catch (error) {
          if (error instanceof PestFileError) return { kind: 'unreadable', reason: error.message };
          throw error;
        }
      }
      const values = expected.names.map((name) => {
        const own = names.observations.get(name)!.map((observation) => found.get(observation) ?? null);
        return expected.fits?.has(name) === true ? own : own[0];
      });
      const reading = toOutput(values, expected, 'the model output');
      if (reading.kind === 'output' && record !== null)
        await remember(record, expected.input ?? {}, control.observations, found);
      return reading;
    },
  };
}

async function remember(
  record: string,
  input: InputValues,
  observations: readonly { readonly name: string }[],
  found: ReadonlyMap<string, number>,
): Promise<void> {
  const modelled = observations.map(({ name }) => found.get(name) ?? null);
  // A full disk loses only the observations that are not fitted.
  await appendFile(record, `${JSON.stringify({ input, modelled })}\n`).catch(() => undefined);
}

/** The observations of the run with this input by their names, as far as they were recorded. */
export async function recall(
  record: string,
  input: InputValues,
  observations: readonly { readonly name: string }[],
): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(record, 'utf8').catch(() => '');
  const line = text.split('\n').findLast((one) => isOf(one, input));
  if (line === undefined) return new Map();
  const { modelled } = JSON.parse(line) as { readonly modelled: readonly (number | null)[] };
  if (modelled.length !== observations.length) return new Map();
  return new Map(observations.flatMap(({ name }, i) => (modelled[i] === null ? [] : [[name, modelled[i]!] as const])));
}

/** A line may be cut off where the process was killed. */
function isOf(line: string, input: InputValues): boolean {
  const wanted = JSON.stringify({ input }).slice(0, -1);
  return line.startsWith(`${wanted},`) && line.endsWith('}');
}
