/**
 * Builds one gzip member (RFC 1952) from pieces, some of which were compressed before. A reader sees no difference from a member that was
 * compressed at once. A piece compressed by itself ends at a byte and refers to nothing before it, so it may be at any place.
 */
import { constants, deflateRaw, deflateRawSync } from 'node:zlib';
import type { ZlibOptions } from 'node:zlib';

import { checksumOf, joinChecksums, noBytes } from './checksum.ts';
import type { Checksum } from './checksum.ts';

/** Bytes for a member, with the check value of the bytes that they unpack to. */
export type DeflatedPiece<Bytes = Buffer> = { readonly bytes: Bytes; readonly sum: Checksum };

/** A shorter answer is at most a few packets, compressed or not. */
export const compressedMinBytes = 8_192;

/** The identification, deflate, no flags, no time, no extra flags, no system. */
const begin = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** An empty last block. */
const lastBlock = Buffer.from([3, 0]);

const storedMaxBytes = 65_535;
const storedHeaderBytes = 5;
const trailerBytes = 8;

function optionsFor(plainBytes: number, level: number): ZlibOptions {
  // The output is collected in chunks of this size, each of which is a separate step.
  const chunkSize = Math.min(Math.max(plainBytes >> 3, 4_096), 262_144);
  return { level, chunkSize, finishFlush: constants.Z_SYNC_FLUSH };
}

/** Compresses a piece at once. */
export function deflatePiece(plain: Buffer, level: number): DeflatedPiece {
  return {
    bytes: deflateRawSync(plain, optionsFor(plain.length, level)),
    sum: checksumOf(plain),
  };
}

/** Compresses a piece in the thread pool. */
export async function deflatePieceInPool(plain: Buffer, level: number): Promise<DeflatedPiece> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    deflateRaw(plain, optionsFor(plain.length, level), (error, deflated) => {
      if (error === null) resolve(deflated);
      else reject(error);
    });
  });
  return { bytes, sum: checksumOf(plain) };
}

/** @returns the bytes as an uncompressed piece, which shares nothing with compressed ones */
export function storedPiece(plain: Buffer): DeflatedPiece {
  const blocks = Math.ceil(plain.length / storedMaxBytes);
  const bytes = Buffer.allocUnsafe(plain.length + blocks * storedHeaderBytes);
  let at = 0;
  for (let from = 0; from < plain.length; from += storedMaxBytes) {
    const length = Math.min(storedMaxBytes, plain.length - from);
    at = bytes.writeUInt8(0, at);
    at = bytes.writeUInt16LE(length, at);
    at = bytes.writeUInt16LE(storedMaxBytes - length, at);
    at += plain.copy(bytes, at, from, from + length);
  }
  return { bytes, sum: checksumOf(plain) };
}

/** @returns the pieces as one gzip member, with their bytes unchanged */
export function gzipMember<Bytes>(
  pieces: readonly DeflatedPiece<Bytes>[],
): readonly (Bytes | Buffer)[] {
  const sum = pieces.reduce((before, piece) => joinChecksums(before, piece.sum), noBytes);
  const trailer = Buffer.allocUnsafe(trailerBytes);
  trailer.writeUInt32LE(sum.crc, 0);
  trailer.writeUInt32LE(sum.bytes % 2 ** 32, 4);
  return [begin, ...pieces.map(({ bytes }) => bytes), Buffer.concat([lastBlock, trailer])];
}
