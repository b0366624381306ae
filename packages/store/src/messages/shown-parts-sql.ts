/** What messages show beside their own columns, as SQL: aggregates of JSON over rows of one message. */

/** @param r alias of `reactions` */
export function shownReactionsSql(r: string): string {
  return `json_agg(json_build_object('userId', ${r}.user_id, 'emojiName', ${r}.emoji_name, 'emojiCode', ${r}.emoji_code,
    'reactionType', ${r}.reaction_type) ORDER BY ${r}.id)`;
}

/** @param b alias of `submessages` */
export function shownSubmessagesSql(b: string): string {
  return `json_agg(json_build_object('id', ${b}.id, 'message_id', ${b}.message_id, 'sender_id', ${b}.sender_id,
    'msg_type', ${b}.msg_type, 'content', ${b}.content) ORDER BY ${b}.id)`;
}
