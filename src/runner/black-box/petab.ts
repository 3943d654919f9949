/** `petab: problem.yaml`: a calibration as PEtab states it, whose simulator is a command that is called once per condition. */
import path from 'node:path';
import { replaceFile } from '../../../clients/typescript/src/evaluator/durable-files.ts';
import { loadPetab } from '../petab/load-petab.ts';
import { PetabError } from '../petab/petab-error.ts';
import { errorsOf, type PetabProblem } from '../petab/petab-problem.ts';
import { notesOnPriors } from '../petab/priors.ts';
import { formatEstimates, formatSimulations } from '../petab/result-tables.ts';
import { namesTold, simulationReader, tablesOf, toldTo } from '../petab/simulator.ts';
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
} from './black-box.ts';
import { type CommandDefinition, ENDS, filesOfCommand, openCommand, readCommand } from './command.ts';
import { describeFile, mapIn } from './named-fields.ts';
import { factsOfParameter, factsOfSet, setOfOutput } from './petab-facts.ts';

export const petab: BlackBoxKind = {
  key: 'petab',
  example: 'problem.yaml beside a command',
  keys: ['petab', 'command', 'shell', 'copies', ...ENDS, 'environment', 'keep'],
  readsSigns: true,
  describe: (fields, where) =>
    describeFile(fields, 'petab', PetabError, async (file) => describe(fields, await loadPetab(file, where.home))),
  read: (reader, fields, described) => {
    const stated = fields.get('petab')!;
    const file = reader.text(stated, ['petab'], 'the YAML file of a PEtab problem, such as problem.yaml') ?? '';
    if (!fields.has('command')) {
      reader.refuse(stated.at, ['command'], 'is required: the simulator, such as ["python3", "simulate.py"].');
    }
    return toBlackBox(file, readCommand(reader, fields), (described as Partial<DescribedProblem>).petabProblem);
  },
};

interface DescribedProblem extends Described {
  readonly petabProblem: PetabProblem;
}

function describe(fields: Fields, petabProblem: PetabProblem): DescribedProblem {
  const faults: { path: readonly string[]; message: string }[] = [];
  const inputs = new Map<string, Facts[string]>();
  for (const [name] of mapIn(fields.get('inputs'))) {
    const facts = factsOfParameter(petabProblem, name);
    if (typeof facts === 'string') faults.push({ path: ['inputs', name], message: facts });
    inputs.set(name, typeof facts === 'string' ? STAND_INS.input : facts);
  }
  const outputs = mapIn(fields.get('outputs')).flatMap(([name]) => {
    const set = setOfOutput(petabProblem, name);
    return set === undefined ? [] : [[name, factsOfSet(set)] as const];
  });
  const likely = new Set(mapIn(fields.get('inputs')).flatMap(([name, own]) => (own.has('likely') ? [name] : [])));
  const notes = [
    ...notesOnPriors(petabProblem.parameters, errorsOf(petabProblem), (id) => likely.has(id)),
    ...petabProblem.notes,
  ];
  return { inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(outputs), faults, notes, petabProblem };
}

function toBlackBox(file: string, stated: CommandDefinition, problem: PetabProblem | undefined): BlackBox {
  const { keep: _, onExit, ...how } = stated;
  const fixed = problem?.parameters.map(({ id, nominal }) => [id, nominal ?? null]);
  return {
    key: 'petab',
    identity: ['petab', file, how, [...onExit], fixed ?? null],
    record: { petab: file, command: { ...stated, onExit: Object.fromEntries(onExit) } },
    files: async (where) => [
      ...(await filesOfCommand(stated, where)),
      ...namedFiles([file, ...(problem?.files ?? []).map((name) => path.join(path.dirname(file), name))], where),
    ],
    open: (where) => {
      if (problem === undefined) throw new Error('The problem was not described.');
      return openCommand(stated, where, () => ({
        files: tablesOf(problem),
        reader: simulationReader(problem),
        told: { names: namesTold(problem), of: (input) => toldTo(problem, input) },
      }));
    },
    ...(problem !== undefined && { copies: resultsOf(file, problem) }),
  };
}

function resultsOf(file: string, problem: PetabProblem): readonly BestCopy[] {
  const copy = (kind: string, has: string, textOf: (best: BestValues) => string): BestCopy => ({
    names: (_, set) => [`${path.parse(file).name}.best${set}.${kind}.tsv`],
    has,
    write: async (best, target) =>
      replaceFile(target, textOf(best)).then(
        () => undefined,
        (error: Error) => error.message,
      ),
  });
  return [
    copy('parameters', 'the parameters', ({ input, output }) => formatEstimates(problem, input, output)),
    copy('simulations', 'the simulated values', ({ output }) => formatSimulations(problem, output)),
  ];
}
