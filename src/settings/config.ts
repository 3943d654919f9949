/** Environment variables -> one frozen Config. Nothing else reads the environment. */
import { delimiter, dirname } from 'node:path';
import type { z } from 'zod';
import { isSetting, listSettings, type Setting, type SettingTree } from './rules.ts';
import { SETTINGS_TREE } from './settings.ts';

/** The value of a setting; of a group of settings an object of their values. */
type ValueOf<Part> =
  Part extends Setting<infer Schema>
    ? AsReadonly<z.output<Schema>>
    : { readonly [Key in keyof Part]: ValueOf<Part[Key]> };
type AsReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly Item[]
  : Value extends object
    ? Readonly<Value>
    : Value;

/** The settings of a process, in the shape of SETTINGS_TREE, which describes each. */
export type Config = ValueOf<typeof SETTINGS_TREE>;

/** Bad settings. `message`, for a terminal, lists each variable with its fault, the expected values and an example. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings; an empty value counts as absent. Throws ConfigError naming every bad one. */
export function loadConfig(env: Environment = process.env): Config {
  const problems: string[] = [];
  const read = (part: SettingTree | Setting): unknown => {
    if (!isSetting(part)) return mapValues(part, read);
    const given = env[part.name]?.trim();
    const result = part.rule.safeParse(given === undefined || given === '' ? part.fallback : given);
    if (!result.success) problems.push(describe(part, given ?? '', result.error.issues[0]?.message ?? 'is wrong'));
    return result.data;
  };
  const config = read(SETTINGS_TREE) as Config;
  if (problems.length === 0) problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(report(problems));
  return deepFreeze(config);
}

/** Whether `npm run backsolve` or `npm start` runs this process. Under npx the variables of npm hold its own settings only. */
export function isRunByNpm(env: Environment = process.env): boolean {
  return ['backsolve', 'start'].includes(env['npm_lifecycle_event'] ?? '');
}

/** Flags that npm took out of the command line of `npm run`, as it does with every flag that no `--` precedes. */
export function flagsTakenByNpm(flags: readonly string[], env: Environment = process.env): readonly string[] {
  if (!isRunByNpm(env)) return [];
  return flags.filter((flag) => env[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined);
}

/**
 * The environment for programs that a command runs: everything except settings that are secret. A machine without Node still has the
 * one of this process, after everything else.
 */
export function environmentForPrograms(env: Environment = process.env): Environment {
  const secrets = new Set(listSettings(SETTINGS_TREE).flatMap(({ name, secret }) => (secret ? [name] : [])));
  const kept = Object.entries(env).filter(([name]) => !secrets.has(name));
  const [nameOfPath, folders] = kept.find(([name]) => name.toUpperCase() === 'PATH') ?? ['PATH', undefined];
  const all = [...(folders ? [folders] : []), dirname(process.execPath)].join(delimiter);
  return { ...Object.fromEntries(kept), [nameOfPath]: all };
}

/** The variables without which no program starts: where programs are, and on Windows the system's folder. */
export function environmentForGuarded(env: Environment = process.env): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(path|systemroot)$/i.test(name)));
}

/** The abilities of the terminal, as set by its user: https://no-color.org, and TERM=dumb if it cannot move its cursor. */
export function terminalOf(env: Environment = process.env): { readonly hasColor: boolean; readonly isDumb: boolean } {
  const isDumb = env['TERM'] === 'dumb';
  return { hasColor: !isDumb && (env['NO_COLOR'] ?? '') === '', isDumb };
}

/** Settings that are right one by one, but not together. */
function contradictions({ suggest, http, files }: Config): string[] {
  const problems: string[] = [];
  if (suggest.waitMs > suggest.waitMaximumMs) {
    const complaint = 'is above SUGGEST_WAIT_MAXIMUM_MS';
    problems.push(
      describe(SETTINGS_TREE.suggest.waitMs, String(suggest.waitMs), complaint, {
        expected: `at most ${suggest.waitMaximumMs}, the value of SUGGEST_WAIT_MAXIMUM_MS`,
        example: String(suggest.waitMaximumMs),
      }),
    );
  }
  const least = 2 * http.bodyLimitBytes;
  if (http.bodyBytesInFlight < least) {
    const complaint = 'is below 2 x BODY_LIMIT_BYTES';
    problems.push(
      describe(SETTINGS_TREE.http.bodyBytesInFlight, String(http.bodyBytesInFlight), complaint, {
        expected: `at least ${least}: one account may use half of it, which has to hold a whole body`,
        example: String(least),
      }),
    );
  }
  const mostOfFile = Math.floor((0.75 * http.bodyBytesInFlight) / 2);
  if (files.maximumBytes > mostOfFile) {
    problems.push(
      describe(
        SETTINGS_TREE.files.maximumBytes,
        String(files.maximumBytes),
        'is too large for MAXIMUM_BODY_BYTES_IN_FLIGHT',
        {
          expected: `at most ${mostOfFile}: one account may use half of it, and an upload has a third more bytes`,
          example: String(mostOfFile),
        },
      ),
    );
  }
  return problems;
}

function describe(
  setting: Setting,
  given: string,
  complaint: string,
  { expected, example }: Pick<Setting, 'expected' | 'example'> = setting,
): string {
  const shown = setting.secret ? '(not shown)' : JSON.stringify(given.length > 80 ? `${given.slice(0, 80)}...` : given);
  return `  ${setting.name} ${shown} ${complaint}\n    expected: ${expected}\n    example:  ${setting.name}=${example}`;
}

function report(problems: readonly string[]): string {
  const count = problems.length === 1 ? 'One setting is wrong' : `${problems.length} settings are wrong`;
  return `${count}; docs/settings.md explains every setting.\n\n${problems.join('\n\n')}\n`;
}

function mapValues(tree: SettingTree, map: (part: SettingTree | Setting) => unknown): object {
  return Object.fromEntries(Object.entries(tree).map(([key, part]) => [key, map(part)]));
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}
