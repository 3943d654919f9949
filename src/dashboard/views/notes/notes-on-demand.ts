/** Notes and files, loaded when they are first shown. */
import { onDemand } from '../../parts/on-demand.tsx';

export const Notes = onDemand(async () => (await import('./notes.tsx')).Notes);
