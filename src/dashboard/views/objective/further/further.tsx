/** Questions about an objective beyond its best run. Each answer is computed when it is opened. */
import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { onDemand } from '../../../parts/on-demand.tsx';
import type { Run } from '../state/history.ts';
import './further.css';

type Answer = FunctionComponent<{ readonly run: Run }>;

// Few visits open one of them.
const Solutions: Answer = onDemand(async () => (await import('./solutions.tsx')).Solutions);
const Robustness: Answer = onDemand(async () => (await import('./robustness.tsx')).Robustness);
const Identifiability: Answer = onDemand(async () => (await import('./identifiability.tsx')).Identifiability);

export function Further({ run }: { readonly run: Run }) {
  return (
    <section class="further" aria-labelledby="further-title">
      <h2 id="further-title">Further questions</h2>
      <Question run={run} text="Solutions: which inputs meet all targets, and how do they differ?" answer={Solutions} />
      <Question run={run} text="Robustness: are the targets still met if the inputs vary?" answer={Robustness} />
      <Question run={run} text="Identifiability: which inputs do the targets determine?" answer={Identifiability} />
    </section>
  );
}

function Question({ run, text, answer: Shown }: { readonly run: Run; readonly text: string; readonly answer: Answer }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{text}</summary>
      {isOpen && <Shown run={run} />}
    </details>
  );
}
