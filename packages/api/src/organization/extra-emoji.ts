/** Where the picture of the only built-in emoji is that is not a character. Threads that render need it without all declarations. */
export const extraEmojiPath = '/static/generated/emoji/images/emoji/unicode/zulip.png';
