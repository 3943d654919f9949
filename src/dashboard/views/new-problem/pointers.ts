/** The places in the form for the violations found by the service. */

import { lineOf, sayViolation } from '../../../../clients/typescript/src/front-doors.ts';
import type { Violation } from '../../../../clients/typescript/src/index.ts';
import { capitalized } from '../../../presentation/formats.ts';
import { type Draft, type InputDraft, namesOfRows } from './draft.ts';
import type { Faults } from './requests.ts';
import { constraintLines } from './requests.ts';

export type RequestName = 'model' | 'project' | 'results' | 'objective' | 'batch';

type Finder = (draft: Draft, i: string | undefined, k: string | undefined) => string;

const ofInput =
  (field: string): Finder =>
  (_, i) =>
    i === undefined ? 'inputs' : `inputs/${i}/${field}`;
const ofOutput =
  (field: string): Finder =>
  (_, j) =>
    j === undefined ? 'outputs' : `outputs/${j}/${field}`;
const ofTarget =
  (field: string): Finder =>
  (_, j) =>
    j === undefined ? 'targets' : `outputs/${j}/${field}`;
const field =
  (name: string): Finder =>
  () =>
    name;

/** Categories and booleans have bounds that the form does not show. */
const ofBound =
  (end: 'minimum' | 'maximum'): Finder =>
  ({ inputs }, i) => {
    if (i === undefined) return 'inputs';
    return `inputs/${i}/${shownBound(inputs[Number(i)]?.type, end)}`;
  };

/** The field of an input that shows its bound. */
function shownBound(type: InputDraft['type'] | undefined, end: 'minimum' | 'maximum'): string {
  switch (type) {
    case 'category':
      return 'categories';
    case 'boolean':
      return 'type';
    default:
      return end;
  }
}

/** Violations in own data are shown at the column of the table. */
const ofOwnInput: Finder = ({ own }, row, i) => {
  if (row === undefined || i === undefined) return row === undefined ? 'own' : `own/${row}`;
  return `own/${row}/${own?.uses.indexOf(`x${i}`) ?? 0}`;
};

const ofResult: Finder = ({ data, own }, row, j) => {
  if (data === 'own') {
    if (row === undefined || j === undefined) return row === undefined ? 'own' : `own/${row}`;
    return `own/${row}/${own?.uses.indexOf(`y${j}`) ?? 0}`;
  }
  return ['results', row, j].filter((part) => part !== undefined).join('/');
};

const FIELDS: Readonly<Record<RequestName, Readonly<Record<string, Finder>>>> = {
  model: { name: field('name') },
  project: {
    name: field('name'),
    minimums: ofBound('minimum'),
    maximums: ofBound('maximum'),
    inputTypes: ofInput('type'),
    categories: ofInput('categories'),
    inputNames: ofInput('name'),
    inputUnits: ofInput('unit'),
    scales: ofInput('scale'),
    steps: ofInput('spacing'),
    outputNames: ofOutput('name'),
    outputUnits: ofOutput('unit'),
    inputCount: field('inputs'),
    outputCount: field('outputs'),
    caseCount: field('caseCount'),
    inputCases: ofOwnInput,
    constraints: (draft, k) => {
      const line = k === undefined ? undefined : constraintLines(draft)[Number(k)]?.line;
      return line === undefined ? 'constraints' : `constraints/${line}`;
    },
  },
  results: { outputCases: ofResult, failedCases: ofResult },
  objective: {
    objectives: ofTarget('target'),
    objectiveTypes: ofTarget('type'),
    minimumBounds: ofTarget('from'),
    maximumBounds: ofTarget('to'),
    desiredL1Norm: field('desiredL1Norm'),
    maximumAttempts: field('maximumAttempts'),
    parallelism: field('parallelism'),
    noise: (_, list, j) => (list === undefined || j === undefined ? 'options/noise' : `outputs/${j}/deviation`),
    confirm: field('options/confirm'),
    confidence: field('options/confidence'),
    confidenceOf: field('options/confidenceOf'),
    fits: ({ outputs }, set, name) => {
      const j = outputs.findIndex(({ type }) => type === 'fit');
      return set === undefined || j < 0 ? 'targets' : `outputs/${j}/${name === 'sigma' ? 'sigma' : 'target'}`;
    },
    weights: ofTarget('weight'),
    priorities: ofTarget('priority'),
    stop: (_, name) => `options/${name ?? 'patience'}`,
    solutions: (_, name) => `options/${name === 'apart' ? 'apart' : 'solutionCount'}`,
    inputTolerances: (_, name, i) => (name === 'values' && i !== undefined ? `inputs/${i}/tolerance` : 'options/aim'),
    aimAtRobustness: field('options/aim'),
    robustRuns: field('options/robustRuns'),
  },
  batch: {
    evaluator: (_, side, i) => (i === undefined ? 'workbook' : `${side}/${i}/name`),
  },
};

/** In which body of the interface a request has its fields; of results there are no words in front-doors.ts. */
const BODIES: Readonly<Record<RequestName, string>> = {
  model: '/model',
  project: '/project',
  results: '/results',
  objective: '/objectives/0',
  batch: '/batch',
};

/** Faults by field; under `''` those that belong to none. Of several at one field the first. */
export function placeViolations(draft: Draft, request: RequestName, violations: readonly Violation[]): Faults {
  const given = { inputs: namesOfRows(draft.inputs, 'x'), outputs: namesOfRows(draft.outputs, 'y') };
  const faults: Record<string, string> = {};
  for (const violation of violations) {
    const names = violation.pointer.split('/').slice(1);
    // A batch has the definition of its objective inside.
    const isInner = request === 'batch' && names[0] === 'objectives';
    const [name = '', i, k] = isInner ? names.slice(2) : names;
    const path = FIELDS[isInner ? 'objective' : request][name]?.(draft, i, k) ?? '';
    const said = sayViolation('page', given, BODIES[request], violation);
    faults[path] ??= path === '' ? lineOf(said) : capitalized(said.sentence.trim());
  }
  return faults;
}
