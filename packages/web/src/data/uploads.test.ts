import { expect, test } from 'vitest';

import { linkToFile } from './uploads.ts';

test.each([
  ['kiln plan.pdf', 'kiln plan.pdf'],
  ['a](http://elsewhere.example) [b.png', 'a_(http://elsewhere.example) _b.png'],
  ['@**all**.png', '@_all_.png'],
  ['`one\n# two\u2028three`\\', '_one_# two_three_'],
])('the link to a file named %j says %j', (name, text) => {
  expect(linkToFile(name, '/user_uploads/1/2')).toBe(`[${text}](/user_uploads/1/2)`);
});
