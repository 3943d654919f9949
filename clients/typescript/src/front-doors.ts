/**
 * Names of the interface's fields where people state a problem: one table for all front doors. Violations name fields by their
 * pointers, and `sayViolation` says them in the words of a door. The generator takes the words of Python from here (`npm run client`).
 *
 * A pointer begins with the body that has the field: /model, /project, /objectives/0, /batch, or /run for the output of one. Words are
 * `place: subject`: where the fault is, in the names that the user gave, and what the sentence after the colon is about. In a problem file
 * the place is the path of a key.
 */
import { GOAL_TYPES } from './generated/goal-types.ts';

/** python: solve and Project. typescript: solve and openProject. file: the keys of a problem file. page: the form of a new problem. mcp: the tools of agents. */
export const DOORS = ['python', 'typescript', 'file', 'page', 'mcp'] as const;
export type Door = (typeof DOORS)[number];

type Words = Readonly<Record<Door, string>>;

/** Placeholders stand for a number or a name; {position} counts from 1, {sub} is the rest of a name such as stop.until. */
export const WORDS_OF_FIELDS: Readonly<Record<string, Words>> = {
  '/model/name': all('name'),
  '/model/description': all('description'),

  '/project/name': all('name'),
  '/project/inputCount': all('inputs: their number'),
  '/project/outputCount': outputs('their number, in which every value of a fit counts,'),
  '/project/caseCount': { ...all('cases'), page: 'designed cases: their number' },
  '/project/parallelism': { ...all('parallel'), file: 'jobs', page: 'runs at a time' },
  ...ofInputs('inputNames', 'the name', ''),
  ...ofInputs('inputUnits', 'the unit', '/unit'),
  ...ofInputs('inputTypes', 'the type', '/type'),
  ...ofInputs('minimums', 'the lower bound', '/minimum', 'the minimum'),
  ...ofInputs('maximums', 'the upper bound', '/maximum', 'the maximum'),
  ...ofInputs('scales', 'the scale', '/scale'),
  ...ofInputs('steps', 'the step', '/step'),
  ...ofInputs('likelyMinimums', 'the lower end of likely', '/likely'),
  ...ofInputs('likelyMaximums', 'the upper end of likely', '/likely'),
  ...ofInputs('categories', 'the choices', '/values'),
  '/project/categories/{input}/{position}': {
    ...all('{input}: choice {position}'),
    file: 'inputs/{input}/values/{position}',
  },
  ...ofInputs('levels', 'the levels', '/values'),
  '/project/levels/{input}/{position}': {
    ...all('{input}: level {position}'),
    file: 'inputs/{input}/values/{position}',
  },
  ...ofOutputs('outputNames', 'the name', ''),
  ...ofOutputs('outputUnits', 'the unit', '/unit'),
  '/project/constraints': all('constraints'),
  '/project/constraints/{position}': { ...all('constraint {position}'), file: 'constraints/{position}' },
  '/project/constraints/{position}/{sub}': {
    ...all('constraint {position}: the {sub}'),
    file: 'constraints/{position}',
  },
  '/project/constraints/{position}/{sub}/{input}': {
    ...all('constraint {position}: the {sub} of {input}'),
    file: 'constraints/{position}',
  },
  '/project/feasibleInput': { ...named('feasibleInput'), file: 'start', page: 'a case of your own' },
  '/project/feasibleInput/{input}': {
    ...named('feasibleInput', '{input}'),
    file: 'start/{input}',
    page: 'a case of your own: {input}',
  },
  '/project/inputCases': { ...all('known runs'), file: 'known', page: 'your own data' },
  '/project/inputCases/{position}': { ...all('known run {position}'), file: 'known', page: 'row {position}' },
  '/project/inputCases/{position}/{input}': {
    ...all('known run {position}: {input}'),
    file: 'known',
    page: 'row {position}: {input}',
  },
  '/project/sources': all('sources'),
  '/project/sources/{source}': { ...all('sources: {source}'), file: 'sources/{source}' },
  '/project/sources/{source}/name': { ...all('sources: the name {source}'), file: 'sources/{source}' },
  '/project/sources/{source}/cost': { ...all('sources: the cost of {source}'), file: 'sources/{source}/cost' },

  '/objectives/{set}': { ...all('goals'), file: '{goals}', page: 'targets' },
  ...ofGoals('objectives', 'the target', ''),
  ...ofGoals('objectiveTypes', 'the goal', ''),
  '/objectives/{set}/objectiveTypes': { ...all('goals'), file: '{goals}', page: 'targets' },
  ...ofGoals('minimumBounds', 'the tolerance below', '/within', 'the start of the range'),
  ...ofGoals('maximumBounds', 'the tolerance above', '/within', 'the end of the range'),
  '/objectives/{set}/maximumAttempts': {
    ...all('budget'),
    file: 'maximumRuns',
    page: 'the most runs',
    mcp: 'maximumRuns',
  },
  '/objectives/{set}/parallelism': { ...all('parallel'), file: 'jobs', page: 'runs at a time' },
  '/objectives/{set}/fits': { ...all('goals: the fits'), file: 'outputs', page: 'targets' },
  ...ofFits('', 'the fit'),
  ...ofFits('/name', 'the name', ''),
  ...ofFits('/outputs', 'the data'),
  ...ofFits('/outputs/{position}', 'value {position}'),
  ...ofFits('/sigma', 'sigma'),
  ...ofFits('/sigma/relative', 'the relative sigma', '/sigma'),
  ...ofFits('/sigma/{position}', 'sigma of value {position}', '/sigma'),
  ...ofFits('/weight', 'weight'),
  ...ofFits('/loss', 'loss'),
  ...argument('noise', 'noise', 'the standard deviations'),
  '/objectives/{set}/noise/standardDeviations': all('noise'),
  '/objectives/{set}/noise/standardDeviations/{output}': { ...all('noise: {output}'), file: 'noise/{output}' },
  ...argument('confirm', 'confirm', 'the runs at one input'),
  ...argument('confidence', 'confidence', 'the confidence'),
  ...argument('confidenceOf', 'confidenceOf', 'what the confidence is about'),
  ...argument('weights', 'weights', 'the weights', '{output}'),
  ...argument('priorities', 'priorities', 'the priorities', '{output}'),
  ...argument('fixedInputs', 'fixed', 'the fixed inputs', '{input}'),
  ...argument('stop', 'stop', 'the early end'),
  ...part('stop', 'patience', 'the runs without an improvement'),
  ...part('stop', 'improvementBelow', 'the improvement that counts'),
  ...part('stop', 'until', 'the time'),
  ...part('stop', 'maximumRuns', 'the runs in all'),
  ...option('solutions', 'the solutions'),
  ...option('solutions.count', 'the number of solutions'),
  ...option('solutions.apart', 'the distance of solutions'),
  ...option('front', 'the front'),
  ...option('front.reference', 'the worst values that count'),
  ...optionOf('front.reference', '{open}'),
  ...option('inputTolerances', 'the tolerances of the inputs'),
  ...option('inputTolerances.kind', 'the kind of the tolerances'),
  ...option('inputTolerances.in', 'the unit of the tolerances'),
  ...option('inputTolerances.values', 'the tolerances of the inputs'),
  ...optionOf('inputTolerances.values', '{input}'),
  ...option('aimAtRobustness', 'the aim'),
  ...option('robustRuns', 'the runs for robustness'),
  ...option('desiredL1Norm', 'the sum of the differences'),
  ...option('convergence', 'the convergence'),
  ...option('initialInput', 'the start'),
  ...optionOf('initialInput', '{input}'),
  ...option('initialOutput', 'the output of the start'),
  ...optionOf('initialOutput', '{output}'),
  ...option('initialJacobian', 'the derivatives of the start'),
  ...optionOf('initialJacobian', '{output}'),
  '/objectives/{set}/initialJacobian/{output}/{input}': {
    ...ofOption('initialJacobian', 'the derivatives of the start', ' of {output} by {input}'),
    file: 'start',
  },
  ...option('constraints', 'the constraints of the search'),
  '/objectives/{set}/constraints/{position}': {
    ...ofOption('constraints', 'the constraints of the search', ' {position}'),
    file: 'constraints',
  },
  '/objectives/{set}/constraints/{position}/{sub}': {
    ...ofOption('constraints', 'the constraints of the search', ' {position}: the {sub}'),
    file: 'constraints',
  },
  '/objectives/{set}/constraints/{position}/{sub}/{input}': {
    ...ofOption('constraints', 'the constraints of the search', ' {position}: the {sub} of {input}'),
    file: 'constraints',
  },
  ...option('continues', 'the search to continue'),
  ...option('reuse', 'whether other searches count'),
  ...option('holdBack', 'whether runs are held back'),

  '/batch/name': all('name'),
  '/batch/objectives': { ...all('goals'), file: 'targets', page: 'targets' },
  '/batch/parallelism': { ...all('parallel'), file: 'jobs', page: 'runs at a time' },
  '/batch/timeoutSeconds': { ...named('timeoutSeconds'), file: 'timeout', page: 'the time of a run' },
  '/batch/maximumTries': { ...all('tries'), page: 'the tries of a run' },
  '/batch/maximumLosses': all('lost runs: their number'),
  '/batch/stopAfterFailures': { ...named('stopAfterFailures'), page: 'the failed runs in a row' },
  '/batch/trialId': { ...all('cases'), page: 'designed cases' },
  '/batch/evaluator': { ...all('the black box'), file: 'evaluator', page: 'the workbook' },
  '/batch/evaluator/{sub}': {
    ...all('the black box: the {sub}'),
    file: 'evaluator/{sub}',
    page: 'the workbook: the {sub}',
  },
  '/batch/evaluator/inputs/{input}': { ...all('{input}: the cell'), file: 'evaluator/inputs/{input}' },
  '/batch/evaluator/outputs/{output}': { ...all('{output}: the cell'), file: 'evaluator/outputs/{output}' },

  '/start': { ...all('the start'), file: 'start' },
  '/start/{input}': { ...all('the start: {input}'), file: 'start/{input}' },
  '/known': { ...all('known runs'), file: 'known' },

  '/run/output': { ...all('the output of the run'), mcp: 'outputs' },
  '/run/output/{output}': { ...all('{output}'), mcp: 'outputs: {output}' },
  '/run/jacobian': all('the derivatives'),
  '/run/jacobian/{output}': all('the derivatives of {output}'),
  '/run/jacobian/{output}/{input}': all('the derivative of {output} by {input}'),
  '/run/reason': { ...all('reason'), mcp: 'the text' },
  '/run/failureReason': all('the reason of the failure'),
  '/run/failed': all('failed'),
  '/run/excluded': all('excluded'),
  '/run/reopen': all('reopen'),
  '/run/note': all('note'),
  '/run/computeTime': all('the time of the run'),
  '/run/leaseToken': { ...all('the lease of the run'), mcp: 'ticket' },
};

/** Terms that a door has a word of its own for; the others are the same everywhere. */
export const WORDS_OF_TERMS: Readonly<Record<string, Partial<Words>>> = {
  float: { python: 'real number', typescript: 'real number', page: 'number', mcp: 'number' },
  category: { python: 'choice', typescript: 'choice', mcp: 'choice' },
  false: { python: 'False' },
  ...termsOfGoals(),
  feasibleInput: { ...named('feasibleInput'), file: 'start', page: 'case of your own' },
  'state the tolerance in its unit': {
    python: 'use within(..., tolerance)',
    typescript: 'use within(..., tolerance)',
    file: 'write within without %',
    mcp: 'use within',
  },
};

/** Types of goals, which the doors call by the functions and keys that state them. */
function termsOfGoals(): Readonly<Record<string, Words>> {
  return Object.fromEntries(
    Object.entries(GOAL_TYPES).flatMap(([type, { name, offsets }]) => {
      if (offsets !== null) return [[type, { ...all(offsets.called), file: offsets.inFiles ?? offsets.called }]];
      if (name === null || name === type) return [];
      const spaced = (mark: string) => name.replace(/[A-Z]/g, (letter) => `${mark}${letter.toLowerCase()}`);
      return [[type, { ...all(name), python: spaced('_'), page: spaced(' ') }]];
    }),
  );
}

function all(words: string): Words {
  return { python: words, typescript: words, file: words, page: words, mcp: words };
}

/** An argument that the doors call by this name, each in its way of writing. */
function named(name: string, subject?: string): Words {
  const said = (one: string) => (subject === undefined ? one : `${one}: ${subject}`);
  return { ...all(said(name)), python: said(toSnake(name)) };
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** @param key  of an input in a problem file */
function ofInputs(field: string, subject: string, key: string, page = subject): Readonly<Record<string, Words>> {
  return {
    [`/project/${field}`]: { ...all(`inputs: ${subject} of each`), file: 'inputs' },
    [`/project/${field}/{input}`]: {
      ...all(`{input}: ${subject}`),
      file: `inputs/{input}${key}`,
      page: `{input}: ${page}`,
    },
  };
}

function ofOutputs(field: string, subject: string, key: string): Readonly<Record<string, Words>> {
  return {
    [`/project/${field}`]: outputs(`${subject} of each`),
    [`/project/${field}/{output}`]: { ...all(`{output}: ${subject}`), file: `outputs/{output}${key}` },
  };
}

function outputs(subject: string): Words {
  return {
    ...all(`goals: ${subject}`),
    file: `outputs: ${subject}`,
    page: `outputs: ${subject}`,
    mcp: `outputs: ${subject}`,
  };
}

function ofGoals(field: string, subject: string, key: string, page = subject): Readonly<Record<string, Words>> {
  return {
    [`/objectives/{set}/${field}`]: {
      ...all(`goals: ${subject} of each`),
      file: '{goals}',
      page: `targets: ${page} of each`,
    },
    [`/objectives/{set}/${field}/{output}`]: {
      ...all(`{output}: ${subject}`),
      file: `{goals}/{output}${key}`,
      page: `{output}: ${page}`,
    },
  };
}

function ofFits(
  field: string,
  subject: string,
  key = field.replace('/{position}', ''),
): Readonly<Record<string, Words>> {
  return { [`/objectives/{set}/fits/{fit}${field}`]: { ...all(`{fit}: ${subject}`), file: `outputs/{fit}/fit${key}` } };
}

/** An argument of solve that is a key of a problem file as well. @param each  what it has entries for */
function argument(field: string, name: string, page: string, each?: string): Readonly<Record<string, Words>> {
  const key = `/objectives/{set}/${field}`;
  const row = { [key]: { ...named(name), file: field, page } };
  if (each === undefined) return row;
  return { ...row, [`${key}/${each}`]: { ...named(name, each), file: `${field}/${each}`, page: `${page}: ${each}` } };
}

function part(field: string, name: string, page: string): Readonly<Record<string, Words>> {
  return {
    [`/objectives/{set}/${field}/${name}`]: {
      ...all(`${field}: ${name}`),
      python: `${field}: ${toSnake(name)}`,
      file: `${field}/${name}`,
      page: `the early end: ${page}`,
    },
  };
}

/** A field that `options` takes as the interface names it. */
function option(path: string, page: string): Readonly<Record<string, Words>> {
  return { [`/objectives/{set}/${path.replace('.', '/')}`]: { ...ofOption(path, page), file: fileKeyOf(path) } };
}

function optionOf(path: string, each: string): Readonly<Record<string, Words>> {
  const key = fileKeyOf(path);
  return {
    [`/objectives/{set}/${path.replace('.', '/')}/${each}`]: {
      ...ofOption(path, 'that', ` of ${each}`),
      file: `${key}/${each}`,
      page: `${each}: ${path.startsWith('inputTolerances') ? 'the tolerance' : 'the value'}`,
    },
  };
}

function ofOption(path: string, page: string, rest = ''): Words {
  return {
    ...all(`options: ${path}${rest}`),
    python: `options: ${path.split('.').map(toSnake).join('.')}${rest}`,
    page: `${page}${rest}`,
  };
}

function fileKeyOf(path: string): string {
  return path.startsWith('initial') ? 'start' : path.replace('.', '/');
}

/** Names that a user gave the inputs, outputs and other things that the interface numbers. */
export interface GivenNames {
  readonly inputs: readonly string[];
  /** One per output of the interface. */
  readonly outputs: readonly string[];
  /** Names of data sets. */
  readonly fits?: readonly string[];
  readonly sources?: readonly string[];
  /** Outputs without a target, where a front is sought. */
  readonly open?: readonly string[];
  /** Whether a problem file has several target sets. */
  readonly hasSets?: boolean;
}

export interface Said {
  /** Place of the fault, such as the name of an input; empty for a fault of the whole. */
  readonly place: string;
  /** Beginning of a sentence about it; empty if the place says it. */
  readonly subject: string;
  /** Path of the key in a problem file. */
  readonly key: readonly string[];
  /** Owner of the field, such as `input 2`, where two may have the same name. */
  readonly owner: string;
}

const ROWS = Object.keys(WORDS_OF_FIELDS).map((pattern) => ({ pattern, segments: pattern.split('/').slice(1) }));

/** The field in the words of the door; undefined for one that no door has. */
export function sayField(door: Door, names: GivenNames, pointer: string): Said | undefined {
  const sent = pointer.split('/').slice(1).map(unescaped);
  const row = ROWS.filter(({ segments }) => matches(segments, sent)).sort(byPlaceholders)[0];
  if (row === undefined) return undefined;
  const values = new Map(row.segments.map((segment, k) => [segment, sent[k]!]));
  const words = WORDS_OF_FIELDS[row.pattern]![door];
  const [place = '', ...rest] = words.split(': ');
  const subject = rest.join(': ');
  const fill = (text: string) => text.replace(/\{\w+\}/g, (mark) => shown(mark, values, names));
  const key = place.split('/').flatMap((part) => fillKey(part, fill, values, names));
  const owned = row.segments.filter((segment) => Object.hasOwn(LISTS, segment)).at(-1);
  const owner = owned === undefined ? '' : `${owned.slice(1, -1)} ${Number(values.get(owned)) + 1}`;
  return { place: door === 'file' ? key.join('.') : fill(place), subject: fill(subject), key, owner };
}

/** The same of a field that is not known: where it was found, and its name. */
function sayUnknown(door: Door, names: GivenNames, pointer: string): Said {
  const sent = pointer.split('/').slice(1).map(unescaped);
  for (let end = sent.length - 1; end > 0; end--) {
    const said = sayField(door, names, `/${sent.slice(0, end).join('/')}`);
    if (said === undefined) continue;
    const rest = sent.slice(end);
    return { ...said, subject: [said.subject, rest.join('.')].filter(Boolean).join(': '), key: [...said.key, ...rest] };
  }
  const rest = sent.slice(sent[0] === 'objectives' ? 2 : 1);
  return { place: '', subject: rest.join('.'), key: rest, owner: '' };
}

/** Words instead of placeholders come first. */
function byPlaceholders(a: { readonly pattern: string }, b: { readonly pattern: string }): number {
  return a.pattern.split('{').length - b.pattern.split('{').length;
}

function matches(segments: readonly string[], sent: readonly string[]): boolean {
  if (segments.length !== sent.length) return false;
  return segments.every((segment, k) => {
    if (segment === '{position}' || segment === '{set}' || segment === '{fit}' || segment === '{source}')
      return /^\d+$/.test(sent[k]!);
    return segment.startsWith('{') || segment === sent[k];
  });
}

function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

const LISTS = {
  '{input}': 'inputs',
  '{output}': 'outputs',
  '{fit}': 'fits',
  '{source}': 'sources',
  '{open}': 'open',
} as const;

/** A number as the name that it stands for; a name that was sent as it is. */
function shown(mark: string, values: ReadonlyMap<string, string>, names: GivenNames): string {
  const value = values.get(mark) ?? '';
  if (!/^\d+$/.test(value)) return value;
  const list = LISTS[mark as keyof typeof LISTS];
  if (list === undefined) return String(Number(value) + 1);
  return names[list]?.[Number(value)] ?? String(Number(value) + 1);
}

function fillKey(
  part: string,
  fill: (text: string) => string,
  values: ReadonlyMap<string, string>,
  { hasSets = false }: GivenNames,
): readonly string[] {
  if (part !== '{goals}') return [fill(part)];
  return hasSets ? ['targets', String(Number(values.get('{set}')) + 1)] : ['outputs'];
}

/** A violation of the interface; see Violation. */
interface SentViolation {
  readonly pointer: string;
  readonly message: string;
  readonly parts?: readonly MessagePart[] | undefined;
}

/** A piece of a message; `text` says it in the words of the interface. */
export interface MessagePart {
  readonly text: string;
  readonly pointer?: string | undefined;
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly term?: string | undefined;
}

/**
 * A violation in the words of a door: `a: the upper bound must be at least the lower bound (10), is 0.` The sentence is without the
 * subject, for a form that shows it at its field.
 *
 * @param body  what its pointers are in: '/project', '/objectives/0', ...
 */
export function sayViolation(
  door: Door,
  names: GivenNames,
  body: string,
  violation: SentViolation,
): Said & { readonly message: string; readonly sentence: string } {
  const whole = bodyOf(body, violation.pointer);
  const said = sayField(door, names, whole) ?? sayUnknown(door, names, whole);
  const sentence = (violation.parts ?? [{ text: violation.message }])
    .map((part) => sayPart(door, names, body, part, said))
    .join('');
  return { ...said, sentence, message: said.subject === '' ? sentence : `${said.subject} ${sentence}` };
}

/** The same as one line. */
export function lineOf({ place, message }: { readonly place: string; readonly message: string }): string {
  return place === '' ? message : `${place}: ${message}`;
}

function sayPart(door: Door, names: GivenNames, body: string, part: MessagePart, about: Said): string {
  const { text, pointer, input, output, term } = part;
  if (input !== undefined) return names.inputs[input] ?? text;
  if (output !== undefined) return names.outputs[output] ?? text;
  if (term !== undefined) return WORDS_OF_TERMS[term]?.[door] ?? term;
  const said = pointer === undefined ? undefined : sayField(door, names, bodyOf(body, pointer));
  if (said === undefined) return text;
  const { place, subject, owner } = said;
  if (subject === '') return place;
  if (place !== about.place) return `${subject} of ${place}`;
  return owner === about.owner ? subject : `${subject} of ${owner}`;
}

/** A batch has the definitions of its objectives inside. */
function bodyOf(body: string, pointer: string): string {
  return body === '/batch' && pointer.startsWith('/objectives/') ? pointer : `${body}${pointer}`;
}
