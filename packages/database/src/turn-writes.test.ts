import { Writable } from 'node:stream';

import { expect, test } from 'vitest';

import type { Queryable } from './queryable.ts';
import { TurnWrites } from './turn-writes.ts';

test('statements of one turn leave in one write, also those that follow from other answers of the turn', async () => {
  const writes: string[] = [];
  const unanswered: (() => void)[] = [];
  const note = (chunks: readonly { readonly chunk: Buffer }[], done: () => void): void => {
    writes.push(chunks.map(({ chunk }) => chunk.toString()).join(' '));
    setImmediate(() => unanswered.splice(0).forEach((answer) => answer()));
    done();
  };
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => note([{ chunk }], done),
    writev: note,
  });
  const connection: Queryable = {
    query: ({ text }) => {
      stream.write(text);
      const result = { rows: [], command: '', rowCount: 0, oid: 0, fields: [] };
      return new Promise((resolve) => {
        unanswered.push(() => resolve(result));
      });
    },
  };
  const database = new TurnWrites(connection, stream);
  const read = async (text: string): Promise<void> => {
    await database.query({ text });
  };
  const later = Promise.resolve().then(() => undefined);
  await Promise.all([
    read('a'),
    later.then(() => read('b')),
    read('c').then(() => read('d')),
    read('e').then(() => Promise.all([read('f'), read('g')])),
  ]);
  await read('h');
  expect(writes).toEqual(['a c e b', 'd f g', 'h']);
});
