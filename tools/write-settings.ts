/** Writes docs/settings.md: `npx node tools/write-settings.ts`. A test compares the page with the settings. */
import { writeFile } from 'node:fs/promises';
import { SETTINGS_PAGE } from './settings-page.ts';

await writeFile(SETTINGS_PAGE.file, SETTINGS_PAGE.text);
