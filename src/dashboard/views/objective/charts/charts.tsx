/** The charts of an objective: its only entry, loaded when the tab is opened. */
import { Coordinates } from '../coordinates/coordinates.tsx';
import { Distance } from '../distance/distance.tsx';
import type { PartProps } from '../part.ts';

export function Charts({ judged, source, choice }: PartProps) {
  // Of a front there may be no distance to anything.
  const hasTarget = judged.run.head.value.objectives.some((target) => target !== null);
  return (
    <>
      {hasTarget && <Distance judged={judged} others={source.others} />}
      <Coordinates judged={judged} choice={choice} />
    </>
  );
}
