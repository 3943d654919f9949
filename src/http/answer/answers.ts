/** The usual answers of both dialects, each with the part of the OpenAPI document that describes it. */
import { z } from 'zod';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Answer, AnswerSpec } from '../operation/operation.ts';
import { nextPageLink } from '../wire/pages.ts';
import { JsonArray } from './json-array.ts';

type AnswerSpecs = Readonly<Record<number, AnswerSpec>>;

export const ok = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({ 200: { description, schema } }),
  answer: (body: unknown): Answer => ({ status: 200, body }),
  /** For a body that contains a JsonArray. */
  written: (body: object): Answer => ({ status: 200, body, isWritten: true }),
};

export const created = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({
    201: { description, schema, headers: { Location: 'Path of the new record.' } },
  }),
  answer: (location: string, body: unknown): Answer => ({ status: 201, body, headers: { location } }),
  /** For a body that contains a Matrix. */
  written: (location: string, body: object): Answer => ({ ...created.answer(location, body), isWritten: true }),
};

/** For a new record that its dialect cannot read on its own: no Location. */
export const createdWithoutPath = {
  spec: (description: string, schema: z.ZodType): AnswerSpecs => ({ 201: { description, schema } }),
  answer: (body: unknown): Answer => ({ status: 201, body }),
  written: (body: object): Answer => ({ status: 201, body, isWritten: true }),
};

export const noContent = {
  spec: { 204: { description: 'No content.' } } as AnswerSpecs,
  answer: { status: 204 } as Answer,
};

interface PagedCall {
  readonly url: string;
  readonly page: PageRequest;
  readonly numbers?: Readonly<Record<string, number | string | null>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, boolean>>;
}

/** Names the next page, if there is one. */
export function nextPageHeaders(call: PagedCall, nextAfter: number | null): Readonly<Record<string, string>> {
  const link = nextPageLink(call.url, call.page.limit, nextAfter, {
    ...call.numbers,
    ...call.texts,
    ...Object.fromEntries(Object.entries(call.flags ?? {}).flatMap(([name, isSet]) => (isSet ? [[name, 'true']] : []))),
    order: call.page.isNewestFirst ? 'newest' : null,
  });
  return link === undefined ? {} : { link };
}

/** A bare array; the Link header names the next page. */
export const pageOf = {
  spec: (description: string, schema: z.ZodType, otherTypes: AnswerSpec['otherTypes'] = {}): AnswerSpecs => ({
    200: {
      description,
      schema: z.array(schema),
      otherTypes,
      headers: { Link: 'The next page as rel="next", absent on the last page.' },
    },
  }),
  answer<T>(call: PagedCall, page: Page<T>, present: (item: T) => unknown): Answer {
    const headers = nextPageHeaders(call, page.nextAfter);
    return { status: 200, body: page.items.map(present), ...('link' in headers && { headers }) };
  },
  /** For items that are read while the answer is being written. */
  written<T>(
    call: PagedCall,
    page: { readonly nextAfter: number | null; readonly batches: AsyncIterable<readonly T[]> },
    present: (item: T) => unknown,
  ): Answer {
    const { headers } = pageOf.answer(call, { items: [], nextAfter: page.nextAfter }, present);
    return { ...ok.written(JsonArray.of(page.batches, present)), ...(headers && { headers }) };
  },
};
