/** The usual answers, with the schemas that describe them. */
import type { z } from 'zod';
import type { Answer, AnswerSpec } from '../operation.ts';

type AnswerSpecs = Readonly<Record<number, AnswerSpec>>;

export const ok = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({ 200: { description, schema } }),
  answer: (body: unknown): Answer => ({ status: 200, body }),
  /** For a body that holds a JsonArray. */
  written: (body: object): Answer => ({ status: 200, body, isWritten: true }),
};

export const created = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({ 201: { description, schema } }),
  /** Without a location where this dialect has no read for the new record. */
  answer: (body: unknown, location?: string): Answer => ({
    status: 201,
    body,
    ...(location !== undefined && { headers: { location } }),
  }),
  /** For a body that holds a Matrix. */
  written: (body: object, location?: string): Answer => ({ ...created.answer(body, location), isWritten: true }),
};
