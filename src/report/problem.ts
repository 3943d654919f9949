/** The problem as it was stated: inputs, conditions, targets and search options. */
import { GOAL_TYPES } from '../../clients/typescript/src/generated/goal-types.ts';
import { askedOf } from '../presentation/asked.ts';
import type { Head } from '../presentation/columns.ts';
import { counted, short, withUnit } from '../presentation/formats.ts';
import { wantedText } from '../presentation/margin.ts';
import { inputNames, inputText, outputNames } from '../presentation/values.ts';
import { type Block, type Cell, type Column, heading, list, paragraph } from './document.ts';
import type { Subject } from './source.ts';

/** More levels or categories are counted. */
const MOST_VALUES = 12;
/** Rows of a table of targets; a fit may have thousands of values. */
const MOST_TARGETS = 200;

type Constraint = NonNullable<Subject['project']['constraints']>[number];

export function problemBlocks(subject: Subject): readonly Block[] {
  const { head, caseCount } = subject;
  const conditions = conditionsOf(subject);
  return [
    heading('Problem'),
    heading('Inputs', 3),
    inputTable(subject),
    ...(conditions.length === 0 ? [] : [paragraph('Conditions among the inputs:'), ...list(conditions)]),
    heading('Targets', 3),
    ...targetBlocks(head),
    ...list(askedOf(head)),
    ...(caseCount === 0 ? [] : [paragraph(`The search knows the ${counted(caseCount, 'case')} of the trial as well.`)]),
    ...(head.continues === null ? [] : [paragraph(`It continues objective ${head.continues}, whose runs it knows.`)]),
  ];
}

function inputTable({ head, project }: Subject): Block {
  const names = inputNames(head);
  const isStated = (i: number) => head.fixedInputs?.[i] != null;
  const rows = names.map((name, i): readonly Cell[] => [
    name,
    head.inputUnits?.[i] || '–',
    head.inputTypes[i]!,
    inputText(head, i, head.minimums[i]!),
    inputText(head, i, head.maximums[i]!),
    head.scales?.[i] ?? '–',
    isStated(i) ? `fixed at ${inputText(head, i, head.fixedInputs![i]!)}` : valuesOf({ head, project }, i),
  ]);
  const columns: readonly Column[] = [
    { title: 'Input' },
    { title: 'Unit' },
    { title: 'Type' },
    { title: 'From', isNumber: true },
    { title: 'To', isNumber: true },
    { title: 'Scale' },
    { title: 'Values' },
  ];
  return { kind: 'table', label: 'Inputs of the problem', ...withoutEmpty(columns, rows) };
}

function valuesOf({ head, project }: Pick<Subject, 'head' | 'project'>, i: number): string {
  if (head.inputTypes[i] === 'category') return someOf(head.categories[i]!);
  const levels = project.levels?.[i];
  if (levels != null) return someOf(levels.map(short));
  const step = project.steps?.[i];
  if (step != null) return `step ${withUnit(short(step), head.inputUnits?.[i])}`;
  return head.inputTypes[i] === 'float' ? 'any' : '–';
}

function someOf(values: readonly string[]): string {
  const rest = values.length - MOST_VALUES;
  return `${values.slice(0, MOST_VALUES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function conditionsOf({ head, project }: Subject): readonly string[] {
  const names = inputNames(head);
  return [...(project.constraints ?? []), ...(head.constraints ?? [])].map((one) => conditionText(one, names));
}

function conditionText(one: Constraint, names: readonly string[]): string {
  if (typeof one === 'string') return one;
  const terms = one.coefficients.flatMap((factor, i) => {
    if (factor === 0) return [];
    return [factor === 1 ? names[i]! : `${short(factor)} × ${names[i]}`];
  });
  const text = `${terms.join(' + ').replaceAll('+ −', '− ') || '0'} ${one.relation} ${short(one.bound)}`;
  return one.name === undefined ? text : `${one.name}: ${text}`;
}

function targetBlocks(head: Head): readonly Block[] {
  const names = outputNames(head);
  const shown = names.slice(0, MOST_TARGETS);
  const rows = shown.map((name, j): readonly Cell[] => [
    name,
    head.outputUnits?.[j] || '–',
    wantedText(head, j),
    kindOf(head, j),
    toleranceOf(head, j),
    head.weights === null ? '–' : short(head.weights[j]!),
    head.priorities === null ? '–' : String(head.priorities[j]),
  ]);
  const columns: readonly Column[] = [
    { title: 'Output' },
    { title: 'Unit' },
    { title: 'Wanted' },
    { title: 'Stated as' },
    { title: 'Tolerance', isNumber: true },
    { title: 'Weight', isNumber: true },
    { title: 'Priority', isNumber: true },
  ];
  return [
    { kind: 'table', label: 'Targets of the problem', ...withoutEmpty(columns, rows) },
    ...(shown.length < names.length
      ? [paragraph(`The first ${shown.length} of ${names.length} outputs.`, 'hint')]
      : []),
  ];
}

/** The target as it was stated, for example "50 −1 % +1 %". */
function kindOf(head: Head, j: number): string {
  const [type, target] = [head.objectiveTypes[j]!, head.objectives[j] ?? null];
  if (target === null) return type === 'fit' ? '–' : type;
  const [low, high] = [head.minimumBounds[j], head.maximumBounds[j]];
  const { direction, offsets } = GOAL_TYPES[type];
  if (direction !== 'none') return `${direction}, at best ${short(target)}`;
  if (offsets === null || low == null || high == null) return '–';
  const withSuffix = (text: string) => withUnit(text, offsets.suffix.trim());
  const signed = (value: number) => withSuffix(`${value >= 0 ? '+' : ''}${short(value)}`);
  return -low === high
    ? `${short(target)} ± ${withSuffix(short(high))}`
    : `${short(target)} ${signed(low)} ${signed(high)}`;
}

function toleranceOf(head: Head, j: number): string {
  const hasOne = head.objectives[j] !== null && head.objectiveTypes[j] !== 'fit' && head.l1Threshold === null;
  return hasOne ? short(head.tolerances[j]!) : '–';
}

/** Columns in which no row says anything are left out. */
function withoutEmpty(columns: readonly Column[], rows: readonly (readonly Cell[])[]) {
  const kept = [...columns.keys()].filter((c) => c === 0 || rows.some((row) => row[c] !== '–'));
  return { columns: kept.map((c) => columns[c]!), rows: rows.map((row) => kept.map((c) => row[c]!)) };
}
