-- Ids follow time, so that the messages before or after a time are a range of ids; how far they do not is measured once.
ALTER TABLE realm ADD COLUMN message_times_disorder interval NOT NULL DEFAULT '0';
COMMENT ON COLUMN realm.message_times_disorder IS 'how much older an imported message may be than one with a smaller id';
UPDATE realm SET message_times_disorder = coalesce((
  SELECT max(m.latest - m.sent_at) FROM (SELECT sent_at, max(sent_at) OVER (ORDER BY id) AS latest FROM messages) m), '0');
