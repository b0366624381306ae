import { percentCode } from './url-rules.ts';

/** The picture and the target of an image preview. */
export type PreviewImage = {
  url: string;
  href: string;
  /** Undefined for the text of the link. */
  title: string | undefined;
  /** The thumbnail address without its size; undefined for images that have none. */
  thumbnailUrl: string | undefined;
  /** Whether the link stays even if it is the only content of its paragraph. */
  keepsLink: boolean;
};

const imagePath = /(?:\.bmp|\.gif|\.jpg|jpeg|\.png|\.webp)$/;
const absoluteUrl = /^(?:https?|ftp):\/\/([^/?#]+)([^?#]*)/;
const githubPage = /^https?:\/\/(?:www\.)?github\.com\/([^/]+)\/([^/]+)\/blob\/([^?#]+)$/;
const wikipediaFile = /^(https?:\/\/[a-z0-9-]+\.wikipedia\.org\/wiki\/)(File:.+)$/;
const dropboxFile = /^(https?:\/\/(?:[a-z0-9-]+\.)*dropbox\.com\/sh?\/[^?#]*)(?:\?[^#]*)?(#.*)?$/i;
const youtubeUrl =
  /^https?:\/\/(?:youtu\.be\/|(?:[A-Za-z0-9_-]+\.)?youtube(?:-nocookie)?\.com\/(?:(?:v|embed)\/|(?:watch|playlist)\/?\?(?:[^#]*&)?v=|watch_videos\/?\?(?:[^#]*&)?video_ids=))([A-Za-z0-9_-]+)/;

/**
 * Encodes the address of a picture as in `/thumbnail` addresses (reference facts, markdown 6.1).
 *
 * @param text without a leading slash
 */
export function encodeThumbnailUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (character) =>
    percentCode(character),
  );
}

/** Whether a link is an image by its path (reference facts, markdown 6). */
function isImage(href: string): boolean {
  const absolute = absoluteUrl.exec(href);
  if (absolute?.[1]?.toLowerCase() === 'pasteboard.co') return false;
  const path = absolute?.[2] ?? href.replace(/[?#].*$/s, '');
  return imagePath.test(path.toLowerCase()) && !/^(?:mailto|bitcoin|file):/.test(href);
}

type Shown = Omit<PreviewImage, 'thumbnailUrl'> & { readonly isShownDirectly?: boolean };

function shownImage(href: string): Shown {
  const dropbox = dropboxFile.exec(href);
  // The link is a page; with this query it is the file.
  if (dropbox !== null) {
    const url = `${dropbox[1] ?? ''}?dl=1${dropbox[2] ?? ''}`;
    return { url, href, title: '', keepsLink: true, isShownDirectly: true };
  }
  const wikipedia = wikipediaFile.exec(href);
  if (wikipedia !== null) {
    const file = `${wikipedia[1] ?? ''}Special:FilePath/${wikipedia[2] ?? ''}`;
    return { url: file, href: file, title: file, keepsLink: false };
  }
  const github = githubPage.exec(href);
  const url =
    github === null
      ? href
      : `https://raw.githubusercontent.com/${github[1] ?? ''}/${github[2] ?? ''}/${github[3] ?? ''}`;
  return { url, href, title: undefined, keepsLink: false };
}

/**
 * The image of a link (reference facts, markdown 6.1; for Dropbox 6.2).
 *
 * @returns Undefined if the link is not an image.
 */
export function findImage(href: string): PreviewImage | undefined {
  if (!isImage(href)) return undefined;
  const { isShownDirectly = false, ...shown } = shownImage(href);
  const { url } = shown;
  const hasThumbnail =
    !isShownDirectly && (/^(?:https?|ftp):\/\//.test(url) || url.startsWith('/user_uploads/'));
  return {
    ...shown,
    thumbnailUrl: hasThumbnail
      ? `/thumbnail?url=${encodeThumbnailUrl(url.replace(/^\//, ''))}`
      : undefined,
  };
}

/** The video id of a YouTube link (reference facts, markdown 6.2). */
export function findYoutubeId(href: string): string | undefined {
  return youtubeUrl.exec(href)?.[1];
}
