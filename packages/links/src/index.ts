export { bytesOf, cutAt, joined, ownCopy, textOf } from './body.ts';
export type { LinkBody } from './body.ts';
export { GatewayLink, LinkUnreachable } from './gateway-link.ts';
export type { GatewayLinkOptions, LinkFault, LinkListener } from './gateway-link.ts';
export { keepBytes } from './kept-bytes.ts';
export { NodeLinks, RequestSignal } from './node-links.ts';
export type { LinkBacklog, NodeLinksOptions, ReceivedRequest } from './node-links.ts';
export {
  answerMaxBytes,
  goesOn,
  linkPath,
  linkProtocol,
  linkRequestId,
  partBytes,
  readAnswerMaxBytes,
} from './protocol.ts';
export type {
  AnswerKind,
  Fields,
  LinkAnswer,
  LinkedHeaders,
  LinkedRequest,
  WantedAnswer,
} from './protocol.ts';
export { Slots } from './slots.ts';
