/** Pictures that messages show by way of `/thumbnail` (part of the module that owns `messages`). */
import type { Queryable } from '@parley/database';

import { historyReadableSql } from './message-query-sql.ts';
import { heldSql } from './message-sql.ts';

/**
 * Whether some message that the user may see shows a picture.
 *
 * @param encodedUrl the address of the picture as it is encoded in renderings
 */
export async function isPictureVisible(
  db: Queryable,
  userId: number,
  encodedUrl: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'picture-visible',
    text: `SELECT 1 FROM messages m WHERE m.has_image AND message_thumbnails(m.rendered_content) @> ARRAY[md5($2::text)]
        AND (${heldSql('m', '$1::integer')} OR ${historyReadableSql('m.stream_id', '$1::integer')}) LIMIT 1`,
    values: [userId, encodedUrl],
  });
  return rowCount === 1;
}
