import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RECORD_EXAMPLES } from '../../src/http/native/examples.ts';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { buildOpenApiDocument } from '../../src/http/openapi.ts';
import { readBody } from '../../src/http/register-operations.ts';
import { formatOpenApiDocument, OPENAPI_FILE } from '../support/openapi-file.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is looked at field by field
const document = JSON.parse(JSON.stringify(buildOpenApiDocument())) as any;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('is the one in docs; else run node test/support/write-openapi.ts', async () => {
    expect(await readFile(OPENAPI_FILE, 'utf8')).toBe(formatOpenApiDocument());
  });

  it('refers only to what it has', () => {
    for (const [, kind, name] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      expect(document.components[kind!]).toHaveProperty(name!);
    }
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('has every operation under a name of its own', () => {
    const names = NATIVE_OPERATIONS.map((operation) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    const documented = Object.values(document.paths).flatMap((path) => Object.keys(path as object)).length;
    expect(documented).toBe(names.length);
  });

  it.each(NATIVE_OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
    'documents the statuses of %s',
    (_, operation) => {
      const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
      const statuses = Object.keys(responses).map(Number);
      expect(statuses).toEqual(expect.arrayContaining([401, 403, 429, 500, 503]));
      if (operation.path.includes('{')) expect(statuses).toEqual(expect.arrayContaining([400, 404]));
      if (operation.body !== undefined) expect(statuses).toEqual(expect.arrayContaining([400, 413, 415]));
      expect(statuses.some((status) => status < 300)).toBe(true);
      if (operation.operationId === 'suggestInverse') expect(statuses).toEqual(expect.arrayContaining([201, 202, 409]));
    },
  );

  const answered = NATIVE_OPERATIONS.flatMap((operation) => Object.values(operation.answers)).flatMap(({ schema }) =>
    schema instanceof z.ZodObject ? [schema] : [],
  );
  const schemaOf = (name: string) => answered.find((schema) => z.globalRegistry.get(schema)?.id === name);
  it.each(Object.keys(RECORD_EXAMPLES))('has an example of %s with exactly its fields', (name) => {
    const [example] = document.components.schemas[name].examples;
    expect(z.strictObject(schemaOf(name)!.shape).safeParse(example).error).toBeUndefined();
  });

  const bodies = NATIVE_OPERATIONS.filter((operation) => operation.body !== undefined);
  it.each(bodies.map((operation) => [operation.operationId, operation] as const))(
    'has examples for the body of %s, and they are accepted',
    (_, operation) => {
      const examples = z.globalRegistry.get(operation.body!.schema)?.examples as readonly unknown[];
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) expect(readBody(operation.body!, example).violations).toEqual([]);
    },
  );
});
