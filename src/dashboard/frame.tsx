/** The frame of every view: header, navigation, the notice of a lost connection, and sign-in. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clock } from '../presentation/formats.ts';
import { EmptyState } from './parts/empty-state.tsx';
import { onDemand } from './parts/on-demand.tsx';
import { findRoute, type Match } from './routes.ts';
import { Link } from './shell/link.tsx';
import { address, type View } from './shell/router.ts';
import { awaySince, explain } from './shell/service.ts';
import { may, offeredInvitation, offeredLink, session, signInNotice } from './shell/session.ts';
import { SignOutButton, unsent } from './shell/sign-out.tsx';
import { type Theme, theme } from './shell/theme.ts';

const LinkOffer = onDemand(() => import('./views/accept/link-offer.tsx').then((part) => part.LinkOffer));
// Apart from the button: a dialog has a header of its own.
const SignOutDialog = onDemand(() => import('./views/sign-in/sign-out-dialog.tsx').then((part) => part.SignOutDialog));
const SignIn = onDemand(() => import('./views/sign-in/sign-in.tsx').then((part) => part.SignIn));
const Accept = onDemand(() => import('./views/accept/accept.tsx').then((part) => part.Accept));

export function Frame() {
  const known = session.value;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link to="/page" class="brand">
          Backsolve
        </Link>
        {known && <Navigation />}
        <div class="top-end">
          {known && (
            <span class="account" title={known.account}>
              {known.person !== null && `${known.person}, `}Account {known.account}
            </span>
          )}
          <ThemeChoice />
          {known && <SignOutButton />}
        </div>
      </header>
      {awaySince.value !== undefined && (
        <p class="notice warning" role="status">
          Not connected; data as of {clock(awaySince.value)}. Reconnecting…
        </p>
      )}
      {known && unsent.value.length > 0 && <SignOutDialog />}
      {offeredLink.value !== undefined && <LinkOffer />}
      {known && signInNotice.value !== undefined && (
        <p class="notice warning" role="alert">
          {signInNotice.value}
        </p>
      )}
      <main id="main" tabIndex={-1} class={findRoute(address.value)?.route.isWide ? 'wide' : undefined}>
        <Content />
      </main>
    </>
  );
}

function Content() {
  const known = session.value;
  if (known === undefined) return <p role="status">Signing in…</p>;
  if (offeredInvitation.value !== undefined) return <Accept token={offeredInvitation.value} />;
  return known === null ? <SignIn /> : <CurrentView />;
}

function Navigation() {
  const { path } = address.value;
  return (
    <nav aria-label="Views">
      <Link to="/page" current={path === '/page' || path === '/page/'}>
        Objectives
      </Link>
      {may('write') && (
        <Link to="/page/new" current={path === '/page/new'}>
          New problem
        </Link>
      )}
      <Link to="/page/people" current={path === '/page/people'}>
        People
      </Link>
      <Link to="/page/administration" current={path === '/page/administration'}>
        Administration
      </Link>
      {/* Not a view of this page. */}
      <a href="/docs">Reference</a>
    </nav>
  );
}

const THEMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  return (
    <select
      aria-label="Colours"
      class="quiet"
      value={theme.value}
      onChange={({ currentTarget }) => {
        theme.value = currentTarget.value as Theme;
      }}
    >
      {Object.entries(THEMES).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** The code of the last view, or the error of loading it. */
const loaded = signal<{ readonly route: Match['route']; readonly view?: View; readonly error?: unknown } | undefined>(
  undefined,
);

function CurrentView() {
  const match = findRoute(address.value);
  const route = match?.route;
  useEffect(() => {
    document.title = `${route?.title ?? 'Nothing here'} – Backsolve`;
    if (route === undefined) return;
    let isOver = false;
    route.load().then(
      (module) => {
        if (!isOver) loaded.value = { route, view: module.default };
      },
      (error: unknown) => {
        if (!isOver) loaded.value = { route, error };
      },
    );
    return () => {
      isOver = true;
    };
  }, [route]);
  if (match === undefined) {
    return (
      <EmptyState title="There is nothing at this address">
        <Link to="/page">Go to the objectives</Link>
      </EmptyState>
    );
  }
  const { view: Shown, error } = loaded.value?.route === route ? (loaded.value ?? {}) : {};
  if (error !== undefined) {
    return (
      <EmptyState title="This view could not be loaded">
        <p>{explain(error)} The service may have been updated.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </EmptyState>
    );
  }
  if (Shown === undefined) return <p role="status">Loading…</p>;
  // Another part of the same view keeps its state.
  return <Shown key={`${match.route.title} ${match.place.ids}`} place={match.place} />;
}
