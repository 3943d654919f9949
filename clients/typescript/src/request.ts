/** Builds the request of an operation: address, headers and body. */
import type { Route } from './generated/routes.ts';
import { ROUTES, VERSION } from './generated/routes.ts';

/** Options of a call without their types; `call` has checked them. */
export interface LooseOptions {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly accept?: string | undefined;
  readonly prefer?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface BuiltRequest {
  readonly operationId: string;
  /** From /v1, without the query. */
  readonly path: string;
  readonly url: string;
  readonly init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array<ArrayBuffer>;
  };
  readonly accept: string;
  /** Time that the service may wait before it answers. */
  readonly waitMs: number;
}

export const JSON_MEDIUM = 'application/json';
export const XLSX_MEDIUM = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** @param address  the base address of the service, without a slash at the end */
export function buildRequest(operationId: string, options: LooseOptions, address: string, key?: string): BuiltRequest {
  const route: Route | undefined = Object.hasOwn(ROUTES, operationId)
    ? ROUTES[operationId as keyof typeof ROUTES]
    : undefined;
  if (route === undefined) throw new TypeError(`There is no operation ${operationId} in this client (${VERSION}).`);
  const path = `/v1${fillPath(operationId, route.path, options.path ?? {})}`;
  const accept = options.accept ?? route.accept ?? JSON_MEDIUM;
  const headers: Record<string, string> = { accept };
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
  if (runsInNode()) headers['user-agent'] = `backsolve-client/${VERSION}`;
  if (options.prefer !== undefined) headers['prefer'] = options.prefer;
  if (options.ifNoneMatch !== undefined) headers['if-none-match'] = options.ifNoneMatch;
  if (route.takesKey) headers['idempotency-key'] = quote(options.idempotencyKey ?? makeIdempotencyKey());
  const { body } = options;
  const isTable = route.takesCsv === true && (typeof body === 'string' || body instanceof Uint8Array);
  if (body !== undefined) {
    const tableMedium = typeof body === 'string' ? 'text/csv' : XLSX_MEDIUM;
    headers['content-type'] = isTable ? tableMedium : JSON_MEDIUM;
  }
  return {
    operationId,
    path,
    url: `${address}${path}${writeQuery(options.query ?? {})}`,
    init: {
      method: route.method,
      headers,
      ...(body !== undefined && { body: isTable ? (body as string | Uint8Array<ArrayBuffer>) : writeJson(body) }),
    },
    accept,
    waitMs: 1000 * (waitOfPrefer(options.prefer) ?? waitOfBody(body) ?? 0),
  };
}

/** Random, also where a page without TLS has no crypto.randomUUID. */
export function makeIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fillPath(operationId: string, template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if ((typeof value !== 'number' && typeof value !== 'string') || value === '') {
      throw new TypeError(`${operationId} needs path.${name}, a number; it got ${JSON.stringify(value) ?? 'nothing'}.`);
    }
    return encodeURIComponent(value);
  });
}

function writeQuery(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.append(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** JSON.stringify writes NaN and Infinity as null, which would change a measured output. */
function writeJson(body: unknown): string {
  return JSON.stringify(body, (property, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new TypeError(
        `JSON has no ${value} (in the body at "${property}"); report a run without an output as failed.`,
      );
    }
    return value;
  });
}

function waitOfPrefer(prefer: string | undefined): number | undefined {
  const found = /(?:^|[,\s])wait=(\d{1,9})/i.exec(prefer ?? '');
  return found === null ? undefined : Number(found[1]);
}

/** A claim says in its body how many seconds it waits. */
function waitOfBody(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null || !('wait' in body)) return undefined;
  return typeof body.wait === 'number' ? body.wait : undefined;
}

function quote(key: string): string {
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
}

/** In a page this header would need a permission of its own from the service. */
function runsInNode(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  return process?.versions?.node !== undefined;
}
