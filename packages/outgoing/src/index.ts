export * from './address-rules.ts';
export { KeptConnections } from './kept-connections.ts';
export * from './call-service.ts';
export { fetchFile } from './fetch-file.ts';
export type { FetchedFile } from './fetch-file.ts';
export { findAddressesInDns } from './find-addresses.ts';
export type { FindAddresses } from './find-addresses.ts';
