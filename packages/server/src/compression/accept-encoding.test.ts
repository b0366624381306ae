import { expect, test } from 'vitest';

import { takesGzip } from './accept-encoding.ts';

test.each([
  ['gzip'],
  ['GZIP'],
  ['x-gzip'],
  ['gzip, deflate, br, zstd'],
  ['deflate,br;q=1.0,gzip;q=0.001'],
  ['br , gzip ; q=0.5'],
  ['*'],
  ['br;q=0.5, *;q=0.1'],
  ['identity;q=0.5, gzip;q=0.5'],
  ['identity;q=0, gzip'],
  ['gzip;q=1.'],
  ['gzip, x-gzip;q=0'],
])('%s accepts gzip', (accepted) => {
  expect(takesGzip(accepted)).toBe(true);
});

test.each([
  [undefined],
  [''],
  ['identity'],
  ['br, deflate'],
  ['gzip;q=0'],
  ['gzip;q=0.000'],
  ['gzip;q=0, *'],
  ['*;q=0'],
  ['identity, gzip;q=0.5'],
  ['identity;q=0.5, *;q=0.1'],
  ['gzip;q=2'],
  ['gzip;q=-1'],
  ['gzip;q=nonsense'],
  ['gzip;q'],
  ['gzip;level=9'],
  ['gzip;q=1;q=1'],
  ['gzip2'],
  ['not gzip'],
])('%s does not accept gzip', (accepted) => {
  expect(takesGzip(accepted)).toBe(false);
});
