import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import {
  EXAMPLE_FILES,
  formatProblemFile,
  type InputAnswer,
  readCommandAnswer,
  readInputAnswer,
  readOutputAnswer,
} from '../runner/files/new-problem-file.ts';
import { ImportError, importProblem, nameOfImport } from '../runner/imported-problem.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';

const flags = { example: { type: 'boolean' }, from: text, command: text } as const;
const DEFAULT_FILE = 'problem.yaml';

export const init: Command = {
  summary: 'write a problem file for run: asks for inputs, goals and the command',
  usage: `Usage: backsolve init [FILE] [--example | --from OTHER [--command COMMAND]]

Asks what may be changed, what is wanted and which command computes it, and writes FILE (${DEFAULT_FILE} unless named) with
comments, for \`backsolve run FILE\`. Answers may be piped in. Never overwrites a file.

  --example        asks nothing and writes ${Object.keys(EXAMPLE_FILES).join(' and ')}, an example that runs
  --from CASE.pst  asks nothing and writes a problem file, CASE.yaml, for a control file of PEST or PEST++
  --from PETAB.yaml --command "python3 simulate.py"
                   asks nothing and writes a problem file, PETAB.fit.yaml, for a PEtab problem and its simulator`,
  flags,

  async run(args) {
    const { values, positionals } = parseCommand(this.usage, {
      args: [...args],
      allowPositionals: true,
      options: flags,
    });
    const { example = false, from } = values;
    if (positionals.length > 1 || (example && (positionals.length > 0 || from !== undefined))) {
      throw new CommandError(`Too many arguments.\n\n${this.usage}`);
    }
    if (from !== undefined) return initFrom(from, positionals[0] ?? nameOfImport(from), values.command);
    if (values.command !== undefined) throw new CommandError(`--command belongs to --from.\n\n${this.usage}`);
    const [file = DEFAULT_FILE] = positionals;
    if (example) {
      for (const name of Object.keys(EXAMPLE_FILES)) await refuseExisting(name);
      for (const [name, text] of Object.entries(EXAMPLE_FILES)) await writeNew(name, text);
      console.log(`Wrote ${Object.keys(EXAMPLE_FILES).join(' and ')}. Solve it: backsolve run bracket.yaml`);
      return 0;
    }
    await refuseExisting(file);
    const questions = new Questions();
    try {
      await writeNew(file, await ask(questions, path.parse(file).name));
    } finally {
      questions.close();
    }
    console.log(`Wrote ${file}. Look it over, then: backsolve run ${file}`);
    return 0;
  },
};

async function initFrom(from: string, file: string, stated: string | undefined): Promise<number> {
  const command = stated === undefined ? undefined : readCommandAnswer(stated);
  if (command?.kind === 'fault') throw new CommandError(`--command: ${command.message}`);
  await refuseExisting(file);
  const { text: content, notes } = await importProblem({ from, file, command: command?.value }).catch(
    (error: Error) => {
      throw error instanceof ImportError ? new CommandError(error.message, 1) : error;
    },
  );
  await writeNew(file, content);
  for (const note of notes) console.log(note);
  console.log(`Wrote ${file}. Look it over, then: backsolve run ${file}`);
  return 0;
}

async function ask(questions: Questions, defaultName: string): Promise<string> {
  const name = await questions.ask(`Name of the problem [${defaultName}]: `);
  questions.say('Inputs: NAME SMALLEST LARGEST [integer] [UNIT], or NAME VALUE,VALUE,..., or NAME yes/no.');
  const inputs = await askMany(questions, 'Input', readInputAnswer);
  questions.say(
    'Outputs: NAME TARGET WITHIN [UNIT], such as sag 0.8 5% mm; or NAME < LIMIT, NAME > LIMIT, NAME min ASPIRATION; or NAME fit FILE.csv X Y [ERROR].',
  );
  const outputs = await askMany(questions, 'Output', readOutputAnswer);
  const command = await questions.until('Command that computes the outputs: ', readCommandAnswer);
  const jobs = await questions.until('Runs at a time [1]: ', readCount(1, 64));
  const maximumRuns = await questions.until('Most runs [100]: ', readCount(100, 100_000));
  return formatProblemFile({ name: name.trim() || defaultName, inputs, outputs, command, jobs, maximumRuns });
}

type ReadAnswer<T> = (text: string) => { kind: 'value'; value: T } | { kind: 'fault'; message: string };
type ReadNamed = (text: string, taken: readonly string[]) => ReturnType<ReadAnswer<InputAnswer>>;

/** Until an empty line; at least one. */
async function askMany(questions: Questions, what: string, read: ReadNamed): Promise<readonly InputAnswer[]> {
  const answers: InputAnswer[] = [];
  for (;;) {
    const end = answers.length === 0 ? '' : ', or nothing to go on';
    const taken = answers.map((one) => one.name);
    const answer = await questions.until<InputAnswer | null>(`${what} ${answers.length + 1}${end}: `, (text) =>
      text.trim() === '' && answers.length > 0 ? { kind: 'value', value: null } : read(text, taken),
    );
    if (answer === null) return answers;
    answers.push(answer);
  }
}

function readCount(fallback: number, maximum: number): ReadAnswer<number> {
  return (text) => {
    const count = text.trim() === '' ? fallback : Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= maximum) return { kind: 'value', value: count };
    return { kind: 'fault', message: `Write a whole number from 1 to ${maximum}.` };
  };
}

/** Lines of standard input, typed or piped. */
class Questions {
  readonly #interface = createInterface({ input: process.stdin });
  readonly #lines = this.#interface[Symbol.asyncIterator]();

  say(words: string): void {
    console.log(words);
  }

  async ask(question: string): Promise<string> {
    process.stdout.write(question);
    const { value, done } = await this.#lines.next();
    if (done !== true) return value;
    throw new CommandError('\nThe answers ended before the questions did; nothing was written.', 1);
  }

  /** Asks again until the answer can be read. */
  async until<T>(question: string, read: ReadAnswer<T>): Promise<T> {
    for (;;) {
      const answer = read(await this.ask(question));
      if (answer.kind === 'value') return answer.value;
      this.say(answer.message);
    }
  }

  close(): void {
    this.#interface.close();
  }
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new CommandError(`${file} exists already; name another file, or remove it.`, 1);
}

async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(error.code === 'EEXIST' ? `${file} exists already.` : error.message, 1);
  });
}
