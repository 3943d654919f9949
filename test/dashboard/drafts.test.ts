import { describe, expect, test } from 'vitest';
import { draftsOf, forgetAll, NEW_PROBLEM } from '../../src/dashboard/shell/drafts.ts';
import { Store } from './store.ts';

describe('drafts', () => {
  test('belong to their account', () => {
    const store = new Store();
    draftsOf('ann', store).write('outputs/1/2', 'hers');
    expect(draftsOf('ann', store).read('outputs/1/2')).toBe('hers');
    expect(draftsOf('anna', store).read('outputs/1/2')).toBeUndefined();
    expect(draftsOf('anna', store).names('outputs/')).toEqual([]);
    expect(draftsOf('ann', store).names('outputs/1/')).toEqual(['outputs/1/2']);
  });

  test('leave with the sign-out, those of other accounts stay, and an open view writes none back', () => {
    const store = new Store();
    const [ann, anna] = [draftsOf('ann', store), draftsOf('anna', store)];
    for (const drafts of [ann, anna]) {
      drafts.write(NEW_PROBLEM, 'problem');
      drafts.write('outputs/1/2', 'outputs');
    }
    forgetAll('ann', store);
    expect(ann.write(NEW_PROBLEM, 'too late')).toBe(false);
    expect(ann.read(NEW_PROBLEM)).toBeUndefined();
    expect(ann.names('outputs/')).toEqual([]);
    expect(anna.read(NEW_PROBLEM)).toBe('problem');
    expect(anna.read('outputs/1/2')).toBe('outputs');
    expect(draftsOf('ann', store).write(NEW_PROBLEM, 'after the next sign-in')).toBe(true);
  });

  test('find the new problem that an earlier release has kept', () => {
    const store = new Store();
    store.setItem('backsolve-draft-ann', 'problem');
    expect(draftsOf('ann', store).read(NEW_PROBLEM)).toBe('problem');
  });

  test('say when the browser does not keep them', () => {
    const full = new Store();
    full.setItem = () => {
      throw new Error('full');
    };
    expect(draftsOf('ann', full).write('a', 'text')).toBe(false);
    expect(draftsOf('ann', undefined).read('a')).toBeUndefined();
    expect(() => forgetAll('ann', undefined)).not.toThrow();
  });
});
