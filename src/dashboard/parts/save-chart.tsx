import { useState } from 'preact/hooks';
import type { Drawing } from '../../presentation/plot.ts';
import { colours } from './colours.ts';
import { Fault } from './fault.tsx';

/** The code that saves is loaded when it is first used. */
export function SaveChart({ drawing }: { drawing(): Drawing }) {
  const [failure, setFailure] = useState<unknown>(undefined);
  const { title } = drawing();
  const save = async (kind: 'savePng' | 'saveSvg') => (await import('./export.ts'))[kind](drawing(), colours.peek());
  return (
    <span class="save-chart">
      <button
        type="button"
        aria-label={`Save PNG: ${title}`}
        onClick={() => void save('savePng').then(() => setFailure(undefined), setFailure)}
      >
        Save PNG
      </button>
      <button
        type="button"
        aria-label={`Save SVG: ${title}`}
        onClick={() => void save('saveSvg').then(() => setFailure(undefined), setFailure)}
      >
        Save SVG
      </button>
      <Fault error={failure} />
    </span>
  );
}
