/** The module that a thread starts with: it loads the optimizer in less than half the time. */
import '../earlier-node.ts';
import { cacheCompiledCode } from '../compile-cache.ts';

cacheCompiledCode();
const { default: run } = await import('./entry.ts');
export default run;
