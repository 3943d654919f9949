/** The values of all parameters of a control file from those that a search varies. */
import type { PestControl, PestParameter } from './control.ts';

/**
 * By their names, without SCALE and OFFSET. A parameter that is not varied keeps its initial value, a tied one follows its parent.
 *
 * @param varied  values of the search by the names of parameters
 */
export function parameterValues(
  { parameters }: Pick<PestControl, 'parameters'>,
  varied: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const byName = new Map(parameters.map((one) => [one.name, one]));
  return new Map(parameters.map((one) => [one.name, valueFor(one, byName, varied)]));
}

function valueFor(
  { name, initial, parent }: PestParameter,
  byName: ReadonlyMap<string, PestParameter>,
  varied: ReadonlyMap<string, number>,
): number {
  const own = varied.get(name);
  if (own !== undefined || parent === null) return own ?? initial;
  const followed = varied.get(parent);
  // Otherwise rounding would move it.
  return followed === undefined ? initial : followed * (initial / byName.get(parent)!.initial);
}

/** As the model gets them. */
export function modelValues(
  { parameters }: Pick<PestControl, 'parameters'>,
  values: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(parameters.map(({ name, scale, offset }) => [name, values.get(name)! * scale + offset]));
}
