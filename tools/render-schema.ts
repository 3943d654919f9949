/** JSON Schemas of an OpenAPI document as HTML: types in words, and tables of fields. Named schemas are linked, each below its name. */
import { Marked } from 'marked';
import { escapeHtml } from './render-guide.ts';

/** The part of JSON Schema that the documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

const SCHEMAS = '#/components/schemas/';
const markdown = new Marked();

/** A sentence or more, which may have code and links in it. */
export function inline(text: string): string {
  return markdown.parseInline(text, { async: false });
}

/** The name of a named schema. */
function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;
}

/** The anchor of a named schema. */
export function anchorOf(name: string): string {
  return `schema-${name}`;
}

/** The schema in a line of HTML, such as "array of number, at most 12". */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return `<a href="#${anchorOf(name)}">${escapeHtml(name)}</a>`;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' or ');
  const variants = variantsOf(schema);
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' or ');
  const { items, additionalProperties } = schema;
  if (items !== undefined) return `array of ${typeOf(items)}${limitsOf(schema)}`;
  if (typeof additionalProperties === 'object') return `object of ${typeOf(additionalProperties)} by name`;
  return `${[schema.type ?? 'any value'].flat().join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}${limitsOf(schema)}`;
}

function literal(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
}

function limitsOf(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const range = (low: number | undefined, high: number | undefined, unit = '') => {
    const counted = (count: number) => (unit === '' ? `${count}` : `${count} ${unit}${count === 1 ? '' : 's'}`);
    if (low !== undefined && low === high) return [counted(low)];
    return [...(low ? [`at least ${counted(low)}`] : []), ...(high === undefined ? [] : [`at most ${counted(high)}`])];
  };
  const limits = [
    ...(minimum === 0 ? ['at least 0'] : range(minimum, undefined)),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    // The largest integer that JSON carries exactly is no limit of the field.
    ...range(undefined, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum),
    ...range(minLength, maxLength, 'character'),
    ...range(minItems, maxItems, 'item'),
    ...(pattern === undefined ? [] : [`as <code>${escapeHtml(pattern)}</code>`]),
    ...(schema.default === undefined ? [] : [`default ${literal(schema.default)}`]),
  ];
  return limits.map((limit) => `, ${limit}`).join('');
}

function variantsOf({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? [];
}

interface Field {
  /** With the fields around it, as "stop.patience". */
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The fields of a schema and, below each, those of the unnamed objects in it. */
function fieldsOf(schema: Schema, prefix = ''): readonly Field[] {
  const within = [
    ...variantsOf(schema).flatMap((variant) => fieldsOf(variant, prefix)),
    ...(schema.items === undefined ? [] : fieldsOf(schema.items, `${prefix}[]`)),
    ...(typeof schema.additionalProperties === 'object'
      ? fieldsOf(schema.additionalProperties, join(prefix, '{name}'))
      : []),
  ];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = join(prefix, name);
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ path, schema: value, isRequired }, ...fieldsOf(value, path)];
  });
  const known = new Set<string>();
  // Variants of an object share fields.
  return [...own, ...within].filter(({ path, schema: { description } }) => {
    const key = `${path} ${description}`;
    return !known.has(key) && known.add(key);
  });
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** The fields of an object as a table; where it has none, its type. */
export function describe(schema: Schema): string {
  const fields = fieldsOf(schema);
  const about = schema.description === undefined ? '' : `<p>${inline(schema.description)}</p>`;
  if (fields.length === 0) return `${about}<p>${capitalized(typeOf(schema))}.</p>`;
  const rows = fields.map(
    ({ path, schema: one, isRequired }) =>
      `<tr><th scope="row"><code>${escapeHtml(path)}</code></th><td>${typeOf(one)}${isRequired ? '' : ', optional'}</td><td>${inline(one.description ?? '')}</td></tr>`,
  );
  return about + table(['Field', 'Type', 'Meaning'], rows);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param rows HTML of each */
export function table(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  return `<div class="scroll-box" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** The named schemas in a value of a document, with those that they name. @param schemas by name */
export function namesIn(value: unknown, schemas: Readonly<Record<string, Schema>>): readonly string[] {
  const found = new Set<string>();
  const look = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    const name = nameOf(one as Schema);
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      look(schemas[name]);
    }
    for (const inner of Object.values(one)) look(inner);
  };
  look(value);
  return [...found];
}
