/** Combines the check values of pieces into that of the whole: the CRC-32 of gzip, in the field of its polynomial. */
import { crc32 } from 'node:zlib';

/** The check value of some bytes, with what is needed to combine it with others. */
export type Checksum = {
  readonly crc: number;
  readonly bytes: number;
  /** The effect of the bytes on the check value of the bytes before them: x to the power of their number of bits. */
  readonly shift: number;
};

/** The polynomial without its highest power; the lowest power is in the highest bit. */
const polynomial = 0xed_b8_83_20;
const one = 2 ** 31;
const xToTheEighth = 2 ** 23;

export const noBytes: Checksum = { crc: 0, bytes: 0, shift: one };

/** @returns the product of two polynomials, modulo the polynomial of the check */
function multiply(left: number, right: number): number {
  let product = 0;
  let factor = right;
  for (let bit = one; bit !== 0 && left !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

function shiftOf(bytes: number): number {
  let power = one;
  let square = xToTheEighth;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

export function checksumOf(bytes: Buffer): Checksum {
  return { crc: crc32(bytes), bytes: bytes.length, shift: shiftOf(bytes.length) };
}

/** @returns the check value of two pieces of bytes, one after the other */
export function joinChecksums(before: Checksum, after: Checksum): Checksum {
  return {
    crc: (multiply(after.shift, before.crc) ^ after.crc) >>> 0,
    bytes: before.bytes + after.bytes,
    shift: multiply(before.shift, after.shift),
  };
}
