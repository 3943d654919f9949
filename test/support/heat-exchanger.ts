/** A problem with names, units and every type of input, for tests that look at it. */
import type { TestService } from './service.ts';

/** Power in kW and pressure drop in Pa, of length in m, number of passes and alloy. */
export function heatExchanger([length, passes, alloy]: readonly number[]): [number, number] {
  return [length! * (1 + 0.12 * passes!) * (1 + 0.15 * alloy!), 2 * length! + 0.4 * passes! ** 2 * (1 + 0.3 * alloy!)];
}

const CASES = [
  [1, 1, 0],
  [6, 8, 2],
  [3, 2, 1],
  [2, 6, 0],
  [5, 3, 2],
  [4, 7, 1],
];

/** Power within half a percent of 10, and a drop of 18 at most: within reach with 3 passes and alloy C. */
const HEAT_TARGETS = {
  objectives: [10, 18],
  objectiveTypes: ['percent', 'lessthan_equal'],
  minimumBounds: [-0.5, null],
  maximumBounds: [0.5, null],
};

export interface HeatExchanger {
  readonly objectiveId: number;
  /** Path of the objective's page. */
  readonly page: string;
  /** Path of the objective, below /v1. */
  readonly url: string;
  readonly trialUrl: string;
  /** Cases of the trial. */
  readonly caseCount: number;
}

/** Loads the problem with an objective. */
export async function loadHeatExchanger(
  { ok }: Pick<TestService, 'ok'>,
  change: Readonly<Record<string, unknown>> = {},
): Promise<HeatExchanger> {
  const model = await ok('POST', '/models', { name: `rig ${crypto.randomUUID()}` });
  const project = await ok('POST', `/models/${model['id']}/projects`, {
    name: 'Heat exchanger',
    inputCount: 3,
    minimums: [1, 1, 0],
    maximums: [6, 8, 2],
    inputTypes: ['float', 'integer', 'category'],
    categories: [null, null, ['A', 'B', 'C']],
    inputNames: ['Length', 'Passes', 'Alloy'],
    inputUnits: ['m', '', ''],
    outputNames: ['Power', 'Drop'],
    outputUnits: ['kW', 'Pa'],
    inputCases: CASES,
  });
  const projectUrl = `/models/${model['id']}/projects/${project['id']}`;
  const set = await ok('POST', `${projectUrl}/output-cases`, {
    outputCount: 2,
    outputCases: CASES.map(heatExchanger),
  });
  const trialUrl = `${projectUrl}/trials/${set['trial_id']}`;
  const { id } = await ok<{ id: number }>('POST', `${trialUrl}/objectives`, { ...HEAT_TARGETS, ...change });
  return {
    objectiveId: id,
    page: `/page/objectives/${id}`,
    url: `/objectives/${id}`,
    trialUrl,
    caseCount: CASES.length,
  };
}
