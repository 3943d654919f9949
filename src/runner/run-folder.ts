/**
 * Names what a problem file leaves behind, beside it:
 *
 *   .backsolve/NAME   record, journal and lock of the engine
 *   .backsolve/NAME/work           work folders of runs
 *   NAME.csv, NAME.json            results
 */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile, syncFolder } from '../../clients/typescript/src/evaluator/durable-files.ts';
import { makeOwnFolder } from '../../clients/typescript/src/evaluator/own-files.ts';
import { exists, ignoreMissing, ProblemFolder, type ProblemRecord } from '../../clients/typescript/src/solve/folder.ts';
import type { Plan } from '../../clients/typescript/src/solve/plan.ts';

export interface FileRecord extends ProblemRecord {
  /** The name of the problem file. */
  readonly file: string;
  /** Names of the result files, in the folder of the problem file. */
  readonly results: { readonly csv: string; readonly json: string };
}

export class RunFolder extends ProblemFolder {
  override readonly path: string;
  readonly file: string;
  /** The folder of the problem file. */
  readonly home: string;
  readonly name: string;

  constructor(file: string) {
    const { dir, name } = path.parse(path.resolve(file));
    const folder = path.join(dir, '.backsolve', name);
    super(folder);
    this.path = folder;
    this.file = path.resolve(file);
    this.home = dir;
    this.name = name;
  }

  override get journal(): string {
    return path.join(this.path, 'runs.jsonl');
  }

  get work(): string {
    return path.join(this.path, 'work');
  }

  get #record(): string {
    return path.join(this.path, 'problem.json');
  }

  override async make(): Promise<void> {
    await makeOwnFolder(path.dirname(this.path));
    await super.make();
    const ignore = path.join(this.home, '.backsolve', '.gitignore');
    if (!(await exists(ignore))) await replaceFile(ignore, '*\n');
  }

  override async read(): Promise<FileRecord | undefined> {
    const record = (await super.read()) as FileRecord | undefined;
    if (record === undefined || record.file === this.#base) return record;
    // Only its ending was changed.
    const isRenamed = !(await exists(path.join(this.home, record.file)));
    return isRenamed ? { ...record, file: this.#base } : record;
  }

  get #base(): string {
    return path.basename(this.file);
  }

  override async begin(plan: Plan, service: string | null): Promise<ProblemRecord> {
    return super.begin(plan, service, { file: this.#base, results: await this.#nameResults(plan.knownSource) });
  }

  /** Goes on with what was begun under another name. A crash in between is made good by the next call. */
  async takeOver(earlier: RunFolder): Promise<void> {
    // The journal first: its record would begin without runs otherwise.
    await rename(earlier.journal, this.journal).catch(ignoreMissing);
    await rename(earlier.#record, this.#record);
    await syncFolder(this.path);
    const record = await super.read();
    await this.write({ ...record, file: this.#base } as ProblemRecord);
  }

  /** Results never replace a file that is not theirs: the problem itself, known runs, or anything that was there before. */
  async #nameResults(known: string | null): Promise<FileRecord['results']> {
    const earlier = (await this.readEarlier()).at(-1) as FileRecord | undefined;
    if (earlier !== undefined) return earlier.results;
    for (const stem of [this.name, `${this.name}.result`]) {
      const results = { csv: `${stem}.csv`, json: `${stem}.json` };
      const files = Object.values(results).map((name) => path.join(this.home, name));
      const knownFile = known === null ? undefined : path.resolve(this.home, known);
      const taken = await Promise.all(files.map(async (file) => file === knownFile || (await exists(file))));
      if (!taken.includes(true)) return results;
    }
    return { csv: `${this.name}.result.csv`, json: `${this.name}.result.json` };
  }
}
