/** Takes facts about inputs and outputs that a problem file leaves out from a PEtab problem. */
import { findNearestName } from '../../domain/nearest-name.ts';
import { nameOfSet, type PetabProblem, type PetabSet, transform } from '../petab/petab-problem.ts';
import type { Fact } from './black-box.ts';

type FactsOfOne = Readonly<Record<string, Fact>>;

/** Or a sentence about what is wrong. */
export function factsOfParameter({ parameters }: PetabProblem, id: string): FactsOfOne | string {
  const one = parameters.find((parameter) => parameter.id === id);
  if (one === undefined) {
    const meant = findNearestName(
      id,
      parameters.map((parameter) => parameter.id),
    );
    return `is not a parameter of the PEtab problem; ${meant === undefined ? 'leave it out.' : `did you mean ${meant}?`}`;
  }
  const { lower, upper, scale } = one;
  return {
    ...(lower !== undefined && { minimum: lower }),
    ...(upper !== undefined && { maximum: upper }),
    ...(scale !== undefined && { scale: scale === 'lin' ? 'linear' : 'log' }),
  };
}

/** The set that an output of this name is about; undefined for an output of another kind. */
export function setOfOutput(problem: PetabProblem, name: string): PetabSet | undefined {
  return problem.sets.find((set) => nameOfSet(set, problem) === name);
}

/** Values, errors and times, all transformed as PEtab compares them. */
export function factsOfSet({ observable, condition, measurements, transformation, noise }: PetabSet): FactsOfOne {
  const times = measurements.map(({ time }) => time);
  return {
    fit: {
      data: measurements.map(({ value }) => transform(value, transformation)),
      // A steady state has no time.
      ...(times.every(Number.isFinite) && { x: times }),
      ...(!('parameter' in noise) && { sigma: noise.every((one) => one === noise[0]) ? noise[0]! : noise }),
      when: Object.keys(condition).length === 0 ? { condition: '' } : condition,
      output: observable,
    },
  };
}
