/** Messages of the service without what only programs can use. Needs no browser. */

const REQUEST = '(?:GET|POST|PUT|PATCH|DELETE) ';
const IN_BRACKETS = new RegExp(` \\(${REQUEST}[^)]*\\)`, 'g');
/** A path may have dots, so the sentence ends at one before a space or at the end. */
const AT_THE_END = new RegExp(`[:;] ${REQUEST}.*?(?=\\.(?: |$))`, 'g');

/** Without the requests that a program would send: the page has controls for them. */
export function forPeople(message: string): string {
  return message.replace(IN_BRACKETS, '').replace(AT_THE_END, '');
}
