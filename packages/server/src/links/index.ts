export * from './body.ts';
export * from './gateway-link.ts';
export { keepBytes } from './kept-bytes.ts';
export { LinkUnreachable } from './link.ts';
export type { Link, LinkFault, LinkListener } from './link.ts';
export * from './node-links.ts';
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
export * from './received-request.ts';
export { Slots } from './slots.ts';
