/** Reads a file of JSON lines as they pass. Memory is bounded by the longest line. */
import type { Readable } from 'node:stream';

import { ImportFault } from '../import-fault.ts';
import { depthMax, weighJson, weightMaxBytes } from './record-weight.ts';

const lineMaxBytes = 64 * 1024 * 1024;
const lineFeed = 0x0a;
const strictText = new TextDecoder('utf-8', { fatal: true });

/** A line that was read, or that could not be; lines are counted from 1. */
export type JsonLine =
  | {
      readonly line: number;
      readonly value: unknown;
      /** How much memory it takes, estimated in bytes. */
      readonly weight: number;
    }
  | { readonly line: number; readonly fault: string; readonly text: string };

/** @throws ImportFault for a line that would take too much memory */
function parse(file: string, bytes: Buffer, line: number): JsonLine | undefined {
  const { weight, depth } = weighJson(bytes);
  if (depth > depthMax)
    throw new ImportFault(`${file} cannot be read: line ${line} is nested deeper than ${depthMax}`);
  if (weight > weightMaxBytes)
    throw new ImportFault(`${file} cannot be read: line ${line} has too many values`);
  try {
    const text = strictText.decode(bytes);
    return text.trim() === ''
      ? undefined
      : { line, value: JSON.parse(text), weight: weight + bytes.length };
  } catch (error) {
    const fault = error instanceof SyntaxError ? 'it is no JSON' : 'it is not in UTF-8';
    return { line, fault, text: bytes.toString('latin1', 0, 1_000) };
  }
}

/**
 * @param file its name, for faults
 * @throws ImportFault if a line is too long, or the last one is cut off
 */
export async function* readJsonLines(file: string, stream: Readable): AsyncGenerator<JsonLine> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let line = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      pieces.push(chunk.subarray(from, at));
      from = at + 1;
      line += 1;
      const read = parse(file, Buffer.concat(pieces), line);
      pieces = [];
      bytes = 0;
      if (read !== undefined) yield read;
    }
    pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > lineMaxBytes)
      throw new ImportFault(`${file} has a line longer than ${lineMaxBytes} bytes`);
  }
  const rest = parse(file, Buffer.concat(pieces), line + 1);
  if (rest === undefined) return;
  if ('fault' in rest) throw new ImportFault(`${file} is cut off in line ${rest.line}`);
  yield rest;
}
