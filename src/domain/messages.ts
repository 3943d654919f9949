/**
 * Messages that can be said in other words. A message is a text in which `refField`, `refInput`, `refOutput` and `refTerm` mark what it
 * refers to, so that a template or a schema can hold it like any other text; `readMessage` takes the marks out again. Front doors say
 * in their own words what is marked (clients/typescript/src/front-doors.ts).
 */

/** Path of a violation: field names and zero-based positions. */
export type ViolationPath = readonly (string | number)[];

/** A piece of a message. `text` says it in the words of the interface; at most one of the other fields says what it refers to. */
export interface MessagePart {
  readonly text: string;
  /** A JSON Pointer into the same body. */
  readonly pointer?: string;
  /** The zero-based number of an input of the project. */
  readonly input?: number;
  /** The zero-based number of an output. */
  readonly output?: number;
  /** For words of the interface that are no field: what they mean, such as `left out` for null. */
  readonly term?: string;
}

/** Noncharacters, which Unicode keeps for use inside a program. */
const [OPEN, MIDDLE, CLOSE] = ['\uFDD0', '\uFDD1', '\uFDD2'];
const MARKED = /\uFDD0(pointer|input|output|term):([^\uFDD0-\uFDD2]*)\uFDD1([^\uFDD0-\uFDD2]*)\uFDD2/;

function marked(kind: Exclude<keyof MessagePart, 'text'>, value: string | number, text: string): string {
  return `${OPEN}${kind}:${value}${MIDDLE}${text}${CLOSE}`;
}

/** A field of the body, for a message: refField('minimums', 0) reads minimums[0]. */
export function refField(...path: ViolationPath): string {
  return refFieldAs(propertyOf(path), path);
}

/** The same with a text of its own. */
export function refFieldAs(text: string, path: ViolationPath): string {
  return marked('pointer', pointerOf(path), text);
}

/** An input of the project, for a message: input 0. */
export function refInput(i: number, text = `input ${i}`): string {
  return marked('input', i, text);
}

/** An output, for a message: objective 0. */
export function refOutput(j: number, text = `objective ${j}`): string {
  return marked('output', j, text);
}

/** A word of the interface, for a message. @param meaning  the same for everybody; front doors may have a word of their own for it */
export function refTerm(meaning: string, text = meaning): string {
  return marked('term', meaning, text);
}

/** Written like `objectives[2]`. */
export function propertyOf(path: ViolationPath): string {
  let property = '';
  for (const segment of path) {
    if (typeof segment === 'number') property += `[${segment}]`;
    else property += property === '' ? segment : `.${segment}`;
  }
  return property;
}

/** The same as a JSON Pointer. */
export function pointerOf(path: ViolationPath): string {
  return path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The message as it reads in the interface, and its parts if anything is marked in it. */
export function readMessage(text: string): { readonly message: string; readonly parts?: readonly MessagePart[] } {
  const pieces = text.split(MARKED);
  if (pieces.length === 1) return { message: text };
  const parts: MessagePart[] = [];
  // A text, then again and again the kind, the value and the text of a mark, and the text after it.
  for (let k = 0; k < pieces.length; k += 4) {
    if (pieces[k] !== '') parts.push({ text: pieces[k]! });
    const [kind, value, said] = pieces.slice(k + 1, k + 4);
    if (kind === undefined) continue;
    const isNumber = kind === 'input' || kind === 'output';
    parts.push({ text: said!, [kind]: isNumber ? Number(value) : value! });
  }
  return { message: parts.map((part) => part.text).join(''), parts };
}

/** The same part of a message, where the body that it is about is inside of another one. */
export function inside(outer: string, part: MessagePart): MessagePart {
  return part.pointer === undefined ? part : { ...part, pointer: `${outer}${part.pointer}` };
}
