/** Mends texts of the reference server, whose dialect is ours: ids of people and streams, paths of files, links to messages. */
import { streamOperand } from '@parley/markdown';

import type { LoadedNames, MessageLinks } from '../../records.ts';
import type { ZulipFiles } from './zulip-files.ts';
import type { ZulipPeople } from './zulip-people.ts';
import type { ZulipStreams } from './zulip-streams.ts';

const mentionWithId = /(@_?\*\*)[^*\n|]{1,200}\|(\d{1,15})\*\*/g;
const uploadLink =
  /((?:https?:\/\/[^\s/()<>"']{1,255})?\/user_uploads\/)([^\s()<>"'?#\]]{1,2000})/g;
/** Links to messages, within their own organization unless the operator has told where it was. */
const narrowLink = /((?:https?:\/\/[^\s/()<>"']{1,255})?\/?)#narrow\/([^\s()<>"']{1,2000})/g;
const nearPart = /(^|\/)near\/(\d{1,15})/;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export class ZulipTexts {
  readonly #names: LoadedNames;
  readonly #people: ZulipPeople;
  readonly #streams: ZulipStreams;
  readonly #files: ZulipFiles;
  readonly #isOwnHost: (prefix: string) => boolean;
  readonly #publicUrl: string;

  constructor(options: {
    readonly names: LoadedNames;
    readonly people: ZulipPeople;
    readonly streams: ZulipStreams;
    readonly files: ZulipFiles;
    readonly sourceUrl: string | undefined;
    /** Without a slash at the end. */
    readonly publicUrl: string;
  }) {
    this.#names = options.names;
    this.#people = options.people;
    this.#streams = options.streams;
    this.#files = options.files;
    this.#isOwnHost = ownHostOf(options.sourceUrl);
    this.#publicUrl = options.publicUrl;
  }

  mend(content: string): string {
    let text = content;
    if (text.includes('|')) text = text.replaceAll(mentionWithId, this.#mendMention);
    if (text.includes('/user_uploads/')) text = text.replaceAll(uploadLink, this.#mendUpload);
    if (text.includes('#narrow/')) text = text.replaceAll(narrowLink, this.#mendNarrow);
    return text;
  }

  readonly #mendMention = (whole: string, before: string, oldId: string): string => {
    const index = this.#people.indexOf(Number(oldId));
    if (index === undefined) return whole;
    const { id, fullName } = this.#names.person(index);
    return `${before}${fullName}|${id}**`;
  };

  readonly #mendUpload = (whole: string, before: string, path: string): string => {
    const index = this.#files.indexOf(decoded(path));
    const found = index === undefined ? undefined : this.#names.filePath(index);
    const host = before.startsWith('http') ? this.#publicUrl : '';
    return found === undefined ? whole : `${host}/user_uploads/${encodeURI(found)}`;
  };

  readonly #mendNarrow = (whole: string, before: string, rest: string): string => {
    if (!this.#isOwnHost(before)) return whole;
    const parts = rest.split('/');
    for (let n = 1; n < parts.length; n += 2) {
      const [operator, operand = ''] = [parts[n - 1], parts[n]];
      if (operator === 'stream') parts[n] = this.#mendStream(operand);
      if (operator === 'pm-with' || operator === 'sender') parts[n] = this.#mendPeople(operand);
    }
    return `${before.startsWith('http') ? `${this.#publicUrl}/` : before}#narrow/${parts.join('/')}`;
  };

  #mendStream(operand: string): string {
    const oldId = /^(\d{1,15})(?:-|$)/.exec(operand)?.[1];
    const index = oldId === undefined ? undefined : this.#streams.indexOf(Number(oldId));
    if (index === undefined) return operand;
    return streamOperand(this.#names.stream(index));
  }

  #mendPeople(operand: string): string {
    const [, list = '', slug = ''] = /^([\d,]+)(-.*)?$/.exec(operand) ?? [];
    if (list === '') return operand;
    const ids = list.split(',').map((oldId) => this.#people.indexOf(Number(oldId)));
    if (ids.includes(undefined)) return operand;
    return ids.map((index) => this.#names.person(index ?? 0).id).join(',') + slug;
  }
}

function ownHostOf(sourceUrl: string | undefined): (prefix: string) => boolean {
  const own = sourceUrl?.replace(/\/$/, '').toLowerCase();
  return (prefix) => {
    const host = prefix.replace(/\/$/, '').toLowerCase();
    return host === '' || host === own;
  };
}

/**
 * Links with `near/ID`, after `ZulipTexts` has mended those of the own organization.
 *
 * @param publicUrl without a slash at the end
 */
export function zulipLinks(publicUrl: string): MessageLinks {
  const isOwn = ownHostOf(publicUrl);
  const keyOf = (before: string, rest: string): string | undefined =>
    isOwn(before) ? nearPart.exec(rest)?.[2] : undefined;
  return {
    find: (content) =>
      content.includes('#narrow/')
        ? Array.from(content.matchAll(narrowLink)).flatMap(
            ([, before = '', rest = '']) => keyOf(before, rest) ?? [],
          )
        : [],
    mend: (content, idOf) =>
      content.replaceAll(narrowLink, (whole, before: string, rest: string) => {
        const key = keyOf(before, rest);
        const id = key === undefined ? undefined : idOf(key);
        return id === undefined
          ? whole
          : `${before}#narrow/${rest.replace(nearPart, `$1near/${id}`)}`;
      }),
  };
}
