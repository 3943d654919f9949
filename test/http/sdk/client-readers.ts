/**
 * Fields that published clients that cannot run in these tests read from an answer, as strict schemas. Each follows the
 * client's public source, which is named with it: these are interpretations of the source, not the clients themselves.
 * Fields that a client ignores are left out; a field that it accepts unchecked is required all the same.
 */
import { z } from 'zod';

/** A reader per kind of answer. */
export interface ClientReader {
  readonly account: z.ZodType;
  readonly model: z.ZodType;
  readonly project: z.ZodType;
  readonly trial: z.ZodType;
  readonly objective: z.ZodType;
  readonly inverse: z.ZodType;
  readonly error: z.ZodType;
}

const OBJECTIVE_TYPES = [
  'exact',
  'percent',
  'value',
  'lessthan',
  'lessthan_equal',
  'greaterthan',
  'greaterthan_equal',
  'minimize',
  'maximize',
] as const;
const INPUT_TYPES = ['boolean', 'category', 'float', 'integer'] as const;

/** Date and time as every client's parser accepts it. */
const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const numbers = z.array(z.number());
const rows = z.array(numbers);
const textMap = z.record(z.string(), z.string());

/**
 * PHP, globalmoo/globalmoo-sdk: typed constructor parameters in src/*.php, filled by Symfony's serializer. A parameter
 * that is neither nullable nor optional must be present; int refuses fractions; enums accept only their cases.
 */
function phpReader(): ClientReader {
  const base = { id: z.int(), createdAt: instant, updatedAt: instant, disabledAt: instant.nullable() };
  const result = z.looseObject({
    ...base,
    number: z.int(),
    objective: z.number(),
    objectiveType: z.enum(OBJECTIVE_TYPES),
    minimumBound: z.number(),
    maximumBound: z.number(),
    output: z.number(),
    error: z.number(),
    detail: z.string().nullable(),
    satisfied: z.boolean(),
  });
  const inverse = z.looseObject({
    ...base,
    loadedAt: instant.nullable(),
    satisfiedAt: instant.nullable(),
    stoppedAt: instant.nullable(),
    exhaustedAt: instant.nullable(),
    iteration: z.int(),
    input: numbers,
    output: numbers,
    l1Norm: z.number(),
    suggestTime: z.int(),
    computeTime: z.int(),
    results: z.array(result),
  });
  const objective = z.looseObject({
    ...base,
    optimalInverse: inverse.nullable(),
    number: z.int(),
    attemptCount: z.int(),
    stopReason: z.literal([0, 1, 2, 3]),
    desiredL1Norm: z.number(),
    objectives: numbers,
    objectiveTypes: z.array(z.enum(OBJECTIVE_TYPES)),
    minimumBounds: numbers,
    maximumBounds: numbers,
    inverses: z.array(inverse),
  });
  const trial = z.looseObject({
    ...base,
    number: z.int(),
    outputCount: z.int(),
    outputCases: rows,
    caseCount: z.int(),
    objectives: z.array(objective),
  });
  const project = z.looseObject({
    ...base,
    developedAt: instant.nullable(),
    name: z.string(),
    inputCount: z.int(),
    minimums: numbers,
    maximums: numbers,
    inputTypes: z.array(z.enum(INPUT_TYPES)),
    categories: z.array(z.unknown()),
    inputCases: rows,
    caseCount: z.int(),
    trials: z.array(trial),
  });
  const name = { company: z.string(), name: z.string(), firstName: z.string(), lastName: z.string().nullable() };
  const optional = {
    apiKey: z.string().nullable(),
    timeZone: z.string().nullable(),
    customerId: z.string().nullable(),
  };
  return {
    account: z.looseObject({ ...base, ...name, ...optional, email: z.string() }),
    model: z.looseObject({
      ...base,
      name: z.string(),
      description: z.string().nullable(),
      projects: z.array(project),
    }),
    project,
    trial,
    objective,
    inverse,
    error: z.looseObject({ status: z.int(), title: z.string(), message: z.string(), errors: z.array(textMap) }),
  };
}

/**
 * C#, GMOO.SDK: ResponseTypes.cs, filled by System.Text.Json with default rules: an int has 32 bits, a long 64, a number,
 * flag or instant that is not nullable refuses null. Lists are enumerated without a check for null.
 */
function csharpReader(): ClientReader {
  const int32 = z.int32();
  const text = z.string().nullable();
  const base = { id: int32, createdAt: instant, updatedAt: instant, disabledAt: instant.nullable() };
  const result = z.looseObject({
    ...base,
    number: int32,
    objective: z.number(),
    objectiveType: text,
    minimumBound: z.number(),
    maximumBound: z.number(),
    output: z.number(),
    error: z.number(),
    detail: text,
    satisfied: z.boolean(),
  });
  const inverse = z.looseObject({
    ...base,
    loadedAt: instant.nullable(),
    satisfiedAt: instant.nullable(),
    stoppedAt: instant.nullable(),
    exhaustedAt: instant.nullable(),
    iteration: int32,
    l1Norm: z.number(),
    suggestTime: z.int(),
    computeTime: z.int(),
    input: numbers,
    output: numbers,
    errors: numbers,
    results: z.array(result),
  });
  const objective = z.looseObject({
    ...base,
    optimalInverse: inverse.nullable(),
    attemptCount: int32,
    stopReason: int32,
    desiredL1Norm: z.number(),
    objectives: numbers,
    objectiveTypes: z.array(z.string()),
    minimumBounds: numbers,
    maximumBounds: numbers,
    inverses: z.array(inverse),
  });
  const trial = z.looseObject({
    ...base,
    number: int32,
    outputCount: int32,
    outputCases: rows,
    caseCount: int32,
    objectives: z.array(objective),
  });
  const project = z.looseObject({
    ...base,
    developedAt: instant.nullable(),
    name: text,
    inputCount: int32,
    minimums: numbers,
    maximums: numbers,
    inputTypes: z.array(z.string()),
    categories: z.array(z.string()),
    inputCases: rows,
    caseCount: int32,
    trials: z.array(trial),
  });
  const person = { firstName: text, lastName: text, company: text, name: text, email: text };
  return {
    account: z.looseObject({ ...base, ...person, apiKey: text, timeZone: text, customerId: text }),
    model: z.looseObject({ ...base, name: text, description: text, projects: z.array(project) }),
    project,
    trial,
    objective,
    inverse,
    error: z.looseObject({ status: int32, title: text, message: text, errors: z.array(textMap) }),
  };
}

/**
 * JavaScript, @globalmoo/globalmoo-sdk: src/models/*.js. Plain objects; fields that its constructors check or use (name and
 * types of a project, counts of a trial, times of an inverse) are required, the rest only if its methods use them.
 */
function javascriptReader(): ClientReader {
  const base = { id: z.number(), createdAt: instant, updatedAt: instant, disabledAt: instant.nullable() };
  const result = z.looseObject({
    ...base,
    number: z.number(),
    objective: z.number(),
    objectiveType: z.string(),
    minimumBound: z.number(),
    maximumBound: z.number(),
    output: z.number(),
    error: z.number(),
    detail: z.string(),
    satisfied: z.boolean(),
  });
  const inverse = z.looseObject({
    ...base,
    loadedAt: instant.nullable(),
    satisfiedAt: instant.nullable(),
    stoppedAt: instant.nullable(),
    exhaustedAt: instant.nullable(),
    iteration: z.number(),
    l1Norm: z.number(),
    suggestTime: z.number(),
    computeTime: z.number(),
    input: numbers,
    output: numbers,
    errors: numbers,
    results: z.array(result),
  });
  const objective = z.looseObject({
    ...base,
    optimalInverse: inverse.nullable(),
    attemptCount: z.number(),
    stopReason: z.number(),
    desiredL1Norm: z.number(),
    objectives: numbers,
    objectiveTypes: z.array(z.string()),
    minimumBounds: numbers,
    maximumBounds: numbers,
    inverses: z.array(inverse),
  });
  const trial = z.looseObject({
    ...base,
    number: z.number(),
    caseCount: z.number(),
    outputCount: z.number(),
    outputCases: rows,
    objectives: z.array(objective),
  });
  const project = z.looseObject({
    ...base,
    developedAt: instant.nullable(),
    name: z.string().min(4),
    inputCount: z.number(),
    minimums: numbers,
    maximums: numbers,
    inputTypes: z.array(z.string()),
    categories: z.array(z.string()),
    inputCases: rows,
    caseCount: z.number(),
    trials: z.array(trial),
  });
  const person = { company: z.string(), firstName: z.string(), lastName: z.string(), name: z.string() };
  const rest = { email: z.string(), apiKey: z.string(), timeZone: z.string(), customerId: z.string() };
  return {
    account: z.looseObject({ ...base, ...person, ...rest }),
    model: z.looseObject({ ...base, name: z.string(), description: z.string().nullable(), projects: z.array(project) }),
    project,
    trial,
    objective,
    inverse,
    error: z.looseObject({ status: z.number(), title: z.string(), message: z.string(), errors: z.array(textMap) }),
  };
}

export const CLIENT_READERS: Readonly<Record<string, ClientReader>> = {
  'PHP (src/*.php)': phpReader(),
  'C# (ResponseTypes.cs)': csharpReader(),
  // The spreadsheet add-in's src/taskpane/types/gmoo.ts declares the same fields as plain types.
  'JavaScript (src/models/*.js) and the Excel add-in': javascriptReader(),
};
