/**
 * The answer to register as JSON, put together from texts. Texts that several answers contain are kept as bytes, which cross a link once
 * and are compressed once.
 */
import { Deflater, compressedMinBytes, gzipMember, storedPiece } from '@parley/server/compression';
import type { DeflatedPiece } from '@parley/server/compression';
import { bytesOf, keepBytes } from '@parley/server/links';
import { preserialized } from '@parley/server';
import type { Preserialized } from '@parley/server';

/** A shorter text is not worth a separate piece. */
const keptMinLength = 4_096;

/** A text for many readers is worth more compression time than one for a single reader. */
const keptLevel = 6;
const ownLevel = 1;

const deflater = new Deflater();

/** A value as JSON text. */
export class JsonText<Value = unknown> {
  readonly text: string;
  /** For types only: the value that the text represents. */
  declare readonly value: Value;

  constructor(text: string) {
    this.text = text;
  }

  static of<Value>(value: Value): JsonText<Value> {
    return new JsonText(JSON.stringify(value));
  }
}

/** A text that answers to several people contain. */
export class KeptText<Value = unknown> extends JsonText<Value> {
  #bytes: readonly Buffer[] | undefined;
  #deflated: Promise<DeflatedPiece<readonly Buffer[]>> | undefined;

  static override of<Value>(value: Value): JsonText<Value> {
    const text = JSON.stringify(value);
    return text.length < keptMinLength ? new JsonText(text) : new KeptText(text);
  }

  get bytes(): readonly Buffer[] {
    return (this.#bytes ??= keepBytes([Buffer.from(this.text)]));
  }

  /** The same compressed; the promise is kept, unless it is rejected. */
  deflate(): Promise<DeflatedPiece<readonly Buffer[]>> {
    this.#deflated ??= this.#deflate().catch((error: unknown) => {
      this.#deflated = undefined;
      throw error;
    });
    return this.#deflated;
  }

  async #deflate(): Promise<DeflatedPiece<readonly Buffer[]>> {
    const { bytes, sum } = await deflater.deflate(Buffer.from(this.text), keptLevel);
    return { bytes: keepBytes([bytes]), sum };
  }
}

/** A text with keys. It is never compressed, because the length would reveal them together with text that others wrote. */
export class SecretText<Value = unknown> extends JsonText<Value> {
  static override of<Value>(value: Value): SecretText<Value> {
    return new SecretText(JSON.stringify(value));
  }
}

/** An object of which some members may already be JSON text. */
export type PartlyText<Members> = {
  readonly [Name in keyof Members]: Members[Name] | JsonText<Members[Name]>;
};

/**
 * @param takesGzip whether the answer may be gzip; short answers are plain anyway
 * @returns a successful answer with these members; those that are undefined are left out
 */
export async function answerOf<Answer>(
  members: PartlyText<Answer>,
  takesGzip: boolean,
): Promise<Preserialized<Answer>> {
  const pieces = piecesOf({ result: 'success', msg: '', ...members });
  const plain = pieces.flatMap((piece) =>
    piece instanceof KeptText ? piece.bytes : [Buffer.from(piece.text)],
  );
  if (!takesGzip || bytesOf(plain) <= compressedMinBytes) return preserialized(plain);
  const deflated = await Promise.all(pieces.map(pack));
  return preserialized(gzipMember(deflated).flat(), 'gzip');
}

async function pack(piece: JsonText): Promise<DeflatedPiece<readonly Buffer[]>> {
  if (piece instanceof KeptText) return piece.deflate();
  const plain = Buffer.from(piece.text);
  const { bytes, sum } =
    piece instanceof SecretText ? storedPiece(plain) : await deflater.deflate(plain, ownLevel);
  return { bytes: [bytes], sum };
}

/** @returns the JSON of an object, in which kept and secret texts are separate pieces */
function piecesOf(members: Readonly<Record<string, unknown>>): readonly JsonText[] {
  const pieces: JsonText[] = [];
  let text = '';
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    text += `${text === '' && pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (value instanceof KeptText || value instanceof SecretText) {
      pieces.push(new JsonText(text), value);
      text = '';
    } else text += value instanceof JsonText ? value.text : JSON.stringify(value);
  }
  pieces.push(new JsonText(`${text}}`));
  return pieces;
}
