export { AddressRules } from './address-rules.ts';
export { callService } from './call-service.ts';
export type { CallOptions, CallResult, ServiceAnswer, ServiceCall } from './call-service.ts';
export { findAddressesInDns } from './find-addresses.ts';
