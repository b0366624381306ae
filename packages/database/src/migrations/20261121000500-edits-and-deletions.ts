/** What edits keep of a message's past, and what its deletion has to find. */
export const name = '20261121000500-edits-and-deletions';

export const sql = `
ALTER TABLE message_edits ADD COLUMN content_html_diff text;
COMMENT ON COLUMN message_edits.content_html_diff IS 'made with the edit, so that reading a history costs no comparison';

-- A deleted message takes with it what each user had read of it out of order.
CREATE INDEX read_exceptions_by_message ON read_exceptions (message_id);

COMMENT ON TABLE messages IS 'owner: store/messages, changed and deleted by store/edits; group_mentioned_ids and alert_word_ids count only for holders';
`;
