-- Defaults ask for the time as statements do (decision 0059). What services of the release before write keeps its time: their statements
-- name the time themselves or take these defaults.

-- Changing a default locks its table for a moment, and the tables of nearly everything are changed here, in the transaction of all migrations.
-- All locks are taken, or none and again later: so nobody waits long behind an export that reads these tables for minutes, and no transaction
-- that holds one table and waits for another is ended as a deadlock. The head is first, because sends take users and streams after it.
DO $$
DECLARE
  attempts_max CONSTANT integer := 300;
BEGIN
  SET LOCAL lock_timeout = '50ms';
  FOR attempt IN 1 .. attempts_max LOOP
    BEGIN
      PERFORM 1 FROM log_head FOR UPDATE;
      LOCK TABLE users, streams, realm, realm_exports, account_tokens, alert_words, api_keys, event_queues, invitations, linked_identities, mails,
        muted_topics, push_subscriptions, reactions, scim_tokens, sessions, side_effects, uploads, log_entries, log_epochs;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      IF attempt = attempts_max THEN
        RAISE;
      END IF;
      PERFORM pg_sleep(0.05 + random() * 0.1);
    END;
  END LOOP;
  SET LOCAL lock_timeout TO DEFAULT;
END $$;

ALTER TABLE account_tokens ALTER created_at SET DEFAULT parley_now();
ALTER TABLE alert_words ALTER added_at SET DEFAULT parley_now();
ALTER TABLE api_keys ALTER created_at SET DEFAULT parley_now();
ALTER TABLE event_queues ALTER created_at SET DEFAULT parley_now(), ALTER last_polled_at SET DEFAULT parley_now();
ALTER TABLE invitations ALTER invited_at SET DEFAULT parley_now();
ALTER TABLE linked_identities ALTER created_at SET DEFAULT parley_now();
ALTER TABLE log_entries ALTER appended_at SET DEFAULT parley_now();
ALTER TABLE log_epochs ALTER opened_at SET DEFAULT parley_now();
ALTER TABLE mails ALTER created_at SET DEFAULT parley_now(), ALTER due_at SET DEFAULT parley_now();
ALTER TABLE muted_topics ALTER muted_at SET DEFAULT parley_now();
ALTER TABLE push_subscriptions ALTER created_at SET DEFAULT parley_now();
ALTER TABLE reactions ALTER reacted_at SET DEFAULT parley_now();
ALTER TABLE realm ALTER created_at SET DEFAULT parley_now();
ALTER TABLE realm_exports ALTER requested_at SET DEFAULT parley_now();
ALTER TABLE scim_tokens ALTER created_at SET DEFAULT parley_now();
ALTER TABLE sessions ALTER created_at SET DEFAULT parley_now(), ALTER last_used_at SET DEFAULT parley_now();
ALTER TABLE side_effects ALTER due_at SET DEFAULT parley_now();
ALTER TABLE streams ALTER created_at SET DEFAULT parley_now();
ALTER TABLE uploads ALTER created_at SET DEFAULT parley_now();
ALTER TABLE users ALTER date_joined SET DEFAULT parley_now();
