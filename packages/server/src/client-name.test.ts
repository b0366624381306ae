import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { clientNameOf, productName } from './client-name.ts';
import type { ClientFacts } from './client-name.ts';

describe('productName', () => {
  it.each([
    ['ZulipPython/0.8 (Ubuntu; 20.04)', 'ZulipPython'],
    ['ZulipPython/0.6.4 (Ubuntu; 18.04)', 'ZulipPython'],
    ['ZulipTerminal/0.7.0+git Linux x86', 'ZulipTerminal'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla'],
    ['node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 'node-fetch'],
    ['Zulip iOS 1.0', 'Zulip iOS'],
    ['My Bot 2.0', 'My Bot'],
    ['MyBot (Linux; 5)', 'MyBot'],
    ['curl/7.58.0', 'curl'],
    ['node', 'node'],
    ['a bot without version', 'a bot without version'],
    ['h2load nghttp2/1.43', 'h2load nghttp'.slice(0, 6)],
    ['', ''],
  ])('%s gives %s', (userAgent, expected) => {
    expect(productName(userAgent)).toBe(expected);
  });

  // The rule of the reference, as an expression; its engine backtracks as the rule says.
  const reference = /^([^/ ]*[^0-9/(]*)(?:\/[^/ ]*)?(?:[ /].*)?$/s;

  it('agrees with the rule written as a regular expression', () => {
    const piece = fc.constantFrom('a', 'Bot', ' ', '/', '(', ')', '1', '2.0', ';', '-');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const userAgent = pieces.join('');
        expect(productName(userAgent)).toBe(reference.exec(userAgent)?.[1]);
      }),
    );
  });

  it('takes linear time for hostile headers', () => {
    for (const unit of ['(', ' ', ' a', '1 ', '/('])
      expect(productName(unit.repeat(200_000))).toBeTypeOf('string');
  });
});

describe('clientNameOf', () => {
  const nameOf = (given: Partial<ClientFacts>): string =>
    clientNameOf({
      query: undefined,
      body: undefined,
      hasSession: false,
      userAgent: undefined,
      ...given,
    });

  it('prefers the query, then the body, then the session, then the header', () => {
    const userAgent = 'agent/1';
    expect(nameOf({ query: 'query', body: 'body', hasSession: true, userAgent })).toBe('query');
    expect(nameOf({ body: 'body', hasSession: true, userAgent })).toBe('body');
    expect(nameOf({ hasSession: true, userAgent })).toBe('website');
    expect(nameOf({ userAgent })).toBe('agent');
    expect(nameOf({})).toBe('Unspecified');
    expect(nameOf({ query: '', userAgent: '/1' })).toBe('Unspecified');
  });

  it('cuts to 30 code points and drops U+0000', () => {
    expect(nameOf({ query: '😀'.repeat(40) })).toBe('😀'.repeat(30));
    expect(nameOf({ query: 'a\0b' })).toBe('ab');
  });
});
