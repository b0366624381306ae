-- When a status ends; the text says it to people only.
ALTER TABLE user_status ADD COLUMN ends_at timestamptz;
-- Statuses with an end are few, and the due ones are asked for each second.
CREATE INDEX user_status_ends ON user_status (ends_at) WHERE ends_at IS NOT NULL;
