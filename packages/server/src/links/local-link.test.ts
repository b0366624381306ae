/** Both ends of a link within a process: what `links.test.ts` says of one between two. */
import { MovedClock } from '@parley/clock';
import { expect, it } from 'vitest';

import { requestWith } from '../../tests/link-server.ts';
import { LinkLost } from './link.ts';
import type { LinkFault } from './link.ts';
import type { LocalLink } from './local-link.ts';
import { NodeLinks } from './node-links.ts';
import type { LinkAnswer, LinkedRequest } from './protocol.ts';
import type { AnsweringNode, ReceivedRequest } from './received-request.ts';

const answer = { status: 200, kind: 'json', headers: {}, shared: 'x', own: 'y' } as const;
const step = { ...answer, kind: 'step', own: '' } as const;

type Reply = (answer: LinkAnswer) => void;

function linkTo(answerRequest: AnsweringNode['answer']) {
  const said: string[] = [];
  const links = new NodeLinks({
    clock: new MovedClock(),
    identitySecrets: [],
    answer: answerRequest,
    onFault: (error) => said.push(`fault: ${String(error)}`),
  });
  const link = links.connect({
    onLeaving: () => said.push('leaving'),
    onClosed: () => said.push('closed'),
  });
  if (link === undefined) throw new Error('the node stops');
  return { links, link, said };
}

/** A node that answers when the test says so. */
function heldNode() {
  const held: { request: ReceivedRequest; reply: Reply }[] = [];
  return { held, ...linkTo((request, reply) => held.push({ request, reply })) };
}

const requestOf = (requestId: string): LinkedRequest =>
  requestWith({ requestId, query: [['a', 'b']], body: Buffer.from('body') });

/** What a listener is told, in order. */
function send(link: LocalLink, requestId = 'r') {
  const told: (LinkAnswer | LinkFault)[] = [];
  const number = link.send(requestOf(requestId), {
    onLinkAnswer: (each) => told.push(each),
    onLinkFault: (fault) => told.push(fault),
  });
  return { told, number };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('carries requests and answers, none before the request has its number', async () => {
  const requests: ReceivedRequest[] = [];
  const { link } = linkTo((request, reply) => {
    requests.push(request);
    reply(answer);
  });
  const { told } = send(link);
  expect([told, link.size]).toEqual([[], 1]);
  await turn();
  expect(told).toEqual([answer]);
  expect(requests).toMatchObject([requestOf('r')]);
  expect(link.size).toBe(0);
});

it('carries the parts of a stream in order, each step once the last one was taken', async () => {
  const { held, link } = heldNode();
  const { number, told } = send(link);
  await turn();
  const [{ request, reply } = { request: undefined, reply: () => undefined }] = held;
  let taken = 0;
  request?.signal.whenTaken(() => {
    taken += 1;
  });
  reply({ ...step, shared: 'a' });
  expect(taken).toBe(0);
  link.take(number);
  expect(taken).toBe(1);
  reply({ ...step, shared: 'b' });
  reply(answer);
  expect(told.map((each) => ('shared' in each ? each.shared : each))).toEqual(['a', 'b', 'x']);
});

it('an abandoned request is not answered, and its node hears of it after what it does at the moment', async () => {
  const { held, link } = heldNode();
  const { number, told } = send(link);
  const early = send(link, 'early');
  link.leave(early.number);
  await turn();
  expect(held.map(({ request }) => request.requestId)).toEqual(['r']);
  link.leave(number);
  expect(held[0]?.request.signal.aborted).toBe(false);
  await turn();
  expect(held[0]?.request.signal.aborted).toBe(true);
  held[0]?.reply(answer);
  expect([told, early.told, link.size]).toEqual([[], [], 0]);
});

it('a node that stops says so before its last answers, and is done when it has given them', async () => {
  const { held, link, links, said } = heldNode();
  const { told } = send(link);
  await turn();
  links.sayLeaving();
  expect(said).toEqual(['leaving']);
  expect(link.isLeaving).toBe(true);
  expect(() => send(link)).toThrow('a node that stops');
  const finished = links.finish().then(() => said.push('finished'));
  await turn();
  expect(said).toEqual(['leaving']);
  held[0]?.reply(answer);
  await finished;
  expect(told).toEqual([answer]);
  links.end();
  expect(said).toEqual(['leaving', 'finished', 'closed']);
  expect(links.connect({ onLeaving: () => undefined, onClosed: () => undefined })).toBeUndefined();
});

it.each(['node', 'gateway'])('requests are lost if the %s ends the link', async (end) => {
  const { held, link, links, said } = heldNode();
  const { number, told } = send(link);
  await turn();
  if (end === 'node') links.end();
  else link.close();
  expect(told).toEqual([expect.any(LinkLost)]);
  expect([said, links.size]).toEqual([['closed'], 0]);
  await turn();
  expect(held[0]?.request.signal.aborted).toBe(true);
  link.leave(number);
  held[0]?.reply(answer);
  expect(told).toHaveLength(1);
});

it('a fault of either end ends the link', async () => {
  const ofNode = linkTo(() => {
    throw new Error('of the node');
  });
  const { told } = send(ofNode.link);
  await turn();
  expect(told).toEqual([expect.any(LinkLost)]);
  expect(ofNode.said).toEqual(['fault: Error: of the node', 'closed']);

  const ofGateway = linkTo((_request, reply) => reply(answer));
  ofGateway.link.send(requestOf('r'), {
    onLinkAnswer: () => {
      throw new Error('of the gateway');
    },
    onLinkFault: () => undefined,
  });
  const other = send(ofGateway.link, 'other');
  await turn();
  expect(other.told).toEqual([expect.any(LinkLost)]);
  expect(ofGateway.said).toEqual(['fault: Error: of the gateway', 'closed']);
});
