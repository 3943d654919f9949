/** docs/settings.md as the settings generate it. */
import { listSettings, type Setting, type SettingTree } from '../src/settings/rules.ts';
import { SETTINGS_TREE } from '../src/settings/settings.ts';

const SECTIONS = {
  HTTP: ['http'],
  Suggestions: ['suggest', 'worker', 'engine'],
  Database: ['database', 'dataDir', 'postgresFolder'],
  'Accounts and keys': ['account', 'deletedDataKeptDays', 'publicUrl', 'cell', 'bootstrapApiKey'],
  'Signing in by an OpenID provider': ['openId'],
  'Webhooks, e-mails and evaluators': ['webhooks', 'mail', 'evaluators'],
  Workbooks: ['workbooks'],
  Files: ['files'],
  'Commands that use a service': ['client'],
  Operation: ['log', 'telemetry', 'shutdownGraceMs'],
} as const satisfies Record<string, readonly (keyof typeof SETTINGS_TREE)[]>;

export const SETTING_NAMES: ReadonlySet<string> = new Set(listSettings(SETTINGS_TREE).map(({ name }) => name));

export const SETTINGS_PAGE = {
  file: new URL('../docs/settings.md', import.meta.url),
  text: `${[intro(), ...Object.entries(SECTIONS).map(([title, parts]) => section(title, parts)), forTests()].join('\n\n')}\n`,
};

function intro(): string {
  return `<!-- Generated from src/settings/settings.ts by \`npx node tools/write-settings.ts\`. -->

# Settings

Backsolve is configured through environment variables. An empty value counts as absent. If a setting is wrong, no command
starts: it prints every bad variable with what was expected and an example, and exits with code 2.`;
}

function section(title: string, parts: readonly (keyof typeof SETTINGS_TREE)[]): string {
  const settings = parts.flatMap((part) => listSettings(SETTINGS_TREE[part] as SettingTree | Setting));
  const rows = settings.map(
    ({ name, description, ...rest }) => `| \`${name}\` | ${defaultOf(rest)} | ${description} |`,
  );
  return [`## ${title}`, '', '| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function defaultOf({ shownDefault, fallback }: Pick<Setting, 'shownDefault' | 'fallback'>): string {
  return shownDefault ?? (fallback === undefined ? 'none' : `\`${fallback}\``);
}

function forTests(): string {
  return `## For the tests

| Variable | Meaning |
| --- | --- |
| \`TEST_DATABASE_URL\` | A PostgreSQL server on which a superuser may create databases. Without it the tests run in a container where a Docker engine answers, else on the embedded server that \`start\` uses. |
| \`TEST_OLDEST_DATABASE_URL\` | The same, for the tests that run on the oldest supported version too. |
| \`TEST_IN_FULL\` | Unless empty, all tests run, as in \`.ci/run\`: those that take long and rarely break, and on the oldest server all that depend on its version; otherwise a few of these. |
| \`TEST_POOLER_URL\` | A pooler in front of the server of \`TEST_DATABASE_URL\`, for any database; the tests go through it (\`npx node bench/drills/pgbouncer.ts\` sets it up). |
| \`TEST_BROWSER\` | The browser for the tests of the page: the path of a Chrome, Edge or Chromium. Without it, on Linux x64 the one that \`npm ci\` installs, else an installed one; where there is none, these tests are skipped. |
| \`TEST_FIREFOX\` | The path of a Firefox for the tests that walk through the page in it. Without it, the one on the \`PATH\`; where there is none, these tests are skipped. |
| \`TEST_BROWSER_REQUIRED\` | If set, the tests fail where there is no browser. |
| \`TEST_SCREENSHOTS\` | If set, the tests of the page leave pictures in \`test/page/screenshots\`; a test that fails always does. |
| \`TEST_PACKAGES\` | The folder into which \`npm run package\` has built, \`dist\`; the tests of test/packages install from it. Without it they are left out. |
| \`TEST_JAVASCRIPT_CLIENT\` | A folder in which the client of [clients.md](clients.md) is installed. |`;
}
