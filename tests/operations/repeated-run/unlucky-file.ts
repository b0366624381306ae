import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const mark = join(process.env['REPEATED_RUN_FOLDER'] ?? '', 'mark');

test('passes each time', () => expect(1).toBe(1));

test('fails the first time', () => {
  const isRepeated = existsSync(mark);
  writeFileSync(mark, '');
  expect(isRepeated).toBe(true);
});
