import { parseAddressRanges } from '@parley/config';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { AddressRules } from './address-rules.ts';

const none = new AddressRules([]);

describe('without settings', () => {
  test.each([
    ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
    [
      '126.255.255.255',
      '128.0.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
    ],
    [
      '192.0.1.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
    ],
    ['168.63.129.15', '168.63.129.17'],
    [
      '2001:200::1',
      '2606:4700:4700::1111',
      '2a00:1450:4001::1',
      '2001:db7::1',
      '2003::1',
      '3ffe::1',
    ],
  ])('public addresses may be called: %s', (...addresses) => {
    expect(addresses.filter((address) => !none.permits(address))).toEqual([]);
  });

  test.each([
    ['0.0.0.0', '0.255.255.255', '10.0.0.1', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    [
      '127.0.0.1',
      '127.255.255.255',
      '169.254.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ['192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.51.100.1'],
    ['203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    // Metadata addresses of clouds.
    ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
    ['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:a00:1'],
    ['64:ff9b::8.8.8.8', '64:ff9b::a00:1', '64:ff9b:1::1', '100::1', '2001::1', '2001:10::1'],
    ['2001:db8::1', '2002:7f00:1::', '3fff::1', '4000::1', '5f00::1', 'fc00::1', 'fdff::1'],
    ['fe80::1', 'febf::1', 'fec0::1', 'ff02::1'],
  ])('others may not: %s', (...addresses) => {
    expect(addresses.filter((address) => none.permits(address))).toEqual([]);
  });

  test.each([
    [''],
    ['localhost'],
    ['127.1'],
    ['0x7f000001'],
    ['2130706433'],
    ['8.8.8.8.'],
    [' 8.8.8.8'],
    ['08.8.8.8'],
    ['[2606:4700::1]'],
    ['2606:4700::1%eth0'],
    ['fe80::1%1'],
    ['8.8.8.8/32'],
  ])('text that is not a plain address may not: %j', (text) => {
    expect(none.permits(text)).toBe(false);
  });
});

test('addresses allowed by settings may be called, and no others', () => {
  const rules = new AddressRules(
    parseAddressRanges('10.1.0.0/16,127.0.0.1,fd00:1::/32,::ffff:10.0.0.0/104'),
  );
  for (const address of [
    '10.1.0.0',
    '10.1.255.255',
    '127.0.0.1',
    'fd00:1::1',
    '::ffff:10.2.3.4',
    '8.8.8.8',
  ])
    expect([address, rules.permits(address)]).toEqual([address, true]);
  for (const address of [
    '10.2.0.0',
    '127.0.0.2',
    'fd00:2::1',
    // A range of IPv4 does not apply to IPv6 addresses that contain one of its own.
    '::ffff:127.0.0.1',
    '64:ff9b::10.1.0.1',
    '169.254.169.254',
  ])
    expect([address, rules.permits(address)]).toEqual([address, false]);
});

/** The same rules in another form: as numbers. */
type NumberRange = readonly [first: bigint, bits: number, prefixBits: number];

function isWithin(value: bigint, [first, bits, prefixBits]: NumberRange): boolean {
  const shift = BigInt(bits - prefixBits);
  return value >> shift === first >> shift;
}

const ipv4 = (a: number, b: number, c: number, d: number): bigint =>
  (BigInt(a) << 24n) | (BigInt(b) << 16n) | (BigInt(c) << 8n) | BigInt(d);

const closed4: readonly NumberRange[] = [
  [ipv4(0, 0, 0, 0), 32, 8],
  [ipv4(10, 0, 0, 0), 32, 8],
  [ipv4(100, 64, 0, 0), 32, 10],
  [ipv4(127, 0, 0, 0), 32, 8],
  [ipv4(168, 63, 129, 16), 32, 32],
  [ipv4(169, 254, 0, 0), 32, 16],
  [ipv4(172, 16, 0, 0), 32, 12],
  [ipv4(192, 0, 0, 0), 32, 24],
  [ipv4(192, 0, 2, 0), 32, 24],
  [ipv4(192, 88, 99, 0), 32, 24],
  [ipv4(192, 168, 0, 0), 32, 16],
  [ipv4(198, 18, 0, 0), 32, 15],
  [ipv4(198, 51, 100, 0), 32, 24],
  [ipv4(203, 0, 113, 0), 32, 24],
  [ipv4(224, 0, 0, 0), 32, 3],
];
const closed6: readonly NumberRange[] = [
  [0x2001n << 112n, 128, 23],
  [0x2001_0db8n << 96n, 128, 32],
  [0x2002n << 112n, 128, 16],
  [0x3fffn << 112n, 128, 20],
];

const shown4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
const shown6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, n) =>
    ((value >> BigInt(112 - 16 * n)) & 0xffffn).toString(16),
  ).join(':');

const around = (range: NumberRange): bigint[] => {
  const [first, bits, prefixBits] = range;
  const size = 1n << BigInt(bits - prefixBits);
  const max = (1n << BigInt(bits)) - 1n;
  return [first - 1n, first, first + size - 1n, first + size].filter((n) => n >= 0n && n <= max);
};

test('property: every IPv4 address is classified by the ranges, including their ends', () => {
  const edges = closed4.flatMap(around);
  fc.assert(
    fc.property(fc.oneof(fc.bigInt(0n, 2n ** 32n - 1n), fc.constantFrom(...edges)), (value) => {
      const isClosed = closed4.some((range) => isWithin(value, range));
      expect(none.permits(shown4(value))).toBe(!isClosed);
      // No IPv6 address that contains it may be called, whether it is closed or not.
      for (const prefix of [0n, 0xffffn << 32n, 0x64ff9bn << 96n, 0x64ff9b_0001n << 80n])
        expect(none.permits(shown6(prefix | value))).toBe(false);
      expect(none.permits(shown6((0x2002n << 112n) | (value << 80n)))).toBe(false);
    }),
  );
});

test('property: every IPv6 address is classified by the ranges, including their ends', () => {
  const edges = [...closed6, [0x2n << 124n, 128, 3] as const].flatMap(around);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.bigInt(0n, 2n ** 128n - 1n),
        fc.bigInt(2n ** 125n, 2n ** 126n - 1n),
        fc.constantFrom(...edges),
      ),
      (value) => {
        const isPublic = value >> 125n === 1n && !closed6.some((range) => isWithin(value, range));
        expect(none.permits(shown6(value))).toBe(isPublic);
      },
    ),
  );
});

test('property: an allowed range is allowed as a whole, without effect on others', () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 2n ** 32n - 1n),
      fc.integer({ min: 0, max: 32 }),
      fc.bigInt(0n, 2n ** 32n - 1n),
      (first, prefixBits, value) => {
        const rules = new AddressRules([{ address: shown4(first), prefixBits }]);
        const expected = isWithin(value, [first, 32, prefixBits]) || none.permits(shown4(value));
        expect(rules.permits(shown4(value))).toBe(expected);
      },
    ),
  );
});
