/** The body of every error: RFC 9457 with the fields that existing clients read. */
import { z } from 'zod';
import type { Violation } from '../../domain/errors.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

const violationFields = {
  property: z.string().describe('For example objectives[2].'),
  pointer: z.string().describe('The same as a JSON Pointer, for example /objectives/2.'),
  message: z.string(),
};

const part = z.object({
  text: z.string().describe('In the words of the interface.'),
  pointer: z.string().optional().describe('The field that the text names, as a JSON Pointer into the body.'),
  input: z.int().optional().describe('The zero-based number of the input that the text names.'),
  output: z.int().optional().describe('The zero-based number of the output that the text names.'),
  term: z
    .string()
    .optional()
    .describe('What the text means where it is a word of the interface but no field, such as left out for null.'),
});

const EXAMPLE = {
  type: 'urn:backsolve:problem:validation-failed',
  title: 'The request is not valid',
  status: 400,
  detail: 'name: must have at least 4 characters, has 2.',
  instance: '/v1/models',
  message: 'name: must have at least 4 characters, has 2.',
  errors: [{ property: 'name', pointer: '/name', message: 'must have at least 4 characters, has 2.' }],
};

/** Under /api, whose clients read these fields. */
export const problemSchema = describeProblem(violationFields);

/** Under /v1. */
export const nativeProblemSchema = describeProblem({
  ...violationFields,
  parts: z
    .array(part)
    .optional()
    .describe(
      'The message in pieces, where it names fields, inputs, outputs or other words of the interface, so that a program can put its own words there. Their texts together are the message.',
    ),
});

function describeProblem(fields: z.core.$ZodShape) {
  return z
    .object({
      type: z.string().describe('A stable URN that identifies the kind of problem.'),
      title: z.string(),
      status: z.int(),
      detail: z.string().describe('What went wrong in this request and what to do.'),
      instance: z.string().describe('The path of the request; with 409 the path of the iteration that is still open.'),
      message: z.string().describe('Repeats detail.'),
      errors: z.array(z.object(fields)),
    })
    .meta({ id: 'Problem', examples: [EXAMPLE] });
}

export interface Problem extends Omit<ProblemFacts, 'kind' | 'violations'> {
  readonly type: string;
  readonly message: string;
  readonly errors: readonly Violation[];
}

export interface ProblemFacts {
  /** The last part of the URN, in kebab-case. */
  readonly kind: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly violations?: readonly Violation[];
}

export function presentProblem(facts: ProblemFacts): Problem {
  return {
    type: `urn:backsolve:problem:${facts.kind}`,
    title: facts.title,
    status: facts.status,
    detail: facts.detail,
    instance: facts.instance,
    message: facts.detail,
    errors: (facts.violations ?? []).map(({ property, pointer, message, parts }) => ({
      property,
      pointer,
      message,
      ...(parts && { parts }),
    })),
  };
}

/** As under /api. */
export function withoutParts(problem: Problem): Problem {
  return { ...problem, errors: problem.errors.map(({ parts: _, ...violation }) => violation) };
}
