/** Whether If-None-Match names the tag; it may be weak, or one of several, or * (RFC 9110, section 13.1.2). */
export function matchesETag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}
