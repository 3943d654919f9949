import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { seedObjective } from '../../harness/seeded-history.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { callCommand } from '../support/run-command.ts';
