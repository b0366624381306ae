import { badRequest } from '@parley/api';
import { UnableToRender, contextOfData, htmlDiff, renderMessage } from '@parley/markdown';
import type { RenderData, RenderedMessage } from '@parley/markdown';

import { RenderPool } from './render-pool.ts';
import type { RenderPoolOptions } from './render-pool.ts';

/**
 * Longer messages go to a thread. A hop costs 0.1 ms, of which this thread works 0.03 ms. An ordinary message of this length takes some 0.2
 * ms, with five linkifiers 0.4 ms, the most hostile one 1 ms, or 5 ms with a linkifier that looks ahead without end (measured on two shared
 * cores). For shorter messages, which are most, a hop saves next to nothing.
 */
const inPlaceMaxLength = 500;

/** Formulas, highlighted code and the cells that a wide table gives to its short rows take milliseconds for a few characters. */
const costly = /\$\$|```|~~~|\||^(?: {4}|\t)/m;

/** Two renderings of this length together compare in a millisecond. */
const comparedInPlaceMaxLength = 1000;

/** One for the wall time of a hostile message, one for all others meanwhile. */
const threads = 2;
/** As many as two threads render within the time limit of a message, 5 s, at 75 ms each, which is the most that a message should take. */
const waitingMax = 130;

const workerUrl = new URL('render-worker.ts', import.meta.url);

function isCheap(content: string): boolean {
  return content.length <= inPlaceMaxLength && !costly.test(content);
}

/**
 * Renders messages, and compares renderings, without blocking other requests: short plain ones in place, all others in a few threads.
 */
export class MessageRenderer {
  readonly #pool: RenderPool;

  constructor(options: Pick<RenderPoolOptions, 'clock' | 'log'> & Partial<RenderPoolOptions>) {
    this.#pool = new RenderPool({ size: threads, waitingMax, workerUrl, ...options });
  }

  /**
   * Renders a message.
   *
   * @param content as it will be stored
   * @throws ApiError `Unable to render message`; 503 while too many messages wait
   */
  async render(content: string, data: RenderData): Promise<RenderedMessage> {
    try {
      if (isCheap(content)) return renderMessage(content, contextOfData(data));
      return await this.#pool.run({ content, data });
    } catch (error) {
      if (error instanceof UnableToRender) throw badRequest('Unable to render message');
      throw error;
    }
  }

  /**
   * Compares two renderings of a message (reference facts, markdown 16).
   *
   * @throws ApiError `Unable to render message`; 503 while too many messages wait
   */
  async compare(previousHtml: string, newHtml: string): Promise<string> {
    if (previousHtml.length + newHtml.length <= comparedInPlaceMaxLength)
      return htmlDiff(previousHtml, newHtml);
    try {
      return await this.#pool.compare({ previousHtml, newHtml });
    } catch (error) {
      if (error instanceof UnableToRender) throw badRequest('Unable to render message');
      throw error;
    }
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#pool.close();
  }
}
