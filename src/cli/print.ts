/** All that commands print of others: of a service, of programs, of files. See plain-text.ts. */
import { plainLines } from '../runner/plain-text.ts';

export function print(text: string): void {
  console.log(plainLines(text));
}

/** To standard error. */
export function complain(text: string): void {
  console.error(plainLines(text));
}
