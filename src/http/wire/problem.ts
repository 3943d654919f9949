/** The body of every error: RFC 9457 with the fields that existing clients read. */
import { z } from 'zod';
import type { Violation } from '../../domain/errors.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

export const problemSchema = z
  .object({
    type: z.string().describe('A stable URN that identifies the kind of problem.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What went wrong in this request and what to do.'),
    instance: z.string().describe('The path of the request; with 409 the path of the iteration that is still open.'),
    message: z.string().describe('Repeats detail.'),
    errors: z.array(
      z.object({
        property: z.string().describe('For example objectives[2].'),
        pointer: z.string().describe('The same as a JSON Pointer, for example /objectives/2.'),
        message: z.string(),
      }),
    ),
  })
  .meta({
    id: 'Problem',
    examples: [
      {
        type: 'urn:backsolve:problem:validation-failed',
        title: 'The request is not valid',
        status: 400,
        detail: 'name: must have at least 4 characters, has 2.',
        instance: '/v1/models',
        message: 'name: must have at least 4 characters, has 2.',
        errors: [{ property: 'name', pointer: '/name', message: 'must have at least 4 characters, has 2.' }],
      },
    ],
  });

export type Problem = z.infer<typeof problemSchema>;

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
    errors: (facts.violations ?? []).map(({ property, pointer, message }) => ({ property, pointer, message })),
  };
}
