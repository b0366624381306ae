/**
 * One gzip member (RFC 1952) of pieces, of which some were compressed before: whoever reads it sees no difference to one that was
 * compressed at once. A piece that is compressed by itself ends at a byte and refers to nothing before it, so it may stand anywhere.
 */
import { constants, deflateRaw, deflateRawSync } from 'node:zlib';
import type { ZlibOptions } from 'node:zlib';

import { checksumOf, joinChecksums, noBytes } from './checksum.ts';
import type { Checksum } from './checksum.ts';

/** Bytes that may stand in a member, with the check value of what they unpack to. */
export type DeflatedPiece<Bytes = Buffer> = { readonly bytes: Bytes; readonly sum: Checksum };

/** A shorter answer is a few packets at most, whatever is done to it. */
export const compressedMinBytes = 8_192;

/** The identification, deflate, no flags, no time, no extra flags, no system. */
const begin = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** A last block that is empty. */
const lastBlock = Buffer.from([3, 0]);

const storedMaxBytes = 65_535;
const storedHeaderBytes = 5;
const trailerBytes = 8;

function optionsFor(plainBytes: number, level: number): ZlibOptions {
  // What comes out is collected in chunks of this size, each of them a step of its own.
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
export async function deflatePieceAside(plain: Buffer, level: number): Promise<DeflatedPiece> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    deflateRaw(plain, optionsFor(plain.length, level), (error, deflated) => {
      if (error === null) resolve(deflated);
      else reject(error);
    });
  });
  return { bytes, sum: checksumOf(plain) };
}

/** @returns the bytes as a piece that is not compressed, and so shares nothing with what is */
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

/** @returns the pieces as one gzip member, their bytes as they are given */
export function gzipMember<Bytes>(
  pieces: readonly DeflatedPiece<Bytes>[],
): readonly (Bytes | Buffer)[] {
  const sum = pieces.reduce((before, piece) => joinChecksums(before, piece.sum), noBytes);
  const trailer = Buffer.allocUnsafe(trailerBytes);
  trailer.writeUInt32LE(sum.crc, 0);
  trailer.writeUInt32LE(sum.bytes % 2 ** 32, 4);
  return [begin, ...pieces.map(({ bytes }) => bytes), Buffer.concat([lastBlock, trailer])];
}
