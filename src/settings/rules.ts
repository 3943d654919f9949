/** The parts of a setting: a variable, a rule for its value with the expected form and an example, a description. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { CELL_PATTERN, parseApiKey } from '../domain/accounts/api-key.ts';
import { readDatabaseUrl } from '../domain/database-url.ts';

export interface ValueRule<Schema extends z.ZodType = z.ZodType> {
  /** From the text of the variable to the value in the Config. */
  readonly rule: Schema;
  readonly expected: string;
  readonly example: string;
  /** The default as a user would write it; undefined if there is none, which the rule then accepts. */
  readonly fallback: string | undefined;
}

/** One variable. */
export interface Setting<Schema extends z.ZodType = z.ZodType> extends ValueRule<Schema> {
  readonly name: string;
  /** Markdown for the reference page. */
  readonly description: string;
  /** A secret is never repeated in a message. */
  readonly secret?: true;
  /** Shown in the reference page where the default depends on the machine or the command. */
  readonly shownDefault?: string;
}

/** The value is never shown. */
export const SECRET = { secret: true } as const;

export function setting<Schema extends z.ZodType>(
  name: string,
  rule: ValueRule<Schema>,
  description: string,
  more: Pick<Setting, 'secret' | 'shownDefault'> = {},
): Setting<Schema> {
  return { name, ...rule, description, ...more };
}

export type SettingTree = { readonly [key: string]: Setting | SettingTree };

/** The settings of a part of the tree, in its order. */
export function listSettings(part: SettingTree | Setting): readonly Setting[] {
  return isSetting(part) ? [part] : Object.values(part).flatMap((inner) => listSettings(inner));
}

export function isSetting(part: SettingTree | Setting): part is Setting {
  return 'rule' in part;
}

export function trueOrFalse(fallback: 'true' | 'false') {
  return {
    rule: z.enum(['true', 'false'], { error: 'is neither true nor false' }).transform((value) => value === 'true'),
    expected: 'true or false',
    example: fallback === 'true' ? 'false' : 'true',
    fallback,
  };
}

export function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
  example: Values[number],
) {
  const rule = z.enum(values, { error: 'is not one of them' });
  return { rule, expected: `one of ${values.join(', ')}`, example, fallback };
}

/** `convert` turns the number into what the Config holds. */
export function wholeNumber(
  minimum: number,
  maximum: number,
  fallback: string,
  convert: (value: number) => number = (value) => value,
) {
  const rule = wholeNumberRule(minimum, maximum).transform(convert);
  return { rule, ...wholeNumberText(minimum, maximum, fallback), fallback };
}

export function optionalWholeNumber(minimum: number, maximum: number, example: string) {
  const rule = wholeNumberRule(minimum, maximum).optional();
  return { rule, ...wholeNumberText(minimum, maximum, example), fallback: undefined };
}

function wholeNumberRule(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'is not a whole number')
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, 'is out of range');
}

export function numberToOne(fallback: string, example: string) {
  const rule = z
    .string()
    .regex(/^(0|1|[01]?\.\d{1,9})$/, 'is not a number from 0 to 1')
    .transform(Number)
    .refine((number) => number <= 1, 'is out of range');
  return { rule, expected: 'a number from 0 to 1', example, fallback };
}

function wholeNumberText(minimum: number, maximum: number, example: string) {
  return { expected: `a whole number from ${minimum} to ${maximum}`, example };
}

export function text(pattern: RegExp, expected: string, example: string, fallback: string) {
  return { rule: z.string().regex(pattern, 'has the wrong form'), expected, example, fallback };
}

export function optionalText(isValid: (value: string) => boolean, expected: string, example: string) {
  const rule = z.string().refine(isValid, 'has the wrong form').optional();
  return { rule, expected, example, fallback: undefined };
}

/** `absent` is the value of a variable that is not set. */
export function optionalParsed<Value>(
  parse: (value: string, context: z.RefinementCtx) => Value,
  absent: NoInfer<Value>,
  expected: string,
  example: string,
) {
  const rule = z
    .string()
    .transform(parse)
    .optional()
    .transform((value) => value ?? absent);
  return { rule, expected, example, fallback: undefined };
}

/** An API key; `command` names how to get one. */
export const keyPrintedBy = (command: string) =>
  optionalText(
    (value) => parseApiKey(value) !== undefined,
    `a complete key with its checksum, as \`${command}\` prints one`,
    'bks_<8 id characters>_<32 secret characters>_<6 checksum characters>',
  );

export const cellLabel = optionalText(
  (value) => CELL_PATTERN.test(value),
  'a small letter and up to seven small letters or digits',
  'c2',
);

export const postgresUrl = optionalText(
  (value) => readDatabaseUrl(value) !== undefined,
  'a Postgres URL of one or several hosts; target_session_attrs may be any, read-write or primary',
  'postgres://user:password@localhost:5432/backsolve',
);

/** Whether it names a folder wherever the process runs. */
export function isFolder(value: string): boolean {
  return isAbsolute(value);
}

export function isHttpUrl(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value);
}

/** As URLs write hosts: in lower case; brackets of IPv6 addresses may be left out. */
export function parseHosts(value: string, context: z.RefinementCtx): ReadonlySet<string> {
  const hosts = splitList(value).map((host) => host.toLowerCase().replace(/^\[(.*)\]$/, '$1'));
  if (hosts.some((host) => !/^[\w.-]+$|^[0-9a-f:.]+$/.test(host))) {
    context.addIssue({ code: 'custom', message: 'has a part that is not a host name or an address' });
  }
  return new Set(hosts);
}

/** Names as `parseHosts` reads them; a set with `*` alone stands for any. */
export function allowedHostNames() {
  const parse = (value: string, context: z.RefinementCtx): ReadonlySet<string> | undefined =>
    value === '*' ? new Set(['*']) : parseHosts(value, context);
  const expected = 'host names without ports, separated by commas, or *';
  return optionalParsed(parse, undefined, expected, 'backsolve.example.com,rig7.local');
}

/** In the form of OpenTelemetry: values are percent-encoded. */
export function parseHeaders(value: string, context: z.RefinementCtx): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of splitList(value)) {
    const match = /^([\w-]+) *= *([!-~]+)$/.exec(part);
    try {
      if (match === null) throw new URIError('not a pair');
      headers[match[1]!.toLowerCase()] = decodeURIComponent(match[2]!);
    } catch {
      context.addIssue({ code: 'custom', message: 'has a part that is not a name=value pair' });
    }
  }
  return headers;
}

export function trustedProxies(fallback: string) {
  const expected = 'true, false, a number of proxies, or their addresses and networks, separated by commas';
  return { rule: z.string().transform(parseTrustProxy), expected, example: '10.0.0.0/8,127.0.0.1', fallback };
}

function parseTrustProxy(value: string, context: z.RefinementCtx): boolean | number | string[] {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const parts = splitList(value);
  if (parts.length === 0 || !parts.every(isProxyAddress)) {
    context.addIssue({ code: 'custom', message: 'does not name proxies' });
  }
  return parts;
}

function isProxyAddress(part: string): boolean {
  const isName = part === 'loopback' || part === 'linklocal' || part === 'uniquelocal';
  return (
    isName ||
    /^(\d{1,3}\.){3}\d{1,3}(\/\d{1,2})?$/.test(part) ||
    /^[0-9a-fA-F:]*:[0-9a-fA-F:.]+(\/\d{1,3})?$/.test(part)
  );
}

export function parseOrigins(value: string, context: z.RefinementCtx): string[] {
  const parts = splitList(value);
  for (const part of parts) {
    if (part === '*' || (URL.canParse(part) && new URL(part).origin === part)) continue;
    context.addIssue({
      code: 'custom',
      message: `has ${JSON.stringify(part)}, which is not an origin (scheme, host, port, no path)`,
    });
  }
  return parts;
}

/** The parts of a list that commas separate. */
export function splitList(value: string): string[] {
  return value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
