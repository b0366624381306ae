import { expect, test } from 'vitest';

import { declareEndpoint } from '../declare/endpoint.ts';
import { integer, listOf, object } from '../declare/schema.ts';
import { answerCheckOf } from './answer-check.ts';

test('answers contain exactly the declared members', () => {
  const check = answerCheckOf(
    declareEndpoint({
      name: 'list-things',
      method: 'GET',
      path: '/things',
      service: 'messages',
      tag: 'Server',
      summary: 'Things',
      access: { authentication: 'none' },
      parameters: [],
      success: object({ list: listOf(object({ id: integer })) }),
    }),
  );
  expect(check({ list: [{ id: 1 }] })).toBeUndefined();
  expect(check({ list: [{ id: 1, extra: 2 }] })).toContain('/list/0');
  expect(check({})).toContain('list');
});
