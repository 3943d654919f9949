/** `pest: case.pst`: a calibration as PEST states it, whose model is called with template and instruction files. */
import path from 'node:path';
import { replaceFile } from '../../../clients/typescript/src/evaluator/durable-files.ts';
import { findNearestName } from '../../domain/nearest-name.ts';
import type { ValueReader } from '../files/value-reader.ts';
import { loadCase, type PestCase } from '../pest/case.ts';
import { inputFilesOf, observationReader, type PestNames, recall, valuesOfInput } from '../pest/case-runner.ts';
import { isFitted } from '../pest/control.ts';
import { PestFileError } from '../pest/pest-error.ts';
import { formatParameterFile, formatResidualFile } from '../pest/result-files.ts';
import {
  type BestCopy,
  type BestValues,
  type BlackBox,
  type BlackBoxKind,
  type Described,
  type Facts,
  type Fields,
  namedFiles,
  STAND_INS,
  type Surroundings,
} from './black-box.ts';
import { type CommandDefinition, ENDS, filesOfCommand, openCommand, readCommand } from './command.ts';
import { describeFile, fitOf, mapIn, textIn } from './named-fields.ts';
import { factsOfGroup, factsOfParameter } from './pest-facts.ts';

export const pest: BlackBoxKind = {
  key: 'pest',
  example: 'case.pst',
  keys: ['pest', 'command', 'shell', 'copies', ...ENDS, 'environment', 'keep'],
  readsSigns: true,
  inputKeys: ['parameter'],
  outputKeys: ['group', 'observation', 'fitLimits'],
  describe: (fields, where) =>
    describeFile(fields, 'pest', PestFileError, async (file) => describe(fields, await loadCase(file, where.home))),
  read: (reader, fields, described) => {
    const file = reader.text(fields.get('pest')!, ['pest'], 'the name of a control file, such as case.pst') ?? '';
    const { pestCase } = described as Partial<DescribedCase>;
    return toBlackBox(file, readModelCommand(reader, fields, pestCase), fields, pestCase);
  },
};

interface DescribedCase extends Described {
  readonly pestCase: PestCase;
}

function describe(fields: Fields, pestCase: PestCase): DescribedCase {
  const faults: { path: readonly string[]; message: string }[] = [];
  const { control } = pestCase;
  const inputs = new Map<string, Facts[string]>();
  for (const [name, own] of mapIn(fields.get('inputs'))) {
    const wanted = (textIn(own, 'parameter') ?? name).toLowerCase();
    const facts = factsOfParameter(control, wanted, [...own.keys()]);
    if (typeof facts === 'string') faults.push({ path: ['inputs', name], message: facts });
    inputs.set(name, typeof facts === 'string' ? STAND_INS.input : facts);
  }
  const outputs = new Map<string, Facts[string]>();
  for (const [name, own] of mapIn(fields.get('outputs'))) {
    const facts = factsOfOutput(pestCase, name, own);
    if (typeof facts === 'string') faults.push({ path: ['outputs', name], message: facts });
    if (typeof facts !== 'string') outputs.set(name, facts);
    else if (own.size === 0) outputs.set(name, STAND_INS.output);
  }
  return {
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
    faults,
    notes: pestCase.notes,
    pestCase,
  };
}

/** Or what is wrong. */
function factsOfOutput({ control }: PestCase, name: string, own: Fields): Facts[string] | string {
  const observed = observationsOf({ control }, name, own);
  if (typeof observed === 'string') return observed;
  const fitsLimits = textIn(own, 'fitLimits');
  if (fitsLimits !== undefined && !['true', 'false'].includes(fitsLimits)) return 'fitLimits must be true or false.';
  if (fitsLimits !== undefined && !observed.isGroup) return 'fitLimits belongs to a group of observations.';
  return observed.isGroup ? factsOfGroup(control, observed.names, [...own.keys()], fitsLimits === 'true') : {};
}

/** An output is an observation or a group of them: what its own keys say, else its name. */
function observationsOf({ control }: Pick<PestCase, 'control'>, name: string, own: Fields) {
  const [group, observation] = ['group', 'observation'].map((key) => textIn(own, key)?.toLowerCase());
  const plain = (textIn(fitOf(own), 'output') ?? name).toLowerCase();
  const ofGroup = control.observations.filter((one) => one.group === (group ?? plain)).map((one) => one.name);
  if (observation === undefined && ofGroup.length > 0) return { isGroup: true, names: ofGroup };
  const wanted = observation ?? plain;
  if (group === undefined && control.observations.some((one) => one.name === wanted)) {
    return { isGroup: false, names: [wanted] };
  }
  const groups = [...new Set(control.observations.map((one) => one.group))];
  const meant = findNearestName(group ?? wanted, [...groups, ...control.observations.map((one) => one.name)]);
  const advice = meant === undefined ? `the groups are ${groups.join(', ')}.` : `did you mean ${meant}?`;
  return `${group ?? wanted} is neither an observation group nor an observation of the control file; ${advice}`;
}

/** That of the control file, line after line, unless the problem file has another. */
function readModelCommand(reader: ValueReader, fields: Fields, pestCase: PestCase | undefined): CommandDefinition {
  const stated = readCommand(reader, fields);
  if (fields.has('command') || pestCase === undefined) return stated;
  return { ...stated, command: [pestCase.control.commands.join(' && ')], shell: true };
}

function namesOf(fields: Fields, pestCase: PestCase): PestNames {
  const inputs = mapIn(fields.get('inputs')).map(([name, own]) => {
    return [name, (textIn(own, 'parameter') ?? name).toLowerCase()] as const;
  });
  const outputs = mapIn(fields.get('outputs')).map(([name, own]) => {
    const observed = observationsOf(pestCase, name, own);
    const names = typeof observed === 'string' ? [] : observed.names;
    return { name: textIn(fitOf(own), 'output') ?? name, names, fitsLimits: textIn(own, 'fitLimits') === 'true' };
  });
  return {
    parameters: new Map(inputs),
    observations: new Map(outputs.map(({ name, names }) => [name, names])),
    fitsLimits: new Set(outputs.filter(({ fitsLimits }) => fitsLimits).map(({ name }) => name)),
  };
}

function toBlackBox(file: string, stated: CommandDefinition, fields: Fields, pestCase: PestCase | undefined): BlackBox {
  const names = pestCase === undefined ? undefined : namesOf(fields, pestCase);
  const { keep: _, onExit, ...how } = stated;
  const what = pestCase && {
    parameters: pestCase.control.parameters.map(({ name, scale, offset, parent, initial }) => {
      return [name, scale, offset, parent, [...names!.parameters.values()].includes(name) ? null : initial];
    }),
    inputs: [...names!.parameters],
    outputs: [...names!.observations],
    files: [...pestCase.control.templates, ...pestCase.control.instructions],
  };
  return {
    key: 'pest',
    identity: ['pest', file, how, [...onExit], what ?? null],
    record: { pest: file, command: { ...stated, onExit: Object.fromEntries(onExit) } },
    // The identity has what the control file itself says of the model.
    files: async (where) => [
      ...(await filesOfCommand(stated, where)),
      ...namedFiles(
        [...(pestCase?.control.templates ?? []), ...(pestCase?.control.instructions ?? [])].map(({ pest: name }) =>
          path.join(path.dirname(file), name),
        ),
        where,
      ),
    ],
    open: (where) => {
      if (pestCase === undefined || names === undefined) throw new Error('The case was not described.');
      const own = { files: inputFilesOf(pestCase, names), reader: observationReader(pestCase, names, recordIn(where)) };
      return openCommand(stated, where, () => own);
    },
    ...(pestCase !== undefined && { copies: resultsOf(file, pestCase, names!) }),
  };
}

/** Beside the work folders, which come and go. */
function recordIn({ workFolder }: Surroundings): string {
  return path.join(workFolder, 'observations.jsonl');
}

function resultsOf(file: string, pestCase: PestCase, names: PestNames): readonly BestCopy[] {
  const { control } = pestCase;
  const stem = path.parse(file).name;
  const namesWith = (ending: string) => (_: string, set: string) => [
    `${stem}${set}${ending}`,
    `${stem}.result${set}${ending}`,
  ];
  const write = (textOf: (best: BestValues, where: Surroundings) => Promise<string>): BestCopy['write'] => {
    return async (best, target, where) =>
      replaceFile(target, await textOf(best, where)).then(
        () => undefined,
        (error: Error) => error.message,
      );
  };
  return [
    {
      names: namesWith('.par'),
      has: 'the parameters',
      write: write(async ({ input }) => formatParameterFile(control, valuesOfInput(pestCase, names, input))),
    },
    {
      names: namesWith('.rei'),
      has: 'the residuals',
      write: write(async ({ run, input, output }, where) => {
        const recorded = await recall(recordIn(where), input, control.observations);
        const values = valuesOfInput(pestCase, names, input);
        return formatResidualFile(control, run, values, new Map([...recorded, ...observedIn(pestCase, names, output)]));
      }),
    },
  ];
}

/** Outputs that the search itself knows of a run, which may have been made elsewhere. */
function observedIn(
  { control }: PestCase,
  { observations, fitsLimits }: PestNames,
  output: BestValues['output'],
): ReadonlyMap<string, number> {
  const byName = new Map(control.observations.map((one) => [one.name, one]));
  return new Map(
    Object.entries(output).flatMap(([name, values]) => {
      const own = observations.get(name) ?? [];
      if (typeof values === 'number') return [[own[0]!, values] as const];
      const fitted = own.filter((one) => isFitted(byName.get(one)!, fitsLimits?.has(name) === true));
      // Data of the problem file itself may have gaps of their own.
      return fitted.length === values.length ? fitted.map((one, i) => [one, values[i]!] as const) : [];
    }),
  );
}
