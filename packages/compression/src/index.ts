export { takesGzip } from './accept-encoding.ts';
export type { Checksum } from './checksum.ts';
export { deflatePiece, deflatePieceAside, gzipMember, storedPiece } from './gzip-member.ts';
export type { DeflatedPiece } from './gzip-member.ts';
