/**
 * The language of conditions on inputs: numbers, names, + - * / ^, parentheses and a closed list of functions, with one
 * comparison outermost. There are no members, strings or calls on values, so a text can do nothing but compute.
 *
 *   condition := sum ("<=" | ">=" | "=") sum
 *   sum       := product (("+" | "-") product)*
 *   product   := signed (("*" | "/") signed)*
 *   signed    := ("+" | "-") signed | power
 *   power     := atom ["^" signed]
 *   atom      := number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
 */

import type { Expression, FunctionName } from '../../optimizer/interface/problem.ts';

/** Number of arguments that each function takes: [least, most]. */
const FUNCTIONS = {
  sqrt: [1, 1],
  exp: [1, 1],
  log: [1, 1],
  log10: [1, 1],
  sin: [1, 1],
  cos: [1, 1],
  tan: [1, 1],
  atan: [1, 1],
  abs: [1, 1],
  min: [2, 20],
  max: [2, 20],
} as const satisfies Record<FunctionName, readonly [number, number]>;

type Relation = '<=' | '>=' | '=';

export interface ParsedCondition {
  readonly left: Expression;
  readonly relation: Relation;
  readonly right: Expression;
}

/** Fault in a text: `position` counts characters from 0. */
interface SyntaxFault {
  readonly message: string;
  readonly position: number;
  /** Set when a name is not known, so that the caller can propose one. */
  readonly unknownName?: string;
}

export type ParseResult =
  | { readonly kind: 'parsed'; readonly condition: ParsedCondition }
  | { readonly kind: 'refused'; readonly fault: SyntaxFault };

const MAXIMUM_LENGTH = 2_000;
const MAXIMUM_NODES = 500;
const MAXIMUM_DEPTH = 60;

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(<=|>=|[-+*/^(),=<>]))/uy;

/** A refusal on its way out of the parser; never leaves this file. */
class Refusal extends Error {
  readonly fault: SyntaxFault;
  constructor(fault: SyntaxFault) {
    super(fault.message);
    this.fault = fault;
  }
}

interface Token {
  readonly kind: 'number' | 'name' | 'symbol' | 'end';
  readonly text: string;
  readonly position: number;
}

/** @param match  of TOKEN */
function tokenOf([, number, name, symbol]: RegExpExecArray): Pick<Token, 'kind' | 'text'> {
  if (number !== undefined) return { kind: 'number', text: number };
  if (name !== undefined) return { kind: 'name', text: name };
  return { kind: 'symbol', text: symbol! };
}

class Parser {
  readonly #text: string;
  readonly #inputs: ReadonlyMap<string, number>;
  #token: Token = { kind: 'end', text: '', position: 0 };
  #next = 0;
  #nodes = 0;
  #depth = 0;

  constructor(text: string, inputs: ReadonlyMap<string, number>) {
    this.#text = text;
    this.#inputs = inputs;
    this.#advance();
  }

  condition(): ParsedCondition {
    const left = this.#sum();
    const { text, position } = this.#token;
    if (text === '<' || text === '>') {
      throw this.#refusal(
        `write ${text}= instead of ${text}: floating-point inputs cannot be told from the limit`,
        position,
      );
    }
    if (text !== '<=' && text !== '>=' && text !== '=') {
      throw this.#refusal(`expected <=, >= or =, found ${this.#found()}`, position);
    }
    this.#advance();
    const right = this.#sum();
    if (this.#token.kind !== 'end') throw this.#refusal(`expected the end, found ${this.#found()}`);
    return { left, relation: text, right };
  }

  #sum(): Expression {
    return this.#nested(() => {
      let left = this.#product();
      while (this.#token.text === '+' || this.#token.text === '-') {
        const operator = this.#token.text;
        this.#advance();
        left = this.#node({ kind: 'operation', operator, of: [left, this.#product()] });
      }
      return left;
    });
  }

  #product(): Expression {
    let left = this.#signed();
    while (this.#token.text === '*' || this.#token.text === '/') {
      const operator = this.#token.text;
      this.#advance();
      left = this.#node({ kind: 'operation', operator, of: [left, this.#signed()] });
    }
    return left;
  }

  /** A sign binds looser than a power: -a^2 is -(a^2). */
  #signed(): Expression {
    const { text } = this.#token;
    if (text !== '+' && text !== '-') return this.#power();
    this.#advance();
    const of = this.#nested(() => this.#signed());
    if (text === '+') return of;
    return this.#node({ kind: 'operation', operator: '-', of: [this.#node({ kind: 'number', value: 0 }), of] });
  }

  #power(): Expression {
    const base = this.#atom();
    if (this.#token.text !== '^') return base;
    this.#advance();
    const exponent = this.#nested(() => this.#signed());
    return this.#node({ kind: 'operation', operator: '^', of: [base, exponent] });
  }

  #atom(): Expression {
    const { kind, text, position } = this.#token;
    if (kind === 'number') {
      this.#advance();
      const value = Number(text);
      if (!Number.isFinite(value)) throw this.#refusal(`${text} is too large`, position);
      return this.#node({ kind: 'number', value });
    }
    if (kind === 'name') {
      this.#advance();
      return this.#token.text === '(' ? this.#call(text, position) : this.#input(text, position);
    }
    if (text !== '(') throw this.#refusal(`expected a number, a name or (, found ${this.#found()}`, position);
    this.#advance();
    const inner = this.#sum();
    this.#expect(')');
    return inner;
  }

  #call(name: string, position: number): Expression {
    const arity = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name as FunctionName] : undefined;
    if (arity === undefined) {
      throw new Refusal({
        message: `there is no function ${name}; there are ${Object.keys(FUNCTIONS).join(', ')}`,
        position,
      });
    }
    this.#advance();
    const of = [this.#sum()];
    while (this.#token.text === ',') {
      this.#advance();
      of.push(this.#sum());
    }
    this.#expect(')');
    const [least, most] = arity;
    if (of.length < least || of.length > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`;
      throw this.#refusal(`${name} takes ${wanted} argument${most === 1 ? '' : 's'}, has ${of.length}`, position);
    }
    return this.#node({ kind: 'call', name: name as FunctionName, of });
  }

  #input(name: string, position: number): Expression {
    const input = this.#inputs.get(name);
    if (input === undefined) {
      throw new Refusal({ message: `there is no input ${name}`, position, unknownName: name });
    }
    return this.#node({ kind: 'input', input });
  }

  #expect(symbol: string): void {
    if (this.#token.text !== symbol) throw this.#refusal(`expected ${symbol}, found ${this.#found()}`);
    this.#advance();
  }

  #found(): string {
    return this.#token.kind === 'end' ? 'the end' : this.#token.text;
  }

  #advance(): void {
    TOKEN.lastIndex = this.#next;
    const match = TOKEN.exec(this.#text);
    if (match === null) {
      const rest = this.#text.slice(this.#next);
      const position = this.#next + (rest.length - rest.trimStart().length);
      if (rest.trim() !== '') {
        throw this.#refusal(
          `${JSON.stringify(String.fromCodePoint(this.#text.codePointAt(position)!))} has no meaning here`,
          position,
        );
      }
      this.#token = { kind: 'end', text: '', position };
      return;
    }
    const token = tokenOf(match);
    this.#next += match[0].length;
    this.#token = { ...token, position: this.#next - token.text.length };
  }

  #node(expression: Expression): Expression {
    this.#nodes++;
    if (this.#nodes > MAXIMUM_NODES) throw this.#refusal(`has more than ${MAXIMUM_NODES} numbers, names and operators`);
    return expression;
  }

  #nested(parse: () => Expression): Expression {
    this.#depth++;
    if (this.#depth > MAXIMUM_DEPTH) throw this.#refusal(`is nested more than ${MAXIMUM_DEPTH} levels deep`);
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #refusal(message: string, position = this.#token.position): Refusal {
    return new Refusal({ message, position });
  }
}

/**
 * Reads a condition such as `2*a - b <= 0.3`.
 *
 * @param inputs index of each input by its name
 */
export function parseCondition(text: string, inputs: ReadonlyMap<string, number>): ParseResult {
  if (text.length > MAXIMUM_LENGTH) {
    const message = `has ${text.length} characters, may have ${MAXIMUM_LENGTH}`;
    return { kind: 'refused', fault: { message, position: MAXIMUM_LENGTH } };
  }
  try {
    return { kind: 'parsed', condition: new Parser(text, inputs).condition() };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', fault: error.fault };
    throw error;
  }
}

const WORD = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Whether an expression can call an input by this name. */
export function isWord(name: string): boolean {
  return WORD.test(name);
}

/**
 * A condition that parseCondition has read, with other names for its inputs. Everything else stays as it was written. Names of
 * functions, which a parenthesis follows, are none of inputs.
 */
export function renameInputs(
  text: string,
  newNames: ReadonlyMap<string, string>,
): { readonly text: string; readonly mentioned: ReadonlySet<string> } {
  const mentioned = new Set<string>();
  let renamed = '';
  let rest = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const name = match[2];
    const end = TOKEN.lastIndex;
    const newName = name === undefined || /^\s*\(/u.test(text.slice(end)) ? undefined : newNames.get(name);
    if (newName === undefined) continue;
    mentioned.add(name!);
    renamed += text.slice(rest, end - name!.length) + newName;
    rest = end;
  }
  return { text: renamed + text.slice(rest), mentioned };
}
