/** Takes facts about inputs and outputs that a problem file leaves out from a control file. */
import { findNearestName } from '../../domain/nearest-name.ts';
import { isFitted, isRegularisation, type PestControl } from '../pest/control.ts';
import type { Fact } from './black-box.ts';

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
    return `${name} is not a parameter of the control file; ${advice}`;
  }
  if (one.parent !== null) {
    return `is tied to ${one.parent} in the control file: leave it out, or set its PARTRANS to none or log there.`;
  }
  const hasOwnValues = ['type', 'values', 'step'].some((key) => stated.includes(key));
  const scale = one.transform === 'log' ? 'log' : 'linear';
  if (one.transform === 'fixed') return {};
  return { minimum: one.lower, maximum: one.upper, ...(!hasOwnValues && { scale }) };
}

/**
 * Or a sentence about what is wrong.
 *
 * @param names       of its observations; those that are not fitted are gaps in the data
 * @param stated      the keys of the output
 * @param fitsLimits  also those that are limits to PESTPP-IES
 */
export function factsOfGroup(
  { observations }: PestControl,
  names: readonly string[],
  stated: readonly string[],
  fitsLimits: boolean,
): FactsOfOne | string {
  const own = names.map((name) => observations.find((one) => one.name === name)!);
  const goal = stated.find((key) => !['fit', 'group', 'unit', 'observation', 'fitLimits'].includes(key));
  if (goal !== undefined) {
    return `is a group of ${own.length} observations, which are fitted; for a limit name one observation, as in observation: ${names[0]}.`;
  }
  if (own.every(({ weight }) => weight === 0)) {
    return 'has observations of weight 0 only, so there is nothing to fit: leave it out.';
  }
  if (isRegularisation(own[0]!.group)) {
    return 'is a group of regularisation, whose observations are wishes and no data: leave it out. For data, give it a name in the control file that does not begin with regul.';
  }
  const isData = own.map((one) => isFitted(one, fitsLimits));
  if (!isData.includes(true)) {
    return `has observations only that are limits to PESTPP-IES, and data to PEST and PESTPP-GLM: write fitLimits: true to fit them, or name each as a limit, as in observation: ${names[0]} with atMost or atLeast.`;
  }
  const errors = own.map(({ weight }, i) => (isData[i] === true ? 1 / weight : null));
  const [first] = errors.filter((error) => error !== null);
  const areEqual = errors.every((error) => error === null || error === first);
  return {
    fit: { data: own.map(({ value }, i) => (isData[i] === true ? value : null)), sigma: areEqual ? first! : errors },
  };
}
