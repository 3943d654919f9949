import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { IS_BUILT, ROOT } from './installation.ts';

/**
 * Reading the sources takes most of a short command, and most of the start of a thread, which does not inherit the cache. Call it
 * before the import of what is to be cached. Inside the clone, where nobody else can put anything. A package may be read-only, or
 * shared by several users; it starts fast without.
 */
export function cacheCompiledCode(): void {
  if (!IS_BUILT) module.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/backsolve', ROOT)));
}
