export { bytesOf, cutAt, joined, ownCopy, textOf } from './body.ts';
export type { LinkBody } from './body.ts';
export { GatewayLink } from './gateway-link.ts';
export type { GatewayLinkOptions } from './gateway-link.ts';
export { keepBytes } from './kept-bytes.ts';
export { LinkUnreachable } from './link.ts';
export type { Link, LinkFault, LinkListener } from './link.ts';
export { NodeLinks } from './node-links.ts';
export type { NodeLinksOptions } from './node-links.ts';
export {
  answerMaxBytes,
  isContinued,
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
export { RequestSignal } from './received-request.ts';
export type { AnsweringNode, LinkBacklog, ReceivedRequest } from './received-request.ts';
export { Slots } from './slots.ts';
