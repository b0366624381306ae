/** Links of a workspace to its own messages. */
import type { MessageLinks } from '../../records.ts';

/** A channel or private conversation that links lead to. */
export type LinkTarget = {
  /** @param time of a message, as it is unique in its channel */
  readonly keyOf: (time: string) => string;
  /** @param threadTime of the first message of the thread, which may be the message itself */
  readonly addressOf: (messageId: number, threadTime: string) => string;
};

/** Ids of channels are unique, so it does not matter under which name the workspace is reached. */
const messageLink =
  /https:\/\/[\w.-]{1,255}\.slack\.com\/archives\/([A-Z0-9]{1,30})\/p(\d{10})(\d{6})(?!\d)(\?[^\s()<>"'\]]{1,500})?/g;

const mayHaveLink = (content: string): boolean => content.includes('.slack.com/archives/');

/** @param targetOf the conversation with an id, undefined if the archive does not have it */
export function slackLinks(targetOf: (channel: string) => LinkTarget | undefined): MessageLinks {
  return {
    find: (content) =>
      mayHaveLink(content)
        ? Array.from(content.matchAll(messageLink)).flatMap(
            ([, channel = '', secs, micros]) => targetOf(channel)?.keyOf(`${secs}.${micros}`) ?? [],
          )
        : [],
    mend: (content, idOf) =>
      mayHaveLink(content)
        ? content.replaceAll(
            messageLink,
            (whole: string, channel: string, secs: string, micros: string, query: string = '') => {
              const target = targetOf(channel);
              const time = `${secs}.${micros}`;
              const id = target === undefined ? undefined : idOf(target.keyOf(time));
              const threadTime = new URLSearchParams(query).get('thread_ts') ?? time;
              return target === undefined || id === undefined
                ? whole
                : target.addressOf(id, threadTime);
            },
          )
        : content,
  };
}
