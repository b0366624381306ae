import { describe, expect, it } from 'vitest';

import { statementName } from './trace-statements.ts';

describe('statementName', () => {
  it('is the name of a prepared statement, otherwise its first word only', () => {
    expect(statementName({ name: 'send-messages', text: 'SELECT 1' })).toBe('send-messages');
    expect(statementName({ text: `\n  INSERT INTO t VALUES ('secret')` })).toBe('INSERT');
    expect(statementName(`SELECT 'secret'; COMMIT`)).toBe('SELECT');
    for (const strange of [undefined, null, 7, {}, '', `'secret'`])
      expect(statementName(strange)).toBe('statement');
  });
});
