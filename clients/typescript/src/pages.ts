/** The query of the next page, from the Link header (RFC 8288); undefined on the last page. */
export function nextPage(headers: Headers): Readonly<Record<string, string>> | undefined {
  const address = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  // Only its query counts: behind a proxy the path may be another one.
  return address === undefined ? undefined : Object.fromEntries(new URLSearchParams(address.split('?')[1] ?? ''));
}
