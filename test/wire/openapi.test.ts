import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readBody } from '../../src/http/body/read-body.ts';
import { RECORD_EXAMPLES } from '../../src/http/native/examples.ts';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { buildOpenApiDocument, buildSdkOpenApiDocument } from '../../src/http/openapi.ts';
import type { OperationDescription } from '../../src/http/operation/operation.ts';
import { registration } from '../../src/http/sdk/accounts.ts';
import { SDK_OPERATIONS } from '../../src/http/sdk/routes.ts';
import { OPENAPI_FILES } from '../../tools/openapi-file.ts';

it.each(OPENAPI_FILES)('The file $file is up to date; otherwise run tools/write-openapi.ts', async ({ file, text }) => {
  expect(await readFile(file, 'utf8')).toBe(text);
});

interface Dialect {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document is read field by field
  readonly document: any;
  readonly operations: readonly OperationDescription[];
}

const dialects: readonly Dialect[] = [
  { name: 'native', document: JSON.parse(JSON.stringify(buildOpenApiDocument())), operations: NATIVE_OPERATIONS },
  {
    name: 'SDK',
    document: JSON.parse(JSON.stringify(buildSdkOpenApiDocument())),
    operations: [registration, ...SDK_OPERATIONS],
  },
];

const validator = new Validator();

describe.each(dialects)('the OpenAPI document of the $name dialect', ({ document, operations }) => {
  const named = operations.map((operation) => [operation.operationId, operation] as const);
  const withBody = named.filter(([, { body }]) => body !== undefined);

  it('The document is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('The document refers only to its own components', () => {
    for (const [, kind, name] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      expect(document.components[kind!]).toHaveProperty(name!);
    }
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('No description contains an HTML tag, which the reference page would swallow', () => {
    const swallowed: string[] = [];
    JSON.stringify(document, (field: string, value: unknown) => {
      if (['description', 'summary'].includes(field) && typeof value === 'string' && /<[a-z/!]/i.test(value)) {
        swallowed.push(value);
      }
      return value;
    });
    expect(swallowed).toEqual([]);
  });

  it('Every operation has a name of its own in the document', () => {
    const names = operations.map((operation) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    const documented = Object.values(document.paths).flatMap((path) => Object.keys(path as object)).length;
    expect(documented).toBe(names.length);
  });

  it.each(named)('The document lists the statuses of %s', (_, operation) => {
    const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
    const statuses = Object.keys(responses).map(Number);
    expect(statuses).toEqual(expect.arrayContaining([403, 429, 500, 503]));
    expect(statuses.includes(401)).toBe(!operation.needsNoKey);
    if (operation.path.includes('{')) expect(statuses).toEqual(expect.arrayContaining([400, 404, 414]));
    if (operation.method !== 'GET') expect(statuses).toEqual(expect.arrayContaining([413, 415]));
    if (operation.body !== undefined) expect(statuses).toContain(400);
    expect(statuses.some((status) => status < 300)).toBe(true);
    for (const status of Object.keys(operation.answers).map(Number)) expect(statuses).toContain(status);
  });

  it.each(withBody)('The examples for the body of %s are accepted', (_, operation) => {
    const examples = z.globalRegistry.get(operation.body!.schema)?.examples as readonly unknown[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(readBody(operation.body!, example).violations).toEqual([]);
  });

  it.each(withBody)('The schema of the body of %s has a name', (_, operation) => {
    const { requestBody } = document.paths[operation.path][operation.method.toLowerCase()];
    expect(requestBody.content['application/json'].schema.$ref).toMatch(
      /^#\/components\/schemas\/(New\w+|NoFields|\w+Patch)$/,
    );
  });
});

describe('unknown fields', () => {
  const bodiesOf = ({ document, operations }: Dialect) =>
    operations
      .filter(({ body }) => body !== undefined)
      .map((operation) => {
        const { requestBody } = document.paths[operation.path][operation.method.toLowerCase()];
        const name = requestBody.content['application/json'].schema.$ref.split('/').at(-1);
        const { violations } = readBody(operation.body!, { unheardOf: 1 });
        const isNamed = violations.some(({ property }) => property === 'unheardOf');
        return { name, isNamed, additional: document.components.schemas[name].additionalProperties };
      });
  const [native, sdk] = dialects as [Dialect, Dialect];

  it.each(bodiesOf(native))(
    'Unknown fields are refused in $name of the native dialect, as its document says',
    (body) => {
      expect(body).toMatchObject({ isNamed: true, additional: false });
    },
  );

  it.each(bodiesOf(sdk))('Unknown fields are ignored in $name of the SDK dialect', (body) => {
    expect(body).toMatchObject({ isNamed: false, additional: undefined });
  });
});

/** The schema of an object, or of those in a list. */
function objectsOf(schema: unknown): readonly z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  return schema instanceof z.ZodArray ? [schema.element as z.ZodObject] : [];
}

describe('the native document', () => {
  const [{ document }] = dialects as [Dialect];
  const answered = NATIVE_OPERATIONS.flatMap((operation) => Object.values(operation.answers)).flatMap(({ schema }) =>
    objectsOf(schema),
  );
  const schemaOf = (name: string) => answered.find((schema) => z.globalRegistry.get(schema)?.id === name);
  it.each(Object.keys(RECORD_EXAMPLES))('The example of %s has exactly its fields', (name) => {
    const [example] = document.components.schemas[name].examples;
    expect(z.strictObject(schemaOf(name)!.shape).safeParse(example).error).toBeUndefined();
  });

  it('The document distinguishes the three answers to a suggestion', () => {
    const path = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}/inverses';
    expect(Object.keys(document.paths[path].post.responses)).toEqual(expect.arrayContaining(['201', '202', '409']));
  });
});
