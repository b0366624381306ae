import { describe, expect, test } from 'vitest';

import { parseIdentityProviders } from './identity-providers.ts';

const least = {
  id: 'work',
  name: 'Work',
  issuer: 'https://id.example.com/realms/main',
  client_id: 'parley',
};

const parse = (...providers: readonly unknown[]) =>
  parseIdentityProviders(JSON.stringify(providers));

test('a provider is not trusted, makes no accounts and gives no roles unless it says so', () => {
  expect(parse(least)).toEqual([
    {
      id: 'work',
      name: 'Work',
      icon: undefined,
      issuer: 'https://id.example.com/realms/main',
      clientId: 'parley',
      clientSecret: undefined,
      scopes: 'openid email profile',
      isTrusted: false,
      emailVerifiedClaim: 'email_verified',
      makesAccounts: false,
      groupsClaim: undefined,
      roles: {},
    },
  ]);
});

test('all members are read, and the secret is not printed', () => {
  const [provider] = parse({
    ...least,
    icon: 'https://id.example.com/icon.png',
    client_secret: 'very secret',
    scopes: 'openid email groups',
    trusted: true,
    email_verified_claim: 'xms_edov',
    makes_accounts: true,
    groups_claim: 'groups',
    roles: { staff: 'member', 'chat-admins': 'administrator' },
  });
  expect(provider?.clientSecret?.reveal()).toBe('very secret');
  expect(JSON.stringify(provider)).not.toContain('very secret');
  expect(provider).toMatchObject({
    icon: 'https://id.example.com/icon.png',
    scopes: 'openid email groups',
    isTrusted: true,
    emailVerifiedClaim: 'xms_edov',
    makesAccounts: true,
    groupsClaim: 'groups',
    roles: { staff: 'member', 'chat-admins': 'administrator' },
  });
});

describe('a fault names the member and no value', () => {
  test.each([
    ['no object', ['secret-value'], /list of objects/],
    ['an unknown member', [{ ...least, trustd: 'secret-value' }], /provider 1 other members/],
    ['no issuer', [{ ...least, issuer: undefined }], /provider 1 issuer/],
    ['plain HTTP', [{ ...least, issuer: 'http://secret-value.example' }], /issuer as an https/],
    ['a login in the issuer', [{ ...least, issuer: 'https://a:secret-value@b.example' }], /issuer/],
    ['a query', [{ ...least, issuer: 'https://b.example/?secret-value' }], /issuer/],
    ['a slash in the id', [{ ...least, id: 'secret-value/' }], /provider 1 id/],
    ['a secret that is no text', [{ ...least, client_secret: ['secret-value'] }], /client_secret/],
    ['a long text', [{ ...least, name: 'secret-value'.repeat(50) }], /name as a text of 1 to 500/],
    ['a flag that is a text', [{ ...least, trusted: 'secret-value' }], /trusted as true or false/],
    ['scopes without openid', [{ ...least, scopes: 'secret-value' }], /scopes with openid/],
    ['an unknown role', [{ ...least, groups_claim: 'g', roles: { a: 'secret-value' } }], /roles/],
    ['roles without a claim', [{ ...least, roles: { a: 'guest' } }], /groups_claim and roles/],
    ['a claim without roles', [{ ...least, groups_claim: 'secret-value' }], /groups_claim and/],
    ['an icon of plain HTTP', [{ ...least, icon: 'http://secret-value.example' }], /icon/],
    ['one id twice', [least, { ...least, issuer: 'https://secret-value.example' }], /another id/],
    ['one issuer twice', [least, { ...least, id: 'secret-value' }], /another issuer/],
    ['too many', Array.from({ length: 21 }, () => least), /at most 20/],
  ])('%s', (_what, providers, expected) => {
    let text = '';
    try {
      parse(...providers);
    } catch (error) {
      text = error instanceof Error ? error.message : '';
    }
    expect(text).toMatch(expected);
    expect(text).not.toContain('secret-value');
  });

  test('no JSON', () => {
    expect(() => parseIdentityProviders('[secret-value')).toThrow(/^must be a JSON list$/);
  });
});

test('plain HTTP is for providers on the same machine', () => {
  for (const issuer of [
    'http://localhost:8080',
    'http://127.0.0.1:8080/realms/a',
    'http://[::1]:1',
  ])
    expect(parse({ ...least, issuer })[0]?.issuer).toBe(issuer);
});
