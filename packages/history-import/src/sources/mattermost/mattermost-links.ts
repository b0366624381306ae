/** Links of a Mattermost server to its own posts. */
import { unnamedMessageLink } from '@parley/markdown';

import type { Ledger } from '../../ledger.ts';
import type { MessageLinks } from '../../records.ts';

export const postId = /^[a-z0-9]{26}$/;

/** Ids of posts are unique, so it does not matter under which name the server is reached. */
const postLink =
  /https?:\/\/[^\s/()<>"']{1,255}(?:\/[\w.-]{1,64}){0,3}\/pl\/([a-z0-9]{26})(?![\w/])/g;

const mayHaveLink = (content: string): boolean => content.includes('/pl/');

/** @param publicUrl without a slash at the end */
export function mattermostLinks(publicUrl: string, ledger: Ledger): MessageLinks {
  return {
    find: (content) =>
      mayHaveLink(content)
        ? Array.from(content.matchAll(postLink)).flatMap(([, id]) => id ?? [])
        : [],
    mend: (content, idOf) =>
      mayHaveLink(content)
        ? content.replaceAll(postLink, (whole: string, key: string) => {
            const id = idOf(key);
            if (id === undefined)
              ledger.remark(
                'links to posts that the archive does not have, or has without their ids',
              );
            return id === undefined ? whole : unnamedMessageLink(publicUrl, id);
          })
        : content,
  };
}
