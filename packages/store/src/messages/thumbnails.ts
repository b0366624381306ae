/**
 * Pictures shown through `/thumbnail` (part of the modules that own `messages`, `message_edits` and
 * `deferred_messages`; owner of `rendered_pictures`).
 */
import type { Queryable } from '@parley/database';

import { isKeptForSql, maySeeMessageSql } from '../visibility/visibility-sql.ts';

/** For one user; more than a page of previews shows. */
const renderedPicturesMax = 100;

const user = '$1::integer';
const hash = 'md5($2::text)';
const visible = `${maySeeMessageSql('m', user)} AND NOT ${isKeptForSql('m', user)}`;

const pictureText = `SELECT 1 FROM messages m
    WHERE m.has_image AND message_thumbnails(m.rendered_content) @> ARRAY[${hash}] AND ${visible}
  UNION ALL SELECT 1 FROM message_edits e JOIN messages m ON m.id = e.message_id
    WHERE $3::boolean AND e.prev_rendered_content IS NOT NULL AND message_thumbnails(e.prev_rendered_content) @> ARRAY[${hash}]
      AND ${visible}
  UNION ALL SELECT 1 FROM kept_messages k
    WHERE k.has_image AND message_thumbnails(k.rendered_content) @> ARRAY[${hash}] AND k.user_ids @> ARRAY[${user}]
  UNION ALL SELECT 1 FROM rendered_pictures r, unnest(r.url_hashes, r.shown_at) picture (url_hash, shown_at)
    WHERE r.user_id = ${user} AND picture.url_hash = ${hash} AND picture.shown_at > parley_now() - interval '1 hour'
  UNION ALL SELECT 1 FROM deferred_messages d
    WHERE d.sender_id = ${user} AND strpos(d.rendered_content, $2::text) > 0
      AND message_thumbnails(d.rendered_content) @> ARRAY[${hash}]
  LIMIT 1`;

/**
 * Whether the user may see a picture (reference facts, markdown 6.1): it is in a message that the user may see, in an earlier version of
 * one, in a text that the user rendered within the last hour, or in one that the user sends later.
 *
 * @param encodedUrl the address of the picture, encoded as in renderings
 * @param withEarlier whether the user may read earlier versions
 */
export async function isPictureVisible(
  db: Queryable,
  userId: number,
  encodedUrl: string,
  withEarlier: boolean,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'picture-visible',
    text: pictureText,
    values: [userId, encodedUrl, withEarlier],
  });
  return rowCount === 1;
}

/** Notes the pictures of a text that the user rendered, so that the user may see them although no message shows them. */
export async function noteRenderedPictures(
  db: Queryable,
  userId: number,
  html: string,
): Promise<void> {
  await db.query({
    name: 'pictures-rendered',
    text: `INSERT INTO rendered_pictures AS kept (user_id, url_hashes, shown_at)
      SELECT $1, found.hashes, array_fill(parley_now(), ARRAY[cardinality(found.hashes)])
      FROM (SELECT message_thumbnails($2) AS hashes) found WHERE cardinality(found.hashes) > 0
      ON CONFLICT (user_id) DO UPDATE SET url_hashes = (excluded.url_hashes || kept.url_hashes)[1:${renderedPicturesMax}],
        shown_at = (excluded.shown_at || kept.shown_at)[1:${renderedPicturesMax}]`,
    values: [userId, html],
  });
}
