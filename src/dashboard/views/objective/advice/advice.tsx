import type { Run } from '../history.ts';

/** What the runs show that a person can act on. Empty where there is nothing. */
export function Advice({ run }: { readonly run: Run }) {
  // An older process of the service, during an upgrade, sends none.
  const advice = run.head.value.advice ?? [];
  if (advice.length === 0) return null;
  return (
    <section aria-labelledby="advice-title">
      <h2 id="advice-title">Advice</h2>
      <ul>
        {advice.map(({ sentence }) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
