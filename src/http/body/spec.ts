/** How the body of an operation is described and read. */
import type { z } from 'zod';
import type { Violation } from '../../domain/errors.ts';
import type { Parsed } from '../wire/violations.ts';

/** Fields of a body as they were sent. */
export type SentFields = Readonly<Record<string, unknown>>;

/** How large a body may be. Cases travel in bodies of BODY_LIMIT_BYTES, and large ones are read in a thread. */
export type BodySize = 'plain' | 'vectors' | 'cases';

interface BodyForm {
  /** 'plain' unless given. A body with cases is listed in body/specs-with-cases.ts, where threads find it. */
  readonly size?: BodySize;
  /** An absent or empty body stands for {}. */
  readonly isOptional?: boolean;
}

/** A body whose schema reads it. */
interface SchemaBody<B> extends BodyForm {
  readonly schema: z.ZodType<B>;
  readonly read?: undefined;
  readonly countNumbers?: undefined;
  /** Rules over several fields that only the wire knows; always run, on the body as sent. */
  readonly alsoCheck?: (body: SentFields) => readonly Violation[];
  /**
   * Rules over several fields that the use case checks too, with more knowledge. Run only when the body is refused
   * anyway, so that one answer names everything that can be known.
   */
  readonly checkWhenRefused?: (body: SentFields) => readonly Violation[];
}

/** A body whose schema only describes it. */
interface ReadBody<B> extends BodyForm {
  readonly schema: z.ZodType;
  /** The value of a body, or everything that is wrong with it. */
  readonly read: (body: SentFields) => Parsed<B>;
  /** How many numbers the cases of a value hold. */
  countNumbers?(value: B): number;
}

export type BodySpec<B> = SchemaBody<B> | ReadBody<B>;
