/** The fields of a new project that describe its inputs and outputs. */

import { z } from 'zod';
import { describeWrongType } from '../../../domain/errors.ts';
import { refTerm } from '../../../domain/messages.ts';
import { MAXIMUM_CONSTRAINTS, MAXIMUM_LEVELS, WIDE_RANGE } from '../../../domain/problem/input-details.ts';
import { InputType, Scale } from '../../../domain/problem/input-space.ts';
import { MAXIMUM_LABEL_LENGTH } from '../../../domain/problem/names.ts';
import { MAXIMUM_INPUT_COUNT, PROJECT_NAME_MINIMUM_LENGTH, parseInputType } from '../../../domain/problem/project.ts';
import { nameSchema } from '../../wire/fields.ts';
import { MAXIMUM_CATEGORY_COUNT, MAXIMUM_NAME_LENGTH, MAXIMUM_OUTPUT_COUNT } from '../../wire/limits.ts';
import {
  arrayFault,
  documentAs,
  listSchema,
  type NamedValues,
  namedInputValue,
  nullableVectorSchema,
  vectorSchema,
} from '../../wire/vectors.ts';

export const INPUTS = { minimum: 1, maximum: MAXIMUM_INPUT_COUNT };
const INPUT_TYPE_WORDS =
  'float, integer, boolean or category (or CONTINUOUS, INTEGER, LOGICAL, CATEGORICAL; in any case)';
const OTHER_INPUT_TYPE_WORDS = ['CONTINUOUS', 'INTEGER', 'LOGICAL', 'CATEGORICAL'];

export const projectName = nameSchema({ minimum: PROJECT_NAME_MINIMUM_LENGTH, maximum: MAXIMUM_NAME_LENGTH });

const inputTypeWord = z
  .unknown()
  .transform((word, issues): InputType => {
    const type = typeof word === 'string' ? parseInputType(word) : undefined;
    if (type !== undefined) return type;
    issues.addIssue({ code: 'custom', message: describeWrongType(INPUT_TYPE_WORDS, word), input: word });
    return z.NEVER;
  })
  .meta({
    type: 'string',
    enum: [...Object.values(InputType), ...OTHER_INPUT_TYPE_WORDS],
    description: INPUT_TYPE_WORDS,
  });

const categoryName = nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH });
const NAMES = { minimum: 0, maximum: MAXIMUM_CATEGORY_COUNT };

/** Violations reported per list of names; a thousand wrong lists of a thousand wrong names must stay cheap. */
const NAMED_FAULTS = 3;

/** One entry of `categories`: a list of names, null or, in the flat form, one name. */
const categoryEntry = z
  .unknown()
  .transform((entry, issues): string | string[] | null => {
    if (entry === null) return null;
    const isList = Array.isArray(entry);
    const lengthFault = isList ? arrayFault(entry, NAMES, 'names') : undefined;
    if (lengthFault !== undefined) {
      issues.addIssue({ code: 'custom', message: lengthFault, input: entry });
      return z.NEVER;
    }
    let faultCount = 0;
    for (const [position, name] of (isList ? entry : [entry]).entries()) {
      const issue = faultCount < NAMED_FAULTS ? categoryName.safeParse(name).error?.issues[0] : undefined;
      if (issue === undefined) continue;
      faultCount++;
      const message =
        issue.code === 'custom' ? issue.message : `must be a name, a list of names or ${refTerm('nothing', 'null')}.`;
      issues.addIssue({ code: 'custom', path: isList ? [position] : [], message, input: name });
    }
    return faultCount > 0 ? z.NEVER : (entry as string | string[]);
  })
  .meta(documentAs(z.union([categoryName, z.array(categoryName), z.null()])));

export const spaceFields = {
  inputCount: z.int().min(1).max(MAXIMUM_INPUT_COUNT),
  minimums: vectorSchema(INPUTS, z.number()),
  maximums: vectorSchema(INPUTS, z.number()),
  inputTypes: listSchema(inputTypeWord, INPUTS, 'input types', inputTypeWord),
  categories: listSchema(categoryEntry, NAMES, 'entries', z.array(categoryName).nullable())
    .nullish()
    .transform((entries) => entries ?? [])
    .describe(
      'One list of names per input (null or empty where the input is not a category), or one flat list of names when exactly one input is a category. The first name has the number minimum, the next one minimum + 1, and so on.',
    ),
};

const label = nameSchema({ minimum: 1, maximum: MAXIMUM_LABEL_LENGTH });
const optionalList = <T>(element: z.ZodType<T>, entries: string, what: string) =>
  listSchema(element, INPUTS, entries, element)
    .nullish()
    .transform((entries) => entries ?? null)
    .describe(what);
const optionalNumbers = (what: string) =>
  nullableVectorSchema(INPUTS, z.number().nullable())
    .nullish()
    .transform((numbers) => numbers ?? null)
    .describe(what);

/** @param named  see vectorSchema; in answers, coefficients are arrays */
export function constraintSchema(named?: NamedValues) {
  const coefficients = vectorSchema(INPUTS, named);
  const linear = z.strictObject({
    coefficients,
    relation: z.enum(['<=', '>=', '=']),
    bound: z.number(),
    name: label.optional(),
  });
  return z.union([z.string(), linear], {
    error: 'must be an expression such as "2*x1 - x2 <= 3", or an object with coefficients, relation and bound.',
  });
}

const levelsOfInput = vectorSchema({ minimum: 2, maximum: MAXIMUM_LEVELS }).nullable();

const unit = nameSchema({ minimum: 0, maximum: MAXIMUM_LABEL_LENGTH });
const OUTPUTS = { minimum: 1, maximum: MAXIMUM_OUTPUT_COUNT };

export const nameFields = {
  inputNames: listSchema(label, INPUTS, 'names')
    .nullable()
    .describe('One name per input, used in constraints and in objects by name; default: x1, x2, ...'),
  inputUnits: listSchema(unit, INPUTS, 'units').nullable().describe('One unit per input, as text.'),
  outputNames: listSchema(label, OUTPUTS, 'names')
    .nullable()
    .describe('One name per output; default: y1, y2, ... Their number sets outputCount if that is left out.'),
  outputUnits: listSchema(unit, OUTPUTS, 'units').nullable().describe('One unit per output, as text.'),
};

export const detailFields = {
  scales: optionalList(
    z.enum(Object.values(Scale)).nullable(),
    'scales',
    `log for a positive number that varies by factors rather than by differences; linear or null otherwise. The clients, \`run\`, \`batch\` and the page send log where maximum / minimum is ${WIDE_RANGE} or more and no scale is stated.`,
  ),
  steps: optionalNumbers('A float with a step takes only the values minimum + k * step; null for any value.'),
  levels: listSchema(levelsOfInput, INPUTS, 'lists of levels', levelsOfInput)
    .nullish()
    .transform((entries) => entries ?? null)
    .describe('The only values a number takes, in ascending order; null for any value.'),
  likelyMinimums: optionalNumbers(
    'With likelyMaximums, a range inside the bounds that probably contains the solution. Designed cases and the first suggestions are inside it; without constraints, the last of two or more designed cases is outside.',
  ),
  likelyMaximums: optionalNumbers('See likelyMinimums.'),
  constraints: listSchema(constraintSchema(z.number()), { minimum: 0, maximum: MAXIMUM_CONSTRAINTS }, 'constraints')
    .nullish()
    .transform((entries) => (entries == null || entries.length === 0 ? null : entries))
    .describe(
      'Conditions among the inputs that every designed case and every suggestion satisfies. Equations must be linear.',
    ),
  feasibleInput: vectorSchema(INPUTS, namedInputValue)
    .nullish()
    .transform((input) => input ?? null)
    .describe('An input that satisfies the constraints, for when the service finds none.'),
};
