/** What a control file says of the inputs and outputs of a problem file, where the problem file leaves it out. */
import { findNearestName } from '../../domain/nearest-name.ts';
import type { Fact } from '../black-box/black-box.ts';
import type { PestControl } from './control.ts';

type FactsOfOne = Readonly<Record<string, Fact>>;

/** Or a sentence about what is wrong. @param stated  the keys of the input in the problem file */
export function factsOfParameter(
  { parameters }: PestControl,
  name: string,
  stated: readonly string[],
): FactsOfOne | string {
  const one = parameters.find((parameter) => parameter.name === name);
  if (one === undefined) {
    const meant = findNearestName(
      name,
      parameters.map((parameter) => parameter.name),
    );
    const advice = meant === undefined ? 'leave it out.' : `did you mean ${meant}?`;
    return `${name} is no parameter of the control file; ${advice}`;
  }
  if (one.parent !== null) {
    return `is tied to ${one.parent} in the control file: leave it out, or set its PARTRANS to none or log there.`;
  }
  const hasOwnValues = ['type', 'values', 'step'].some((key) => stated.includes(key));
  const scale = one.transform === 'log' ? 'log' : 'linear';
  if (one.transform === 'fixed') return {};
  return { minimum: one.lower, maximum: one.upper, ...(!hasOwnValues && { scale }) };
}

/** Or a sentence about what is wrong. @param names  of its observations; those of weight 0 are gaps in the data */
export function factsOfGroup(
  { observations }: PestControl,
  names: readonly string[],
  stated: readonly string[],
): FactsOfOne | string {
  const own = names.map((name) => observations.find((one) => one.name === name)!);
  const goal = stated.find((key) => !['fit', 'group', 'unit', 'observation'].includes(key));
  if (goal !== undefined) {
    return `is a group of ${own.length} observations, which are fitted; for a limit name one observation, as in observation: ${names[0]}.`;
  }
  if (own.every(({ weight }) => weight === 0)) {
    return 'has observations of weight 0 only, so there is nothing to fit: leave it out.';
  }
  const errors = own.map(({ weight }) => (weight > 0 ? 1 / weight : null));
  const [first] = errors.filter((error) => error !== null);
  const areEqual = errors.every((error) => error === null || error === first);
  return {
    fit: { data: own.map(({ value, weight }) => (weight > 0 ? value : null)), sigma: areEqual ? first! : errors },
  };
}
