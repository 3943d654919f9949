/** `fmu: model.fmu`: a functional mock-up unit (FMI 2 and 3), simulated once for each run by FMPy, in a process of its own. */
import path from 'node:path';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { ValueReader } from '../files/value-reader.ts';
import type { Value } from '../files/yaml-values.ts';
import {
  type BlackBox,
  type BlackBoxKind,
  type CallOptions,
  type Fields,
  namedFiles,
  type Surroundings,
} from './black-box.ts';
import { conditionsIn, entriesOf, fitOf, mapIn, textIn } from './named-fields.ts';
import { SIGN_KEYS } from './output-signs.ts';
import { describeByProgram, openProgram, type ProgramOptions } from './python-program.ts';

export const fmu: BlackBoxKind = {
  key: 'fmu',
  example: 'model.fmu',
  keys: ['fmu', 'python', ...SIGN_KEYS],
  inputKeys: ['variable'],
  outputKeys: ['variable', 'at'],
  describe: async (fields, where) => {
    const { file, experiment, parameters, python } = readStatement(new ValueReader(), fields);
    const conditions = conditionsIn(fields);
    const hasData = mapIn(fields.get('outputs')).some(([, own]) => own.has('fit'));
    const settings = { ...settingsOf(file, fields, where), experiment, parameters, conditions, hasData };
    return describeByProgram(optionsOf(file, python, settings), where);
  },
  read: (reader, fields) => {
    refuseTimes(reader, fields);
    return toBlackBox(readStatement(reader, fields), fields);
  },
};

type Parameters = Readonly<Record<string, number | string | boolean>>;

interface Statement {
  /** As the file names it. */
  readonly file: string;
  readonly experiment: {
    readonly start: number | null;
    readonly stop: number | null;
    readonly step: number | null;
    readonly tolerance: number | null;
    readonly solver: string | null;
    readonly type: string | null;
  };
  /** Variables that are no inputs of the problem, with their values. */
  readonly parameters: Parameters;
  readonly python: string | null;
}

const KEYS = ['file', 'startTime', 'stopTime', 'stepSize', 'tolerance', 'solver', 'type', 'parameters'];

function readStatement(reader: ValueReader, fields: Fields): Statement {
  const value = fields.get('fmu')!;
  const stated = value.kind === 'map' ? reader.fields(value, ['fmu'], KEYS) : new Map([['file', value]]);
  const file = stated?.get('file');
  if (file === undefined) reader.refuse(value.at, ['fmu', 'file'], 'is required: the name of the FMU.');
  const number = (key: string) => {
    const sent = stated?.get(key);
    return sent === undefined ? null : (reader.number(sent, ['fmu', key]) ?? null);
  };
  const positive = (key: string) => {
    const read = number(key);
    if (read !== null && read <= 0) reader.refuse(stated!.get(key)!.at, ['fmu', key], 'must be more than 0.');
    return read;
  };
  const word = <T extends string>(key: string, words: readonly T[]) => {
    const sent = stated?.get(key);
    return sent === undefined ? null : (reader.word(sent, ['fmu', key], words) ?? null);
  };
  const python = fields.get('python');
  return {
    file: file === undefined ? '' : (reader.text(file, ['fmu'], 'the name of an FMU, such as model.fmu') ?? ''),
    experiment: {
      start: number('startTime'),
      stop: number('stopTime'),
      step: positive('stepSize'),
      tolerance: positive('tolerance'),
      solver: word('solver', ['CVode', 'Euler']),
      type: word('type', ['co-simulation', 'model-exchange']),
    },
    parameters: readParameters(reader, stated?.get('parameters')),
    python: python === undefined ? null : (reader.text(python, ['python'], 'the name of a Python') ?? null),
  };
}

function readParameters(reader: ValueReader, value: Value | undefined): Parameters {
  const path = ['fmu', 'parameters'];
  const entries = value && reader.entries(value, path, 'a map from variables to values');
  const read = [...(entries ?? [])].map(([name, { value: one }]) => {
    if (one.kind === 'text') return [name, one.text];
    return [name, one.kind === 'boolean' ? one.boolean : reader.number(one, [...path, name])];
  });
  return Object.fromEntries(read) as Parameters;
}

/** The variable of each input, and of each output the variable and time; by the names that runs are asked for. */
function settingsOf(file: string, fields: Fields, { home }: Pick<Surroundings, 'home'>) {
  const inputs = mapIn(fields.get('inputs')).map(([name, own]) => [name, { variable: variableOf(own) ?? name }]);
  const outputs = mapIn(fields.get('outputs')).map(([goal, own]) => {
    const name = textIn(fitOf(own), 'output') ?? goal;
    const at = own.get('at');
    return [name, { variable: variableOf(own) ?? name, at: at?.kind === 'number' ? at.number : null }];
  });
  return {
    file: path.resolve(home, file),
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
  };
}

function variableOf(own: Fields): string | undefined {
  return textIn(own, 'variable');
}

function refuseTimes(reader: ValueReader, fields: Fields): void {
  const stated = entriesOf(fields.get('fmu'));
  const [start, stop] = [stated.get('startTime'), stated.get('stopTime')];
  for (const [name, own] of mapIn(fields.get('outputs'))) {
    const at = own.get('at');
    const place = ['outputs', name, 'at'];
    if (at === undefined) continue;
    if (own.has('fit')) reader.refuse(at.at, place, 'cannot go with fit, whose data have their times.');
    const time = reader.number(at, place);
    if (time === undefined) continue;
    if (stop?.kind === 'number' && time > stop.number) {
      reader.refuse(at.at, place, `must not be after the stopTime of the FMU, ${stop.number}.`);
    }
    if (start?.kind === 'number' && time < start.number) {
      reader.refuse(at.at, place, `must not be before the startTime of the FMU, ${start.number}.`);
    }
  }
  for (const [section, name, own] of ['inputs', 'outputs'].flatMap((one) =>
    mapIn(fields.get(one)).map(([name, own]) => [one, name, own] as const),
  )) {
    const variable = own.get('variable');
    if (variable !== undefined) reader.text(variable, [section, name, 'variable'], 'the name of a variable of the FMU');
  }
}

function toBlackBox({ file, experiment, parameters, python }: Statement, fields: Fields): BlackBox {
  const identity = { ...settingsOf(file, fields, { home: '/' }), file, experiment, parameters };
  return {
    key: 'fmu',
    identity: ['fmu', identity],
    record: { fmu: identity },
    files: async (where) => namedFiles([file], where),
    open: (where) => {
      const settings = { ...settingsOf(file, fields, where), experiment, parameters };
      const box = openProgram(optionsOf(file, python, settings), where);
      return { ...box, call: async (options) => box.call(refuseCurves(options, experiment)) };
    },
  };
}

/** Throws LocalFault for data that the simulation does not reach. */
function refuseCurves(options: CallOptions, { start, stop }: Statement['experiment']): CallOptions {
  for (const [name, { x }] of options.fits) {
    if (x === null) throw new LocalFault(`The data of ${name} need x: the times at which they were measured.`);
    const [first, last] = [Math.min(...x), Math.max(...x)];
    if (start !== null && first < start) {
      throw new LocalFault(`The data of ${name} begin at ${first}, before the startTime ${start}.`);
    }
    if (stop !== null && last > stop) {
      throw new LocalFault(`The data of ${name} go to ${last}, beyond the stopTime ${stop}.`);
    }
  }
  return options;
}

function optionsOf(file: string, python: string | null, settings: ProgramOptions['settings']): ProgramOptions {
  return { kind: 'fmu', name: path.basename(file), python, settings };
}
