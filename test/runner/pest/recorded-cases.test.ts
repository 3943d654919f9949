/** Cases of bench/pest with what PEST++ and pyemu made of them, which `compare.py --record` wrote. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCase } from '../../../src/runner/pest/case.ts';
import { observationReader } from '../../../src/runner/pest/case-runner.ts';
import { valueOfPrior } from '../../../src/runner/pest/prior-information.ts';

interface Recorded {
  readonly seed: number;
  readonly files: Readonly<Record<string, string>>;
  readonly pestpp: {
    readonly parameters: readonly (readonly unknown[])[];
    /** Name, value, weight, group, less_than, greater_than. */
    readonly observations: readonly (readonly [string, number, number, string, number | null, number | null])[];
    readonly priors: readonly (readonly [string, number, number, number, string])[];
    readonly found: Readonly<Record<string, number>>;
  };
  /** By their groups, to pyemu: those at most and those at least their values. */
  readonly limits: readonly [readonly string[], readonly string[]];
}

const file = new URL('recorded-cases.json', import.meta.url);
const { cases } = JSON.parse(await readFile(file, 'utf8')) as { readonly cases: readonly Recorded[] };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-pest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a case of PEST', () => {
  it.each(cases)('is read as PEST++ and pyemu read it: seed $seed', async ({ files, pestpp, limits }) => {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(path.join(folder, name), text)));
    const pestCase = await loadCase('case.pst', folder);
    const { parameters, observations, priors } = pestCase.control;
    expect(
      parameters.map((one) => [
        one.name,
        one.transform,
        one.initial,
        one.lower,
        one.upper,
        one.group,
        one.scale,
        one.offset,
        one.parent,
      ]),
    ).toEqual(pestpp.parameters);
    expect(observations.map(({ name, value, weight, group }) => [name, value, weight, group])).toEqual(
      pestpp.observations.map((row) => row.slice(0, 4)),
    );
    const [less, greater] = limits;
    const wanted = pestpp.observations.map(([name, value, weight, , lessThan, greaterThan]) => {
      if (less.includes(name) || greater.includes(name)) return less.includes(name) ? [null, value] : [value, null];
      return weight > 0 ? [greaterThan, lessThan] : [null, null];
    });
    expect(observations.map(({ limit }) => [limit?.atLeast ?? null, limit?.atMost ?? null])).toEqual(wanted);
    const values = new Map(parameters.map(({ name, initial }) => [name, initial]));
    expect(priors.map((one) => [one.name, one.value, one.weight, one.group])).toEqual(
      pestpp.priors.map(([name, , value, weight, group]) => [name, value, weight, group]),
    );
    for (const [i, one] of priors.entries()) {
      const side = pestpp.priors[i]![1];
      expect(Math.abs(valueOfPrior(one, values) - side)).toBeLessThanOrEqual(1e-9 * Math.abs(side));
    }
    const names = observations.map(({ name }) => name);
    const own = { parameters: new Map(), observations: new Map(names.map((name) => [name, [name]])) };
    const reading = await observationReader(pestCase, own, null).read(folder, { names });
    // The record has no -0.
    expect('output' in reading && reading.output.map((value) => value + 0)).toEqual(
      names.map((name) => pestpp.found[name]),
    );
  });
});
