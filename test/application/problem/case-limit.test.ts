import { describe, expect, it } from 'vitest';
import { withInputCases } from '../../../src/application/problem/input-cases.ts';
import type { NewProject } from '../../../src/domain/problem/project.ts';
import { initialDesign } from '../../../src/optimizer/initial-design.ts';

const engine: Parameters<typeof withInputCases>[0] = { design: async (request) => initialDesign(request) };

const WIDE: NewProject = {
  name: 'wide',
  space: {
    inputCount: 20,
    minimums: new Array(20).fill(0),
    maximums: new Array(20).fill(1),
    inputTypes: new Array(20).fill('float'),
    categories: new Array(20).fill([]),
  },
  inputCases: null,
  caseCount: null,
  outputCount: null,
};

const LIMITS = { cases: 3, cells: 0 };

describe('the limit of input cases', () => {
  it('The limit of input cases holds when the service chooses how many to design', async () => {
    const unlimited = await withInputCases(engine, WIDE);
    expect(unlimited.inputCases!.rows).toBeGreaterThan(3);
    const limited = await withInputCases(engine, WIDE, LIMITS);
    expect(limited.inputCases!.toRows()).toEqual(unlimited.inputCases!.toRows(0, 3));
  });

  it('A request for more input cases than the limit is refused with a message that names the limit', async () => {
    const refused = withInputCases(engine, { ...WIDE, caseCount: 4 }, LIMITS);
    await expect(refused).rejects.toThrow('caseCount: must have at most 3 cases, has 4.');
  });
});
