import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allows, SCOPES } from '../../../src/domain/accounts/api-key.ts';
import { isUnseen, looksLike } from '../../../src/domain/look-alikes.ts';
import { isOfDomain, OpenIdFailure, readGroups, rolesOf } from '../../../src/domain/people/openid.ts';
import {
  mayStillInvite,
  missingOf,
  nameOfActor,
  ROLE_NAMES,
  ROLES,
  scopesWithin,
} from '../../../src/domain/people/people.ts';

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

describe('an invitation', () => {
  it('An invitation never gives a scope that whoever made it may not give now', () => {
    const maker = fc.record({
      makerRole: fc.option(fc.constantFrom(...ROLE_NAMES)),
      isByPerson: fc.boolean(),
      makerKeyScopes: fc.option(scopes),
      isStillLent: fc.boolean(),
    });
    fc.assert(
      fc.property(maker, fc.constantFrom(...ROLE_NAMES), (made, role) => {
        fc.pre(made.makerRole === null || made.isByPerson);
        const may = scopesWithin(made.makerRole, made.makerKeyScopes ?? SCOPES);
        const isGone = made.isByPerson && made.makerRole === null;
        const isOpen = mayStillInvite(made, { opens: 'this account', role });
        expect(isOpen).toBe(made.isStillLent && !isGone && may.includes('admin') && missingOf(role, may).length === 0);
        if (made.makerRole !== null && made.makerRole !== 'owner') expect(isOpen).toBe(false);
      }),
    );
  });
});

describe('names that look the same', () => {
  it.each([
    ['Ada', 'ada'],
    ['Ada', '\u0410d\u0430'],
    ['tom', '\u0422\u041e\u041c'],
    ['Al', 'AI'],
    ['Ada', 'A\u200b\u00adda\ufeff\u2800'],
    ['Ada', 'Ada\u{e0041}'],
    ['Ada', '\uff21\uff44\uff41'],
    ['Ada', '\u{1d400}\u{1d41d}\u{1d41a}'],
    ['Jos\u00e9', 'Jose\u0301'],
    ["O'Brien", 'O\u2019Brien'],
    ['Ada L', 'Ada\u00a0\u3000L'],
    ['\u0645\u06cc\u200c\u0631\u0648\u062f', '\u0645\u06cc\u0631\u0648\u062f'],
  ])('%j looks like %j', (one, other) => {
    expect(looksLike(one)(other)).toBe(true);
    expect(looksLike(other)(one)).toBe(true);
  });

  it.each([
    ['Jos\u00e9', 'Jose'],
    ['M\u00fcller', 'Muller'],
    ['S\u00f8ren', 'Soren'],
    ['\u0418\u0432\u0430\u043d', 'Ivan'],
    ['\u5c71\u7530', '\u5c71\u672c'],
    ['\u304b\u306a', '\u30ab\u30ca'],
    ['\u0639\u0644\u06cc', '\u0639\u0644\u064a\u0627'],
    ['\u0915\u094d\u0937', '\u0915\u0937'],
    ['Ada', 'Ada 2'],
    ['Ada 2', 'Ada 3'],
  ])('%j and %j are two names', (one, other) => {
    expect(looksLike(one)(other)).toBe(false);
  });

  it('Every name looks like itself, with whatever nobody sees in between, and can be seen unless nothing else is there', () => {
    const unseen = fc.constantFrom('\u200b', '\u200d', '\u2060', '\ufe0f', '\u3164', '\u00ad', '\u{e0020}');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), unseen, (name, between) => {
        const look = looksLike(name);
        expect(look(name)).toBe(true);
        expect(look(`${between}${name}${between}`)).toBe(true);
        expect(isUnseen(between)).toBe(true);
        expect(isUnseen(`${between}a`)).toBe(false);
      }),
    );
  });
});

describe('groups in a claim', () => {
  const known = new Set(['rig', 'leads', 'rig team']);
  const read = (claim: unknown, separator: 'ask' | 'none' | 'comma' | 'space' = 'ask') =>
    readGroups(claim, { separator, known });

  it.each([
    [['rig', 'others'], 'ask', ['rig', 'others']],
    ['rig', 'ask', ['rig']],
    ['Domain Users', 'ask', ['Domain Users']],
    ['["rig","leads"]', 'ask', ['rig', 'leads']],
    ['rig, leads', 'comma', ['rig', 'leads']],
    ['[rig, rig team]', 'comma', ['rig', 'rig team']],
    ['rig  leads', 'space', ['rig', 'leads']],
    ['rig team', 'none', ['rig team']],
    ['rig leads', 'none', ['rig leads']],
    [' ', 'ask', []],
    ['', 'none', []],
    [null, 'ask', []],
    [undefined, 'comma', []],
  ] as const)('%j is read with %s', (claim, separator, groups) => {
    expect(read(claim, separator)).toEqual(groups);
  });

  it.each(['rig leads', 'rig,others', 'others;leads', 'rig team', 'rig team,others', { rig: 1 }, [1], '[1]', 7, false])(
    'What is not sure is refused: %j',
    (claim) => {
      expect(() => read(claim)).toThrow(OpenIdFailure);
    },
  );

  it('Nobody gets into a known group whose name is not in the claim', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string()), fc.json()), (claim) => {
        const text = typeof claim === 'string' ? claim : claim.join(',');
        for (const separator of ['ask', 'none', 'comma', 'space'] as const) {
          try {
            for (const group of read(claim, separator)) if (known.has(group)) expect(text).toContain(group);
          } catch (error) {
            expect(error).toBeInstanceOf(OpenIdFailure);
          }
        }
      }),
    );
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
