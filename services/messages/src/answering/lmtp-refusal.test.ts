import { expect, test } from 'vitest';

import { LmtpRefusal } from './lmtp-refusal.ts';

test('a refusal is one line of printable ASCII, whatever it tells', () => {
  const { message } = new LmtpRefusal(
    550,
    '5.7.1',
    `No “x”\r\n250 2.0.0 Posted\0${'y'.repeat(999)}`,
  );
  expect(message).toMatch(/^5\.7\.1 No \?x\?250 2\.0\.0 Posted\?y+$/);
  expect(message.length).toBeLessThanOrEqual('5.7.1 '.length + 200);
});
