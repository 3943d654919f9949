/** Refuses, by name, features of a control file that are not supported. */
import { readNumber } from '../../../clients/typescript/src/solve/number-text.ts';
import type { Counts, PestControl, PestParameter } from './control.ts';
import { type ControlSections, placeOf, wordsOf } from './control-sections.ts';
import { PestFileError } from './pest-error.ts';

/** Sections about how PEST itself searches. */
const NOT_NEEDED = [
  'automatic user intervention',
  'singular value decomposition',
  'lsqr',
  'svd assist',
  'sensitivity reuse',
  'parameter groups',
  'observation groups',
  'regularisation',
  'regularization',
  'derivatives command line',
  'control data keyword',
];
const READ = [
  'control data',
  'parameter data',
  'observation data',
  'model command line',
  'model input/output',
  'model input',
  'model output',
  'prior information',
];
/** Those that ask for something else than a fit. */
const REFUSED: Readonly<Record<string, string>> = {
  'predictive analysis': 'Backsolve has no predictive analysis; set PESTMODE to estimation and delete the section.',
  pareto: 'Backsolve has no Pareto mode; set PESTMODE to estimation and delete the section.',
};

/** Throws PestFileError for sections that are missing, unknown, or ask for something else than a fit. */
export function refuseSections({ sections }: ControlSections, origin: string): void {
  for (const [name, lines] of sections) {
    const plain = name.replace(/ external$/, '');
    const where = lines[0] === undefined ? `${origin}:1` : placeOf(lines[0]);
    const refused = REFUSED[plain];
    if (refused !== undefined) throw new PestFileError(`${where}: ${refused}`);
    if (READ.includes(plain) || NOT_NEEDED.includes(plain)) continue;
    throw new PestFileError(
      `${where}: the section "* ${name}" is not known here; delete it if the model does not need it.`,
    );
  }
  // A number is GTARG, which regularisation alone uses.
  const groups = (sections.get('observation groups') ?? []).find(({ text }) =>
    wordsOf(text)
      .slice(1)
      .some((word) => readNumber(word) === undefined),
  );
  if (groups !== undefined) {
    throw new PestFileError(
      `${placeOf(groups)}: covariance matrices of observations are not used here; delete the file name, and state weights.`,
    );
  }
  for (const needed of ['parameter data', 'observation data', 'model command line']) {
    if (sections.has(needed) || sections.has(`${needed} external`)) continue;
    throw new PestFileError(`${origin}:1: has no section "* ${needed}".`);
  }
}

/** Throws PestFileError where rows contradict each other. */
export function refuseFaults(control: Omit<PestControl, 'notes'>, counts: Counts, origin: string): void {
  const { parameters, observations } = control;
  const refuse = (message: string): never => {
    throw new PestFileError(`${origin}: ${message}`);
  };
  for (const [what, announced, found] of [
    ['parameters', counts.parameters, parameters.length],
    ['observations', counts.observations, observations.length],
  ] as const) {
    if (announced !== undefined && announced !== found) {
      refuse(`"* control data" announces ${announced} ${what}, the section has ${found}.`);
    }
  }
  for (const [what, named] of [
    ['parameter', parameters],
    ['observation', observations],
  ] as const) {
    const seen = new Set<string>();
    for (const { name } of named) {
      if (seen.has(name))
        refuse(`the ${what} ${name} is there twice; PEST does not tell capital and small letters apart.`);
      seen.add(name);
    }
  }
  for (const one of parameters) refuseParameter(one, parameters, refuse);
  for (const { name, terms } of control.priors) {
    const unknown = terms.find(({ parameter }) => !parameters.some((one) => one.name === parameter));
    if (unknown !== undefined)
      refuse(`the prior information ${name} is about ${unknown.parameter}, which is not a parameter.`);
  }
  const target = repeated(control.templates.map(({ model }) => model));
  if (target !== undefined) refuse(`two template files write ${target}, so one of them would be lost.`);
  if (control.templates.length === 0) refuse('names no template file.');
  if (control.instructions.length === 0) refuse('names no instruction file.');
  if (control.commands.length === 0) refuse('the section "* model command line" is empty.');
}

function refuseParameter(one: PestParameter, all: readonly PestParameter[], refuse: (message: string) => never): void {
  const { name, transform, lower, upper, initial, parent } = one;
  if (transform === 'log' && !(lower > 0))
    refuse(`${name} is logarithmic, so PARLBND must be positive; it is ${lower}.`);
  if ((transform === 'log' || transform === 'none') && !(lower < upper)) {
    refuse(`PARLBND of ${name}, ${lower}, must be below PARUBND, ${upper}; make it fixed to keep one value.`);
  }
  if (parent === null) return;
  const above = all.find((other) => other.name === parent);
  if (above === undefined) refuse(`${name} is tied to ${parent}, which is not a parameter.`);
  if (above!.transform === 'tied' || above!.transform === 'fixed') {
    refuse(`${name} is tied to ${parent}, which is ${above!.transform}; tie it to one that is estimated, or fix it.`);
  }
  if (above!.initial === 0 || !Number.isFinite(initial / above!.initial)) {
    refuse(`${name} is tied to ${parent}, whose PARVAL1 is 0, so their ratio is not known.`);
  }
}

export function repeated(names: readonly string[]): string | undefined {
  return names.find((name, i) => names.indexOf(name) !== i);
}

const LISTED = 8;

/** The first few names, and how many more there are. */
export function listSome(names: readonly string[]): string {
  const rest = names.length - LISTED;
  return rest > 1 ? `${names.slice(0, LISTED).join(', ')} and ${rest} more` : names.join(', ');
}
