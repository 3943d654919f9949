/** The usual answers, each with the part of the OpenAPI document that describes it. */
import { z } from 'zod';
import type { Page, PageRequest } from '../../domain/page.ts';
import { JsonArray } from '../answer/json-array.ts';
import type { Answer, AnswerSpec } from '../operation.ts';
import { nextPageLink } from '../wire/pages.ts';

type AnswerSpecs = Readonly<Record<number, AnswerSpec>>;

export const ok = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({ 200: { description, schema } }),
  answer: (body: unknown): Answer => ({ status: 200, body }),
  /** For a body that holds a JsonArray. */
  written: (body: object): Answer => ({ status: 200, body, isWritten: true }),
};

export const created = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({
    201: { description, schema, headers: { Location: 'Path of the new record.' } },
  }),
  answer: (location: string, body: unknown): Answer => ({ status: 201, body, headers: { location } }),
  /** For a body that holds a Matrix. */
  written: (location: string, body: object): Answer => ({ ...created.answer(location, body), isWritten: true }),
};

export const done = {
  spec: { 204: { description: 'Done, nothing to say.' } } as AnswerSpecs,
  answer: { status: 204 } as Answer,
};

/** A bare array; where to go on stands in the Link header. */
export const pageOf = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({
    200: {
      description,
      schema: z.array(schema),
      headers: { Link: 'The next page as rel="next", absent on the last page.' },
    },
  }),
  answer<T>(
    call: { readonly url: string; readonly page: PageRequest },
    page: Page<T>,
    present: (item: T) => unknown,
  ): Answer {
    const link = nextPageLink(call.url, call.page.limit, page.nextAfter);
    return { status: 200, body: page.items.map(present), ...(link !== undefined && { headers: { link } }) };
  },
  /** For items that are read while they are written. */
  written<T>(
    call: { readonly url: string; readonly page: PageRequest },
    page: { readonly nextAfter: number | null; readonly batches: AsyncIterable<readonly T[]> },
    present: (item: T) => unknown,
  ): Answer {
    const { headers } = pageOf.answer(call, { items: [], nextAfter: page.nextAfter }, present);
    return { ...ok.written(JsonArray.of(page.batches, present)), ...(headers && { headers }) };
  },
};
