/** What values of settings may look like: a rule with what was expected and an example, for config.ts to report. */
import { z } from 'zod';

export function trueOrFalse(fallback: 'true' | 'false') {
  return {
    rule: z.enum(['true', 'false'], { error: 'is neither true nor false' }).transform((value) => value === 'true'),
    expected: 'true or false',
    example: fallback === 'true' ? 'false' : 'true',
    fallback,
  };
}

export function wholeNumber(minimum: number, maximum: number, fallback: string) {
  return { rule: wholeNumberRule(minimum, maximum), ...wholeNumberText(minimum, maximum, fallback), fallback };
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

function wholeNumberText(minimum: number, maximum: number, example: string) {
  return { expected: `a whole number from ${minimum} to ${maximum}`, example };
}

export function text(pattern: RegExp, expected: string, example: string, fallback: string) {
  return { rule: z.string().regex(pattern, 'has the wrong form'), expected, example, fallback };
}

export function optionalText(isValid: (value: string) => boolean, expected: string, example: string) {
  return { rule: z.string().refine(isValid, 'has the wrong form').optional(), expected, example, fallback: undefined };
}

export function isPostgresUrl(value: string): boolean {
  return /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
}

export function isHttpUrl(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value);
}

/** As OpenTelemetry writes them: values are percent-encoded. */
export function parseHeaders(value: string, context: z.RefinementCtx): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const part of splitList(value)) {
    const match = /^([\w-]+) *= *([!-~]+)$/.exec(part);
    try {
      if (match === null) throw new URIError('no pair');
      headers[match[1]!.toLowerCase()] = decodeURIComponent(match[2]!);
    } catch {
      context.addIssue({ code: 'custom', message: 'has something that is no name=value pair' });
    }
  }
  return headers;
}

export function parseTrustProxy(value: string, context: z.RefinementCtx): boolean | number | string[] {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const parts = splitList(value);
  if (parts.length === 0 || !parts.every(isProxyAddress)) {
    context.addIssue({ code: 'custom', message: 'names no proxy' });
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
      message: `has ${JSON.stringify(part)}, which is no origin (scheme, host, port, no path)`,
    });
  }
  return parts;
}

function splitList(value: string): string[] {
  return value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
