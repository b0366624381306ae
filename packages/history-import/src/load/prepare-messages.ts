/** Brings the texts of messages in their last form and renders them. */
import type { Client } from '@parley/database';
import { findMessageNumbers } from '@parley/store/imports';
import type { MessageNumber } from '@parley/store/imports';

import type { Ledger } from '../ledger.ts';
import type { MessageLinks, MessageRecord, Source } from '../records.ts';
import type { RenderedText } from '../rendering/render-texts.ts';
import type { RenderThreads } from '../rendering/render-threads.ts';
import type { LoadedDirectory } from './loaded-directory.ts';

/** A message that waits to be written. */
export type PreparedMessage = {
  readonly record: MessageRecord;
  readonly number: MessageNumber;
  readonly content: string;
  readonly earlier: readonly string[];
  readonly text: RenderedText;
};

export class MessagePreparer {
  readonly #client: Client;
  readonly #links: MessageLinks;
  readonly #threads: RenderThreads;
  readonly #directory: LoadedDirectory;
  readonly #ledger: Ledger;
  readonly #kind: string;

  constructor(options: {
    readonly client: Client;
    readonly source: Source;
    readonly threads: RenderThreads;
    readonly directory: LoadedDirectory;
    readonly ledger: Ledger;
  }) {
    this.#client = options.client;
    this.#links = options.source.links;
    this.#kind = options.source.kinds.message;
    this.#threads = options.threads;
    this.#directory = options.directory;
    this.#ledger = options.ledger;
  }

  async prepare(records: readonly MessageRecord[]): Promise<readonly PreparedMessage[]> {
    const textsOf = ({ content, edits }: MessageRecord): string[] => [
      content,
      ...edits.flatMap(({ previousContent }) => previousContent ?? []),
    ];
    const linked = records.flatMap((record) =>
      textsOf(record).flatMap((text) => this.#links.find(text)),
    );
    const numbers = await findMessageNumbers(this.#client, [
      ...new Set([...records.map(({ key }) => key), ...linked]),
    ]);
    const known = records.flatMap((record) => {
      const number = numbers.get(record.key);
      if (number === undefined)
        this.#ledger.skipped(this.#kind, 'the first reading did not find it', record.place);
      return number === undefined ? [] : [{ record, number }];
    });
    const idOf = (key: string): number | undefined => numbers.get(key)?.id;
    const mended = known.map(({ record, number }) => {
      const [content = '', ...earlier] = textsOf(record).map((text) =>
        this.#links.mend(text, idOf),
      );
      return { record, number, content, earlier };
    });
    const texts = await this.#threads.render(
      mended.map(({ record, content, earlier }) => ({
        topic: 'stream' in record.to ? record.to.topic : '',
        content,
        linkableIds: content.includes('#**')
          ? this.#directory.streams.privateStreamIdsOf(record.sender)
          : [],
        earlier,
      })),
    );
    return mended.flatMap((message, n) => {
      const text = texts[n];
      if (text === undefined) throw new Error('a text was not rendered');
      if (text.isPlain)
        this.#ledger.remark('texts that are too long for markup are shown as they are');
      return [{ ...message, text }];
    });
  }
}
