/**
 * The reference of an interface as HTML, from its OpenAPI document: a list of all operations, and a page per tag with everything about
 * its operations and the objects that they take and give.
 */
import { escapeHtml } from './render-guide.ts';
import { anchorOf, describe, inline, namesIn, type Schema, table, typeOf } from './render-schema.ts';

interface Content {
  readonly schema?: Schema;
  readonly example?: string;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The part of an OpenAPI document that is rendered. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** An operation at its address. */
export interface Operation extends ApiOperation {
  readonly method: string;
  /** Without the server's, as `/models/{model_id}`. */
  readonly path: string;
}

interface ReferencePage {
  /** In its address. */
  readonly name: string;
  readonly title: string;
  /** HTML of its main part. */
  readonly html: string;
  readonly operations: readonly Operation[];
}

export interface Reference {
  /** HTML of the list. */
  readonly list: string;
  readonly pages: readonly ReferencePage[];
}

/** Names of the tags in addresses, as the library that sends requests has them too. */
export function tagInAddress(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

/** The anchor of an operation on the page of its tag. */
export function operationAnchor({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method.toUpperCase()}${path}`;
}

/** All operations, in the order of the document. */
export function operationsOf({ paths }: Pick<ApiDocument, 'paths'>): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ ...operation, method, path })),
  );
}

/** @param folder where the pages are served  @param tryAt the page that sends requests  @param json where the document is served */
export function renderReference(
  document: ApiDocument,
  { folder, tryAt, json }: { readonly folder: string; readonly tryAt: string; readonly json: string },
): Reference {
  const operations = operationsOf(document);
  const tags = document.tags?.map(({ name }) => name) ?? [...new Set(operations.map(({ tags: [tag] }) => tag!))];
  const server = document.servers[0]!.url;
  const pages = tags.map((tag) => {
    const own = operations.filter(({ tags: [first] }) => first === tag);
    return { name: tagInAddress(tag), title: tag, html: renderTag(document, tag, own, tryAt), operations: own };
  });
  const list = pages.map(({ name, title, operations: own }) => {
    const rows = own.map(
      (one) =>
        `<li><a href="${folder}/${name}#${escapeHtml(operationAnchor(one))}">${escapeHtml(one.summary)}</a> ${callOf(one, server)}</li>`,
    );
    return `<h2><a href="${folder}/${name}">${escapeHtml(title)}</a></h2><ul class="operations">${rows.join('')}</ul>`;
  });
  const { title, description } = document.info;
  const about = `<h1>${escapeHtml(title)}</h1><p>${inline(description)}</p><p>Requests carry an API key, as <code>Authorization: Bearer KEY</code> or <code>X-API-Key: KEY</code>. <a href="${tryAt}">Send requests</a> from the browser, or read the <a href="${json}">OpenAPI document</a>.</p>`;
  return { list: about + list.join(''), pages };
}

function callOf({ method, path }: Operation, server: string): string {
  return `<code class="call"><b>${method.toUpperCase()}</b> ${escapeHtml(server + path)}</code>`;
}

function renderTag(document: ApiDocument, tag: string, operations: readonly Operation[], tryAt: string): string {
  const { schemas, responses } = document.components;
  const server = document.servers[0]!.url;
  const sections = operations.map((one) => {
    const anchor = escapeHtml(operationAnchor(one));
    const parts = [
      `<h2 id="${anchor}">${escapeHtml(one.summary)}</h2>`,
      `<p>${callOf(one, server)} <a class="try" href="${tryAt}#tag/${tagInAddress(tag)}/${anchor}" aria-label="Try it: ${escapeHtml(one.summary)}">Try it</a></p>`,
      one.description === undefined ? '' : `<p>${inline(one.description)}</p>`,
      scopesOf(one),
      parametersOf(one),
      bodyOf(one, schemas, server),
      answersOf(one, responses),
    ];
    return parts.join('');
  });
  const used = operations.map((one) => ({ ...one, responses: resolved(one, responses) }));
  const objects = namesIn(used, schemas)
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .map((name) => `<h3 id="${anchorOf(name)}">${escapeHtml(name)}</h3>${describe(schemas[name]!)}`);
  const named = objects.length === 0 ? '' : `<h2 id="objects">Objects</h2>${objects.join('')}`;
  return `<h1>${escapeHtml(tag)}</h1>${sections.join('')}${named}`;
}

function scopesOf({ security = [] }: ApiOperation): string {
  if (security.length === 0) return '<p>Needs no key.</p>';
  const scopes = [...new Set(security.flatMap((one) => Object.values(one).flat()))];
  if (scopes.length === 0) return '';
  return `<p>Needs a key with the scope ${scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(' or ')}.</p>`;
}

function parametersOf({ parameters = [] }: ApiOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, schema, required = false, description = '' }) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${place}</td><td>${typeOf(schema)}${required ? '' : ', optional'}</td><td>${inline(description)}</td></tr>`,
  );
  return `<h3>Parameters</h3>${table(['Name', 'In', 'Type', 'Meaning'], rows)}`;
}

function bodyOf(operation: Operation, schemas: Readonly<Record<string, Schema>>, server: string): string {
  const { requestBody } = operation;
  if (requestBody === undefined) return '';
  const kinds = Object.entries(requestBody.content).map(([type, { schema = {} }]) => {
    const about = schema.description === undefined ? '' : ` ${inline(schema.description)}`;
    return `<li><code>${escapeHtml(type)}</code>: ${typeOf(schema)}.${about}</li>`;
  });
  const name = namesIn(requestBody.content['application/json']?.schema, {})[0];
  const example = name === undefined ? undefined : schemas[name]?.examples?.[0];
  const heading = requestBody.required === true ? 'Body' : 'Body, optional';
  const call = example === undefined ? '' : exampleOf(operation, server, example);
  return `<h3>${heading}</h3><ul>${kinds.join('')}</ul>${call}`;
}

/** The request with curl. */
function exampleOf({ method, path }: Operation, server: string, body: unknown): string {
  const quoted = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  const lines = [
    `curl -X ${method.toUpperCase()} "$URL${server}${path}"`,
    `  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`,
    `  -d '${quoted}'`,
  ];
  return `<pre tabindex="0"><code>${escapeHtml(lines.join(' \\\n'))}</code></pre>`;
}

function resolved(
  { responses: own }: ApiOperation,
  shared: Readonly<Record<string, Response>>,
): readonly (readonly [string, Response])[] {
  return Object.entries(own).map(([status, one]) => [status, shared[one.$ref?.split('/').at(-1) ?? ''] ?? one]);
}

function answersOf(operation: ApiOperation, shared: Readonly<Record<string, Response>>): string {
  const rows = resolved(operation, shared).map(([status, { description = '', content = {}, headers = {} }]) => {
    const bodies = Object.entries(content).map(
      ([type, { schema }]) => `${schema === undefined ? '' : `${typeOf(schema)} as `}<code>${escapeHtml(type)}</code>`,
    );
    const names = Object.entries(headers).map(
      ([name, { description: about = '' }]) => `<li><code>${escapeHtml(name)}</code>: ${inline(about)}</li>`,
    );
    const extra = names.length === 0 ? '' : `<details><summary>Headers</summary><ul>${names.join('')}</ul></details>`;
    return `<tr><th scope="row">${status}</th><td>${inline(description)}${extra}</td><td>${bodies.join('<br>')}</td></tr>`;
  });
  return `<h3>Answers</h3>${table(['Status', 'Meaning', 'Body'], rows)}`;
}
