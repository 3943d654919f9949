/** The text of a new problem file, from the answers to the questions of `init`. */
import { parseTolerance } from './goals.ts';

/** A problem file that was made of another one. */
export interface NewText {
  readonly text: string;
  /** Whole sentences about what became of the rest. */
  readonly notes: readonly string[];
}

export interface InputAnswer {
  readonly name: string;
  /** Lines of the file: keys and values. */
  readonly entry: string;
}

type Read<T> = { readonly kind: 'value'; readonly value: T } | { readonly kind: 'fault'; readonly message: string };

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;
const LONGEST_NAME = 64;

/** `length 10 80 mm`, `bolts 2 8 integer`, `steel S235,S355`, `welded yes/no` */
export function readInputAnswer(text: string, taken: readonly string[]): Read<InputAnswer> {
  const [name = '', ...words] = text.trim().split(/\s+/);
  const nameFault = faultOfName(name, taken);
  if (nameFault !== undefined) return fault(nameFault);
  const rest = words.join(' ');
  if (/^yes\s*\/\s*no$/i.test(rest)) return value({ name, entry: '{type: boolean}' });
  if (rest.includes(',')) {
    const values = rest.split(',').map((word) => word.trim());
    if (values.includes('')) return fault('Write the values with commas between them: S235,S355.');
    if (values.every((one) => NUMBER.test(one))) return value({ name, entry: `{values: [${values.join(', ')}]}` });
    return value({ name, entry: `{type: category, values: [${values.map(quote).join(', ')}]}` });
  }
  const [minimum = '', maximum = '', ...others] = words;
  if (!NUMBER.test(minimum) || !NUMBER.test(maximum)) {
    return fault(
      'Write its name, the smallest and the largest value: length 10 80 mm. Or its values: steel S235,S355.',
    );
  }
  if (!(Number(minimum) < Number(maximum))) return fault(`The largest value must be above the smallest, ${minimum}.`);
  const isInteger = others[0] === 'integer';
  const unit = others.slice(isInteger ? 1 : 0).join(' ');
  const parts = [...(isInteger ? ['type: integer'] : []), ...unitOf(unit)];
  return value({ name, entry: `{${[...parts, `minimum: ${minimum}`, `maximum: ${maximum}`].join(', ')}}` });
}

/** `sag 0.8 5% mm`, `mass < 1.4 kg`, `cost min 20`, `life max 1e6`, `level fit level.csv time level 0.02 m` */
export function readOutputAnswer(text: string, taken: readonly string[]): Read<InputAnswer> {
  const spaced = text.replace(/(<=|>=|<|>)/g, ' $1 ');
  const [name = '', ...words] = spaced.trim().split(/\s+/);
  const nameFault = faultOfName(name, taken);
  if (nameFault !== undefined) return fault(nameFault);
  const [first = '', second = '', ...unit] = words;
  if (first === 'fit') return readFitAnswer(name, words.slice(1));
  const key = ONE_SIDED[first];
  if (key !== undefined) {
    if (!NUMBER.test(second)) return fault(`Write a number after ${first}.`);
    return value({ name, entry: `{${[...unitOf(unit.join(' ')), `${key}: ${second}`].join(', ')}}` });
  }
  if (!NUMBER.test(first) || parseTolerance(second) === undefined) {
    return fault('Write its name, its target and how far off it may be: sag 0.8 5% mm. Or a limit: mass < 1.4 kg.');
  }
  const parts = [...unitOf(unit.join(' ')), `target: ${first}`, `within: ${second}`];
  return value({ name, entry: `{${parts.join(', ')}}` });
}

/** A CSV file with its columns, then the standard error if it is known, then the unit. */
function readFitAnswer(name: string, [data, x, y, ...rest]: readonly string[]): Read<InputAnswer> {
  if (data === undefined || x === undefined || y === undefined) {
    return fault(
      'After fit write a CSV file, its columns x and y, and the standard error if you know it: fit level.csv time level 0.02.',
    );
  }
  const hasError = NUMBER.test(rest[0] ?? '');
  if (hasError && !(Number(rest[0]) > 0)) return fault(`The standard error must be positive, is ${rest[0]}.`);
  const stated = [
    `data: ${quote(data)}`,
    `x: ${quote(x)}`,
    `y: ${quote(y)}`,
    ...(hasError ? [`sigma: ${rest[0]}`] : []),
  ];
  const parts = [...unitOf(rest.slice(hasError ? 1 : 0).join(' ')), `fit: {${stated.join(', ')}}`];
  return value({ name, entry: `{${parts.join(', ')}}` });
}

const ONE_SIDED: Readonly<Record<string, string>> = {
  '<': 'below',
  '<=': 'atMost',
  '>': 'above',
  '>=': 'atLeast',
  min: 'minimize',
  max: 'maximize',
};

/** Words with quotes around those that hold spaces, as a shell splits them. */
export function readCommandAnswer(text: string): Read<readonly string[]> {
  if (/[|<>&;$`*]/.test(text))
    return fault('A plain command, please; write what needs a shell as a script of its own.');
  const words = text.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  if (words.length === 0) return fault('Which program computes the outputs? For example: python3 model.py');
  return value(words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')));
}

export interface NewProblem {
  readonly name: string;
  readonly inputs: readonly InputAnswer[];
  readonly outputs: readonly InputAnswer[];
  readonly command: readonly string[];
  readonly jobs: number;
  readonly maximumRuns: number;
}

export function formatProblemFile({ name, inputs, outputs, command, jobs, maximumRuns }: NewProblem): string {
  const list = (answers: readonly InputAnswer[]) =>
    answers.map((one) => `  ${quote(one.name)}: ${one.entry}`).join('\n');
  return `# A problem for Backsolve; docs/problem-file.md explains every key.
# Look for mistakes: backsolve run --check FILE     Solve it: backsolve run FILE
name: ${quote(name)}

# What may be changed, and between which bounds. More keys: step: 0.05, scale: log, likely: [from, to].
inputs:
${list(inputs)}

# Conditions among the inputs, such as ["length + 3*bolts <= 90"].
constraints: []

# What is wanted: target with within (5%, 0.05, -1% +3%), below, atMost, above, atLeast, minimize or maximize. Or data:
# fit: {data: level.csv, x: time, y: level, sigma: 0.02}; the command then gives an array, or {"x": [...], "y": [...]}.
outputs:
${list(outputs)}

# It gets {"inputByName": {...}} on standard input, and prints a JSON array of the outputs, in their order, as its last line. Where it knows
# their derivatives by the inputs: {"output": [...], "jacobian": [[...], ...]}, a row per output, or jacobian: {file: slopes.csv} below.
command: [${command.map((word) => JSON.stringify(word)).join(', ')}]

jobs: ${jobs}            # runs at a time
timeout: 1 h       # of one run
maximumRuns: ${maximumRuns}   # designed runs included
`;
}

export const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  'bracket.yaml': `# A bracket: how long, how thick, how many bolts and which steel give the wanted mass and sag?
# Solve it: backsolve run bracket.yaml
name: Bracket
inputs:
  length:    {unit: mm, minimum: 10, maximum: 80, step: 0.05}
  thickness: {unit: mm, minimum: 2, maximum: 12}
  bolts:     {type: integer, minimum: 2, maximum: 8}
  steel:     {type: category, values: [S235, S355]}
constraints: ["length + 3*bolts <= 90"]
outputs:
  mass: {unit: kg, target: 0.6, within: 1%}
  sag:  {unit: mm, target: 0.3, within: 5%}
command: ["node", "bracket.mjs"]
jobs: 2
timeout: 1 min
maximumRuns: 100
`,
  'bracket.mjs': `// The black box of the example: reads an input, computes, prints the outputs. Yours may be anything that can be called.
import { readFileSync } from 'node:fs';

const { inputByName } = JSON.parse(readFileSync(0, 'utf8'));
const { length, thickness, bolts, steel } = inputByName;
const width = 120;
const load = steel === 'S355' ? 5200 : 3600;
const mass = 7.85e-6 * length * thickness * width + 0.021 * bolts;
const sag = (4 * load * length ** 3) / (210000 * width * thickness ** 3) + 0.5 / bolts;
console.log(JSON.stringify([mass, sag]));
`,
};

function faultOfName(name: string, taken: readonly string[]): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return 'A name consists of letters, digits and _, and begins with a letter.';
  if (name.length > LONGEST_NAME) return `A name has at most ${LONGEST_NAME} characters.`;
  return taken.includes(name) ? `${name} is there already.` : undefined;
}

function unitOf(unit: string): readonly string[] {
  return unit === '' ? [] : [`unit: ${quote(unit)}`];
}

/** As YAML reads it back as the same text. */
export function quote(text: string): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_. ()/-]*$/.test(text) && !/^(true|false|null|y|n|yes|no|on|off)$/i.test(text);
  return isPlain && !/\s$/.test(text) ? text : JSON.stringify(text);
}

function fault(message: string): { readonly kind: 'fault'; readonly message: string } {
  return { kind: 'fault', message };
}

function value<T>(of: T): { readonly kind: 'value'; readonly value: T } {
  return { kind: 'value', value: of };
}
