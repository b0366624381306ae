import { expect, test } from 'vitest';

import { readDeliveryTime, writeDeliveryTime } from './delivery-time.ts';

async function read(text: string, tzGuess?: string, own?: string): Promise<string | undefined> {
  const time = await readDeliveryTime(text, tzGuess, async () => own);
  return time && writeDeliveryTime(time);
}

test.each([
  ['2031-05-01T09:30:00Z', '2031-05-01T09:30:00+00:00'],
  ['2031-05-01t09:30z', '2031-05-01T09:30:00+00:00'],
  ['2031-05-01T09:30:00+02:00', '2031-05-01T09:30:00+02:00'],
  ['2031-05-01 09:30:00-0930', '2031-05-01T09:30:00-09:30'],
  ['2031-05-01 09:30+05', '2031-05-01T09:30:00+05:00'],
  [' 2031-05-01T09:30:15.250 ', '2031-05-01T09:30:15.25+00:00'],
  ['2031-05-01', '2031-05-01T00:00:00+00:00'],
  ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59-12:00'],
  ['2027/01/05 10:00', '2027-01-05T10:00:00+00:00'],
  ['2027/01/05T10:00:30-03:00', '2027-01-05T10:00:30-03:00'],
  ['20270105T100000', '2027-01-05T10:00:00+00:00'],
  ['20270105t1000Z', '2027-01-05T10:00:00+00:00'],
  ['20270105T100000+0200', '2027-01-05T10:00:00+02:00'],
  ['Tue, 05 Jan 2027 10:00:00 GMT', '2027-01-05T10:00:00+00:00'],
])('%s is %s', async (text, expected) => {
  expect(await read(text)).toBe(expected);
});

test.each([
  ['summer', '2031-07-01T12:00', '2031-07-01T12:00:00+02:00'],
  ['winter', '2031-01-01T12:00', '2031-01-01T12:00:00+01:00'],
  ['a skipped hour', '2031-03-30T02:30', '2031-03-30T03:30:00+02:00'],
  ['a repeated hour', '2031-10-26T02:30', '2031-10-26T02:30:00+02:00'],
])("a zone's offset applies: %s", async (_name, text, expected) => {
  expect(await read(text, 'Europe/Oslo')).toBe(expected);
});

test("the zone is the given one, otherwise the account's, otherwise UTC", async () => {
  const noon = '2031-07-01T12:00';
  expect(await read(noon, 'Asia/Kolkata', 'Europe/Oslo')).toBe('2031-07-01T12:00:00+05:30');
  expect(await read(noon, 'Nowhere/Land', 'Europe/Oslo')).toBe('2031-07-01T12:00:00+02:00');
  expect(await read(noon, '', 'Europe/Oslo')).toBe('2031-07-01T12:00:00+02:00');
  expect(await read(noon, undefined, '')).toBe('2031-07-01T12:00:00+00:00');
  expect(await read('2031/07/01 12:00', 'Asia/Kolkata')).toBe('2031-07-01T12:00:00+05:30');
  expect(await read('20310701T120000', 'Asia/Kolkata')).toBe('2031-07-01T12:00:00+05:30');
  // A time with an offset needs no zone.
  expect(await read(`${noon}Z`, 'Asia/Kolkata', 'Europe/Oslo')).toBe('2031-07-01T12:00:00+00:00');
});

test.each([
  '',
  'tomorrow',
  '1700000000',
  '12:30',
  '2031-02-30T12:00',
  '2031-13-01',
  '2031-05-01T24:30',
  '2031-05-01T09:30+99:00',
  '2031-05-01+02:00',
  '2031-05-01T09:30[Europe/Oslo]',
  '2027/01-05 10:00',
  '2027/02/30 10:00',
  '20270105',
  '20270105T1000000',
  '20271305T100000',
  'Wed, 05 Jan 2027 10:00:00 GMT',
  'Tue, 31 Feb 2027 10:00:00 GMT',
  'Tue, 05 Jan 2027 10:00:00 CET',
  '05 Jan 2027',
  '+275760-09-13T00:00',
  '-000001-01-01',
  '1e400',
  'null',
])('%j is not a time', async (text) => {
  expect(await read(text)).toBeUndefined();
});
