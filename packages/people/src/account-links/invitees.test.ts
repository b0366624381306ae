import { expect, test } from 'vitest';

import { readInvitees } from './invitees.ts';

test('addresses stand alone or with a name, which may have separators in quotes', () => {
  const raw =
    'dee@example.com, "Oak, Ann" <ann@example.com>;Bob Ray <bob@example.com>\n\n "Cat"\n<cat@example.com>';
  expect(readInvitees(raw)).toEqual([
    { email: 'ann@example.com', fullName: 'Oak, Ann' },
    { email: 'bob@example.com', fullName: 'Bob Ray' },
    { email: 'cat@example.com', fullName: 'Cat' },
    { email: 'dee@example.com', fullName: undefined },
  ]);
});

// Each takes hours in time with the square of its length.
const many = 3_000_000;
test.each([
  ['line ends', '\n', 0],
  ['blanks', ' ', 0],
  ['quotes', '"', 1],
  ['quoted names', '"a"', 1],
  ['quoted names before line ends', '"a"\n', 1],
  ['brackets', '<', 1],
  ['empty addresses', '<>', 0],
  ['names with half an address', '"a"<', 1],
])('%s are read in time with their length', (_, piece, count) => {
  const read = (): unknown => readInvitees(piece.repeat(many / piece.length));
  if (count === 0) expect(read).toThrow('You must specify at least one email address.');
  else expect(read()).toHaveLength(count);
});
