export { BrokenFrame, FrameReader, frameOf } from './frames.ts';
export { GatewayLink, LinkLost, LinkRefused, LinkUnreachable } from './gateway-link.ts';
export type { GatewayLinkOptions, LinkFault, PollListener } from './gateway-link.ts';
export { NodeLinks, PollSignal } from './node-links.ts';
export type { NodeLinksOptions, ReceivedPoll } from './node-links.ts';
export { pollLinkPath, pollLinkProtocol, pollLinkRequestId } from './protocol.ts';
export type { LinkAnswer, LinkedPoll } from './protocol.ts';
export { Slots } from './slots.ts';
