/** `spreadsheet: model.xlsx`: a workbook, whose formulas are calculated for each run. The file itself is never written. */
import path from 'node:path';
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { ValueReader } from '../files/value-reader.ts';
import {
  type BlackBox,
  type BlackBoxKind,
  type CallOptions,
  type Described,
  type Fields,
  namedFiles,
  type Surroundings,
} from './black-box.ts';
import { conditionsIn, entriesOf, fitOf, mapIn, textIn } from './named-fields.ts';
import { SIGN_KEYS } from './output-signs.ts';
import { describeByProgram, openProgram, type ProgramOptions } from './python-program.ts';

export const spreadsheet: BlackBoxKind = {
  key: 'spreadsheet',
  example: 'model.xlsx',
  keys: ['spreadsheet', 'python', ...SIGN_KEYS],
  inputKeys: ['cell'],
  outputKeys: ['cell'],
  describe: async (fields, where) => {
    const statement = readStatement(new ValueReader(), fields);
    return describeByProgram(optionsOf(statement, settingsOf(statement, fields, where)), where);
  },
  read: (reader, fields, described) => {
    const sizes = sizesOf(described);
    refuseCells(reader, fields, sizes);
    return toBlackBox(readStatement(reader, fields), fields, sizes);
  },
};

interface Statement {
  /** As the file names it. */
  readonly file: string;
  readonly engine: string;
  /** The cells of conditions of fits. */
  readonly conditions: Readonly<Record<string, string>>;
  readonly python: string | null;
}

/** Number of cells of each output. */
type Sizes = Readonly<Record<string, number>>;

function sizesOf(described: Described): Sizes {
  return (described as { readonly model?: { readonly sizes: Sizes } }).model?.sizes ?? {};
}

const ENGINES = ['auto', 'formulas', 'libreoffice'] as const;

function readStatement(reader: ValueReader, fields: Fields): Statement {
  const value = fields.get('spreadsheet')!;
  const keys = ['file', 'engine', 'conditions'];
  const stated = value.kind === 'map' ? reader.fields(value, ['spreadsheet'], keys) : new Map([['file', value]]);
  const [file, engine, conditions] = keys.map((key) => stated?.get(key));
  const python = fields.get('python');
  if (file === undefined) reader.refuse(value.at, ['spreadsheet', 'file'], 'is required: the name of the workbook.');
  const cells = conditions && reader.entries(conditions, ['spreadsheet', 'conditions'], 'a map from names to cells');
  return {
    file:
      file === undefined
        ? ''
        : (reader.text(file, ['spreadsheet'], 'the name of a workbook, such as model.xlsx') ?? ''),
    engine: (engine && reader.word(engine, ['spreadsheet', 'engine'], ENGINES)) ?? 'auto',
    conditions: Object.fromEntries(
      [...(cells ?? [])].map(([name, { value: cell }]) => [
        name,
        reader.text(cell, ['spreadsheet', 'conditions', name], CELL) ?? '',
      ]),
    ),
    python: python === undefined ? null : (reader.text(python, ['python'], 'the name of a Python') ?? null),
  };
}

const CELL = 'a cell, such as Sheet1!B3, or a name of the workbook';

/** The cell of each input and output, by the names that runs are asked for; null where the name is one of the workbook. */
function settingsOf({ file, engine, conditions }: Statement, fields: Fields, { home }: Pick<Surroundings, 'home'>) {
  const inputs = mapIn(fields.get('inputs')).map(([name, own]) => [name, textIn(own, 'cell') ?? null]);
  const under = conditionsIn(fields).map((name) => [name, conditions[name] ?? null]);
  const outputs = new Map<string, string | null>();
  for (const [goal, own] of mapIn(fields.get('outputs'))) {
    const name = textIn(fitOf(own), 'output') ?? goal;
    outputs.set(name, textIn(own, 'cell') ?? outputs.get(name) ?? null);
  }
  return {
    file: path.resolve(home, file),
    engine,
    conditions: Object.fromEntries(under),
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
  };
}

function refuseCells(reader: ValueReader, fields: Fields, sizes: Sizes): void {
  for (const section of ['inputs', 'outputs']) {
    for (const [name, own] of mapIn(fields.get(section))) {
      const cell = own.get('cell');
      const place = [section, name, 'cell'];
      if (cell !== undefined) reader.text(cell, place, CELL);
      if (section === 'inputs' || own.has('fit') || (sizes[name] ?? 1) === 1) continue;
      reader.refuse(
        cell?.at ?? reader.positionOf([section, name]),
        place,
        'is a range: an output that is not a fit is one cell.',
      );
    }
  }
  const known = new Set(conditionsIn(fields));
  for (const name of entriesOf(entriesOf(fields.get('spreadsheet')).get('conditions')).keys()) {
    const place = ['spreadsheet', 'conditions', name];
    if (!known.has(name)) reader.refuse(reader.positionOf(place), place, 'is not a condition of a fit.');
  }
}

function toBlackBox(statement: Statement, fields: Fields, sizes: Sizes): BlackBox {
  const { engine, ...places } = settingsOf(statement, fields, { home: '/' });
  const identity = { ...places, file: statement.file };
  return {
    key: 'spreadsheet',
    identity: ['spreadsheet', identity],
    record: { spreadsheet: identity },
    files: async (where) => namedFiles([statement.file], where),
    open: (where) => {
      const box = openProgram(optionsOf(statement, settingsOf(statement, fields, where)), where);
      return { ...box, call: async (options) => box.call(refuseSizes(options, sizes)) };
    },
    copies: [
      {
        names: (problem, set) => [`${problem}.best${set}${path.extname(statement.file).toLowerCase()}`],
        has: 'the input',
        write: async ({ input: values }, target, where) => {
          const settings = { ...settingsOf(statement, fields, where), copy: { values, target } };
          const { faults } = await describeByProgram(optionsOf(statement, settings), where);
          return faults[0]?.message;
        },
      },
    ],
  };
}

/** Throws LocalFault for data that have another number of values than their range has cells. */
function refuseSizes(options: CallOptions, sizes: Sizes): CallOptions {
  for (const [name, { count }] of options.fits) {
    const size = sizes[name] ?? count;
    if (size === count) continue;
    throw new LocalFault(
      `The data of ${name} have ${count} values but its range has ${size} cells; the counts must match.`,
    );
  }
  return options;
}

function optionsOf({ file, python }: Statement, settings: ProgramOptions['settings']): ProgramOptions {
  return { kind: 'spreadsheet', name: path.basename(file), python, settings };
}
