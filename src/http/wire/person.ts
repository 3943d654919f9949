/** Names and addresses of people. */
import { z } from 'zod';
import { isUnseen } from '../../domain/look-alikes.ts';
import { nameSchema } from './fields.ts';
import { MAXIMUM_NAME_LENGTH } from './limits.ts';

const LONGEST_EMAIL = 254;

/** Without the spaces around it, which would make two names look the same. */
export const personName = nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH })
  .refine((text) => text.trim() !== '', 'must not be empty.')
  .refine((text) => !isUnseen(text), 'must have a character that can be seen.')
  .transform((text) => text.trim());

export const personEmail = z
  .string()
  .max(LONGEST_EMAIL, `must have at most ${LONGEST_EMAIL} characters.`)
  .regex(z.regexes.email, 'must be an e-mail address, such as ada@example.com.');
