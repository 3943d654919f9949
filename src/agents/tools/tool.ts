/** Defines tools and reads their arguments: every fault becomes a sentence that an agent can act on. */
import { z } from 'zod';
import type { Backsolve } from '../../../clients/typescript/src/index.ts';
import { findNearestName } from '../../domain/nearest-name.ts';

/** Answer of a tool: a short text, and the same as data. */
export interface Said {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ToolCall<Args> {
  readonly client: Backsolve;
  readonly args: Args;
  /** Fires when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Tells a client that listens that the call is still being worked on. */
  note(sentence: string): Promise<void>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: z.ZodType;
  /** Whether it changes nothing. */
  readonly isReadOnly: boolean;
  run(call: ToolCall<unknown>): Promise<Said>;
}

interface ToolOf<Schema extends z.ZodType> extends Omit<Tool, 'schema' | 'run'> {
  readonly schema: Schema;
  run(call: ToolCall<z.output<Schema>>): Promise<Said>;
}

export function defineTool<Schema extends z.ZodType>(tool: ToolOf<Schema>): Tool {
  return { ...tool, run: (call) => tool.run({ ...call, args: readArguments(tool.schema, call.args) }) };
}

/** The agent can mend it; the message says how. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** An object that takes these fields and no others. */
export function fields<Shape extends z.core.$ZodShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => describeUnknown(key, known)).join(' ') : undefined,
  });
}

function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = findNearestName(name, known);
  return `has no field ${name}; ${nearest === undefined ? `the fields are ${known.join(', ')}.` : `did you mean ${nearest}?`}`;
}

/** Faults beyond these are of the same kind, as in a long list of wrong values. */
export const MOST_FAULTS = 5;

function readArguments<Schema extends z.ZodType>(schema: Schema, args: unknown): z.output<Schema> {
  const parsed = schema.safeParse(args, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const faults = issues.slice(0, MOST_FAULTS).map(describeFault);
  if (issues.length > MOST_FAULTS) faults.push(`And ${issues.length - MOST_FAULTS} more.`);
  throw new ToolError(`Nothing was done, because the arguments are wrong:\n${faults.join('\n')}`);
}

function describeFault(issue: z.core.$ZodIssue): string {
  const place = placeOf(issue.path);
  if (issue.code === 'unrecognized_keys') return `${place || 'This tool'} ${issue.message}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return `${place || 'The call'} is missing.`;
  const value = issue.input === undefined ? '' : `, is ${shorten(JSON.stringify(issue.input) ?? String(issue.input))}`;
  return `${place || 'The call'} ${ruleOf(issue)}${value}.`;
}

function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    if (issue.expected === 'number' && typeof issue.input === 'string') return 'must be a number, without quotes';
    const article = /^[aeiou]/.test(issue.expected) ? 'an' : 'a';
    return `must be ${article} ${issue.expected === 'record' ? 'object' : issue.expected}`;
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') return limitOf(issue);
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  return issue.message.replace(/\.$/, '');
}

const BOUNDS = {
  too_small: { inclusive: 'at least', exclusive: 'above' },
  too_big: { inclusive: 'at most', exclusive: 'below' },
} as const;

function limitOf(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const { inclusive, exclusive } = BOUNDS[issue.code];
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  if (issue.origin === 'array') return `must have ${inclusive} ${limit} entries`;
  if (issue.origin === 'string') return `must have ${inclusive} ${limit} characters`;
  return `must be ${issue.inclusive ? inclusive : exclusive} ${limit}`;
}

/** `inputs[2].minimum` */
function placeOf(path: readonly PropertyKey[]): string {
  return path.map((key, k) => (typeof key === 'number' ? `[${key}]` : `${k === 0 ? '' : '.'}${String(key)}`)).join('');
}

const LONGEST_SHOWN = 60;

function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}
