import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allows, SCOPES } from '../../src/domain/api-key.ts';
import { isOfDomain, rolesOf } from '../../src/domain/openid.ts';
import { nameOfActor, ROLE_NAMES, ROLES, scopesWithin } from '../../src/domain/people.ts';

const scopes = fc.subarray([...SCOPES]);

describe('a role', () => {
  it('A role never gives a scope that the key or session lacks, nor one beyond the role', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ROLE_NAMES), scopes, (role, own) => {
        const left = scopesWithin(role, own);
        expect(left.every((scope) => own.includes(scope) && allows(ROLES[role], scope))).toBe(true);
        expect(own.filter((scope) => allows(ROLES[role], scope))).toEqual(left);
      }),
    );
  });

  it('Without a person the scopes stay, and an owner keeps them all', () => {
    expect(scopesWithin(null, ['evaluate'])).toEqual(['evaluate']);
    expect(scopesWithin('owner', SCOPES)).toEqual(SCOPES);
  });
});

describe('the name of an actor', () => {
  it('The person counts before the label of the key, and that before its id', () => {
    const all = { personName: 'Ada', keyLabel: 'rig', keyId: 'abcdefgh' };
    expect(nameOfActor(all)).toBe('Ada');
    expect(nameOfActor({ ...all, personName: null })).toBe('rig');
    expect(nameOfActor({ ...all, personName: null, keyLabel: null })).toBe('abcdefgh');
    expect(nameOfActor({ personName: null, keyLabel: null, keyId: null })).toBe('sign-in link');
  });
});

describe('groups of a provider', () => {
  const RULES = [
    { group: 'all', account: 'rigs', role: 'reader' },
    { group: 'leads', account: 'rigs', role: 'owner' },
    { group: 'rig', account: 'rigs', role: 'member' },
    { group: 'rig', account: 'archive', role: 'reader' },
  ] as const;

  it('Of several roles in one account the strongest counts, in whatever order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...RULES], { minLength: 4 }), (rules) => {
        expect(rolesOf(rules, ['all', 'rig'])).toEqual(
          new Map([
            ['rigs', 'member'],
            ['archive', 'reader'],
          ]),
        );
        expect(rolesOf(rules, ['leads', 'all'])).toEqual(new Map([['rigs', 'owner']]));
      }),
    );
    expect(rolesOf(RULES, ['others']).size).toBe(0);
  });

  it('A domain is that behind the last @, whatever the case', () => {
    const of = (email: string | null, isEmailVerified = true) =>
      isOfDomain({ email, isEmailVerified }, ['example.com']);
    expect(of('Ada@Example.COM')).toBe(true);
    expect(of('ada@example.com@evil.example')).toBe(false);
    expect(of('ada@sub.example.com')).toBe(false);
    expect(of('ada@notexample.com')).toBe(false);
    expect(of('ada@example.com', false)).toBe(false);
    expect(of(null)).toBe(false);
    expect(isOfDomain({ email: null, isEmailVerified: true }, [])).toBe(true);
  });
});
