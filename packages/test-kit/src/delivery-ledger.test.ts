import { expect, test } from 'vitest';

import type { JsonObject } from './answer-checks.ts';
import { DeliveryLedger } from './delivery-ledger.ts';

const messageEvent = (eventId: number, messageId: number, content: string): JsonObject => ({
  id: eventId,
  type: 'message',
  flags: [],
  message: { id: messageId, content },
});

function openLedger(): {
  ledger: DeliveryLedger;
  annsQueue: ReturnType<DeliveryLedger['openQueue']>;
  bobsQueue: ReturnType<DeliveryLedger['openQueue']>;
} {
  const ledger = new DeliveryLedger();
  const annsQueue = ledger.openQueue("ann's", 1);
  const bobsQueue = ledger.openQueue("bob's", 2);
  ledger.attempt('to both', [1, 2]);
  ledger.acknowledge('to both', 10);
  ledger.attempt('to ann', [1]);
  ledger.acknowledge('to ann', 11);
  return { ledger, annsQueue, bobsQueue };
}

test('no fault is reported if every queue received exactly what it must, in order', () => {
  const { ledger, annsQueue, bobsQueue } = openLedger();
  annsQueue.receive([messageEvent(20, 10, 'to both'), { id: 21, type: 'heartbeat' }]);
  expect(ledger.countMissing()).toBe(2);
  annsQueue.receive([messageEvent(22, 11, 'to ann')]);
  bobsQueue.receive([messageEvent(20, 10, 'to both')]);
  expect(ledger.findFaults()).toEqual([]);
  expect(ledger.hasAllReceipts()).toBe(true);
});

test('every difference is found and named', () => {
  const { ledger, annsQueue, bobsQueue } = openLedger();
  annsQueue.receive([messageEvent(22, 11, 'to ann'), messageEvent(20, 10, 'to both')]);
  annsQueue.receive([messageEvent(23, 10, 'to both'), messageEvent(24, 12, 'by nobody')]);
  bobsQueue.receive([messageEvent(22, 11, 'to ann')]);
  expect(ledger.findFaults()).toEqual([
    "queue ann's of user 1: event 20 came after event 22",
    "queue ann's of user 1: message 10 came after message 11",
    "queue ann's of user 1: message 10 came again with event 23",
    "queue ann's of user 1: message 12 was sent by nobody in the ledger: by nobody",
    "queue bob's of user 2: message 11 is not for this user: to ann",
    "queue bob's of user 2: 1 acknowledged messages are missing: 10",
  ]);
  expect(() => ledger.check()).toThrow('6 faults of delivery');
});

test('a send whose answer was lost reaches all entitled queues or none', () => {
  const ledger = new DeliveryLedger();
  const queues = [ledger.openQueue('a', 1), ledger.openQueue('b', 1)] as const;
  ledger.attempt('reached nobody', [1]);
  expect(ledger.findFaults()).toEqual([]);
  ledger.attempt('unanswered', [1]);
  queues[0].receive([messageEvent(1, 1, 'unanswered')]);
  expect(ledger.findFaults()).toEqual([
    'message 1, whose answer was lost, reached 1 queues but not b',
  ]);
  queues[1].receive([messageEvent(1, 1, 'unanswered')]);
  expect(ledger.findFaults()).toEqual([]);
  queues[1].receive([messageEvent(2, 2, 'unanswered')]);
  expect(ledger.findFaults()).toEqual(['"unanswered", sent once, became messages 1, 2']);
});

test('a queue need not receive what was sent before it was opened', () => {
  const ledger = new DeliveryLedger();
  ledger.attempt('early', [1]);
  ledger.acknowledge('early', 5);
  ledger.openQueue('late', 1);
  expect(ledger.findFaults()).toEqual([]);
});
