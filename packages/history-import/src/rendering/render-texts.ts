/** Renders imported messages with everything that their rows have from it. */
import {
  UnableToRender,
  contextOfData,
  findSubjectLinks,
  htmlDiff,
  renderMessage,
} from '@parley/markdown';
import type { RenderContext, RenderData, RenderedMessage } from '@parley/markdown';
import { searchWords } from '@parley/store';

/** Everything that texts may refer to. */
export type ImportRenderData = RenderData & {
  /** Streams that only messages of their own members may link to. */
  readonly privateStreams: readonly { readonly id: number; readonly name: string }[];
};

export type RenderTask = {
  readonly topic: string;
  readonly content: string;
  /** Private streams of the sender, by their ids. */
  readonly linkableIds: readonly number[];
  /** Earlier texts, newest first. */
  readonly earlier: readonly string[];
};

export type RenderedText = Omit<RenderedMessage, 'mentionedGroupIds'> & {
  readonly subjectLinks: readonly string[];
  readonly searchWords: string;
  /** For each earlier text its HTML, and its difference from the next newer one. */
  readonly earlier: readonly { readonly html: string; readonly diff: string }[];
  /** Whether no rule could render it, so that it is shown as it is. */
  readonly isPlain: boolean;
};

/** Comparing two renderings takes time with their product. */
const comparedMaxLength = 200_000;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function asText(content: string): RenderedMessage {
  const escaped = content.replaceAll(/[&<>]/g, (character) => escapes[character] ?? character);
  return {
    html: `<p>${escaped.replaceAll('\n', '<br>\n')}</p>`,
    mentionedUserIds: [],
    mentionedGroupIds: [],
    mentionsWildcard: false,
    hasLink: false,
    hasImage: false,
    attachmentPathIds: [],
    isMeMessage: false,
  };
}

export class TextRenderer {
  readonly #context: RenderContext;
  readonly #privateStreams: ReadonlyMap<string, { readonly id: number; readonly name: string }>;

  constructor(data: ImportRenderData) {
    this.#context = contextOfData(data);
    this.#privateStreams = new Map(data.privateStreams.map((stream) => [stream.name, stream]));
  }

  #contextOf(linkableIds: readonly number[]): RenderContext {
    return {
      ...this.#context,
      streamByName: (name) => {
        const hidden = this.#privateStreams.get(name);
        if (hidden === undefined) return this.#context.streamByName(name);
        return linkableIds.includes(hidden.id) ? hidden : undefined;
      },
    };
  }

  #renderOne(content: string, context: RenderContext): RenderedMessage & { isPlain: boolean } {
    try {
      return { ...renderMessage(content, context), isPlain: false };
    } catch (error) {
      if (!(error instanceof UnableToRender)) throw error;
      return { ...asText(content), isPlain: true };
    }
  }

  render({ topic, content, linkableIds, earlier }: RenderTask): RenderedText {
    const context = this.#contextOf(linkableIds);
    const rendered = this.#renderOne(content, context);
    let newerHtml = rendered.html;
    const past = earlier.map((text) => {
      const { html } = this.#renderOne(text, context);
      const isComparable = html.length + newerHtml.length <= comparedMaxLength;
      const diff = isComparable ? htmlDiff(html, newerHtml) : newerHtml;
      newerHtml = html;
      return { html, diff };
    });
    return {
      ...rendered,
      subjectLinks: topic === '' ? [] : findSubjectLinks(topic, context),
      searchWords: searchWords(topic, rendered.html),
      earlier: past,
    };
  }
}
