import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Reading the sources takes most of a short command, and most of the start of a thread, which does not inherit the cache. Call it
 * before the import of what is to be cached. Inside the installation, where nobody else can put anything.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/backsolve', import.meta.url)));
}
