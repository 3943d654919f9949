import { useState } from 'preact/hooks';
import type { Drawing } from '../../parts/drawing.ts';
import { savePng, saveSvg } from '../../parts/export.ts';
import { Fault } from '../../parts/fault.tsx';

export function SaveChart({ drawing }: { drawing(): Drawing }) {
  const [failure, setFailure] = useState<unknown>(undefined);
  const { title } = drawing();
  return (
    <span class="save-chart">
      <button type="button" aria-label={`Save PNG: ${title}`} onClick={() => savePng(drawing()).catch(setFailure)}>
        Save PNG
      </button>
      <button type="button" aria-label={`Save SVG: ${title}`} onClick={() => saveSvg(drawing())}>
        Save SVG
      </button>
      <Fault error={failure} />
    </span>
  );
}
