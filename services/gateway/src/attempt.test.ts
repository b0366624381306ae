import { expect, it } from 'vitest';

import { AnswerTimeout, Attempt, LeaseLapsed } from './attempt.ts';
import type { ForwardedRequest } from './attempt.ts';

const node = { nodeId: 'node', address: '127.0.0.1:1', service: 'messages' };

it.each([
  ['late', 'had all the time', new AnswerTimeout(), false],
  ['lost', 'did not even answer looks in that time', new AnswerTimeout(), true],
  ['lost', 'lost its lease', new LeaseLapsed(), false],
] as const)('is %s on a node that %s', async (kind, _what, fault, isSilent) => {
  const attempt = new Attempt(node, { service: 'messages' } as ForwardedRequest, false);
  attempt.link = { isSilent };
  attempt.fail(fault);
  expect(await attempt.ended).toEqual({ kind });
});
