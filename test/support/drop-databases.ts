/** A setup file: it runs before each test file, so its hook runs after all others of the file, which call drop(). */
import { afterAll } from 'vitest';
import { dropFinished } from './postgres.ts';

// biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern as the first argument
afterAll(({}, suite) => dropFinished(suite as Parameters<typeof dropFinished>[0]));
