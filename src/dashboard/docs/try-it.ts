/**
 * Sends requests of one interface with the library of the reference: its colours follow the theme, and it contacts no other host. They carry the session of the page.
 */
import { SECRET_HEADER, storedSecret } from '../shell/page-secret.ts';

interface Reference {
  updateConfiguration(configuration: object): void;
}

declare const Scalar: { createApiReference(target: Element, configuration: object): Reference };

const target = document.querySelector<HTMLElement>('#reference')!;
const root = document.documentElement;
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

const configuration = () => {
  const theme = root.dataset['theme'];
  const isDark = theme === 'dark' || (theme !== 'light' && systemIsDark.matches);
  return {
    url: target.dataset['document'],
    theme: 'none',
    forceDarkModeState: isDark ? 'dark' : 'light',
    hideDarkModeToggle: true,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    // Each operation shows its own; the sidebar would list them beside the operations on models.
    hideModels: true,
    persistAuth: false,
    defaultOpenFirstTag: false,
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    onRequestBuilt: ({ request }: { readonly request: Request }) => {
      const secret = storedSecret();
      const isOurs = new URL(request.url).origin === location.origin;
      if (isOurs && secret !== undefined) request.headers.set(SECRET_HEADER, secret);
    },
  };
};

// The library reads options from the query, and some of them make it fail.
if (location.search !== '') history.replaceState(null, '', location.pathname + location.hash);

const reference = Scalar.createApiReference(target, configuration());
const update = () => reference.updateConfiguration(configuration());
systemIsDark.addEventListener('change', update);
new MutationObserver(update).observe(root, { attributeFilter: ['data-theme'] });
