export * from './accept-encoding.ts';
export { joinChecksums, noBytes } from './checksum.ts';
export * from './deflater.ts';
export type { Checksum } from './checksum.ts';
export { compressedMinBytes, deflatePiece, gzipMember, storedPiece } from './gzip-member.ts';
export type { DeflatedPiece } from './gzip-member.ts';
