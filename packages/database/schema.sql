-- The whole schema, as the migrations make it. Written by `npm run docs`; what each part is for is said in the migrations.

-- Migrations up to 20261130212000-ends-of-statuses.sql, SHA-256 9735cd115448041a.

CREATE SEQUENCE change_ids AS bigint START 1 INCREMENT 1 CACHE 1;

CREATE SEQUENCE recipient_ids AS integer START 1 INCREMENT 1 CACHE 1;

CREATE SEQUENCE submessage_ids AS bigint START 1 INCREMENT 1 CACHE 1;

CREATE TYPE send_item AS (
  ordinal integer,
  send_key text,
  content_hash text,
  sender_id integer,
  stream_id integer,
  stream_version integer,
  authority_id integer,
  may_be_first boolean,
  participant_ids integer[],
  conversation_id bigint,
  recipient_id integer,
  topic text,
  content text,
  rendered_content text,
  client text,
  sent_at_secs bigint,
  is_me_message boolean,
  has_link boolean,
  has_image boolean,
  has_attachment boolean,
  read_by_sender boolean,
  mentions_wildcard boolean,
  mentioned_ids integer[],
  late_receipt_ids integer[],
  read_by_ids integer[],
  group_mentioned_ids integer[],
  alert_word_ids integer[],
  subject_links text[],
  submessages jsonb,
  upload_path_ids text[],
  brings_calls boolean,
  search_text text,
  audience bigint,
  payload text,
  search_words text,
  has_more_words boolean
);

CREATE TABLE account_changes (
  position bigint NOT NULL,
  user_id integer NOT NULL,
  CONSTRAINT account_changes_pkey PRIMARY KEY ("position", user_id)
);
COMMENT ON TABLE account_changes IS 'owner: event-log/append; whose credentials or role changed at a position, followed by every gateway';

CREATE TABLE account_periods (
  user_id integer NOT NULL,
  role text NOT NULL,
  is_active boolean NOT NULL,
  from_change_id bigint NOT NULL,
  until_change_id bigint,
  CONSTRAINT account_periods_pkey PRIMARY KEY (user_id, from_change_id)
);
COMMENT ON TABLE account_periods IS 'owner: store/users; role and activity as of log positions';

CREATE TABLE account_tokens (
  token_hash bytea NOT NULL,
  purpose text NOT NULL,
  user_id integer,
  email text NOT NULL,
  email_folded text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  expires_at timestamp with time zone NOT NULL,
  invitation_id integer,
  CONSTRAINT account_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT account_tokens_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitations(id) ON DELETE CASCADE,
  CONSTRAINT account_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX account_tokens_by_email ON account_tokens USING btree (email_folded, purpose, created_at);
CREATE INDEX account_tokens_by_invitation ON account_tokens USING btree (invitation_id);
CREATE INDEX account_tokens_by_user ON account_tokens USING btree (user_id);
COMMENT ON TABLE account_tokens IS 'owner: store/account-tokens; token_hash is SHA-256; a trigger of users deletes too';

CREATE TABLE alert_words (
  user_id integer NOT NULL,
  word text NOT NULL,
  added_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT alert_words_pkey PRIMARY KEY (user_id, word)
);
CREATE TRIGGER alert_words_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON alert_words FOR EACH STATEMENT EXECUTE FUNCTION alert_words_changed();
COMMENT ON TABLE alert_words IS 'owner: store/alert-words';

CREATE TABLE alert_words_version (
  only_row boolean NOT NULL DEFAULT true,
  version uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT alert_words_version_pkey PRIMARY KEY (only_row),
  CONSTRAINT alert_words_version_only_row_check CHECK (only_row)
);
COMMENT ON TABLE alert_words_version IS 'owner: store/alert-words; written by a trigger of alert_words';

CREATE TABLE api_keys (
  user_id integer NOT NULL,
  key_hash bytea NOT NULL,
  key_encrypted bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT api_keys_pkey PRIMARY KEY (user_id),
  CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE TRIGGER push_subscriptions_end AFTER UPDATE ON api_keys FOR EACH ROW WHEN (old.created_at IS DISTINCT FROM new.created_at) EXECUTE FUNCTION push_subscriptions_end('user_id');
CREATE TRIGGER sessions_end AFTER UPDATE ON api_keys FOR EACH ROW WHEN (old.created_at IS DISTINCT FROM new.created_at) EXECUTE FUNCTION sessions_end('user_id');
COMMENT ON TABLE api_keys IS 'owner: store/api-keys; key_hash is HMAC-SHA256, key_encrypted AES-256-GCM under the key secret';

CREATE TABLE avatars (
  user_id integer NOT NULL,
  path_name text NOT NULL,
  file_key text NOT NULL,
  CONSTRAINT avatars_pkey PRIMARY KEY (user_id),
  CONSTRAINT avatars_path_name_key UNIQUE (path_name)
);
COMMENT ON TABLE avatars IS 'owner: store/avatars; path_name is what URLs call the picture, file_key where the file store has it';

CREATE TABLE bot_services (
  bot_id integer NOT NULL,
  name text NOT NULL,
  base_url text NOT NULL DEFAULT ''::text,
  interface smallint NOT NULL DEFAULT 1,
  token_encrypted bytea,
  config_encrypted bytea,
  CONSTRAINT bot_services_pkey PRIMARY KEY (bot_id),
  CONSTRAINT bot_services_interface_check CHECK (interface = ANY (ARRAY[1, 2]))
);
COMMENT ON TABLE bot_services IS 'owner: store/bot-services; token and configuration are encrypted like API keys';

CREATE TABLE bot_storage (
  user_id integer NOT NULL,
  key_hash bytea NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  CONSTRAINT bot_storage_pkey PRIMARY KEY (user_id, key_hash)
);
COMMENT ON TABLE bot_storage IS 'owner: store/bot-storage; key_hash is SHA-256 of key';

CREATE TABLE changes (
  id bigint NOT NULL,
  position bigint NOT NULL,
  message_id bigint NOT NULL,
  CONSTRAINT changes_pkey PRIMARY KEY (id) INCLUDE (message_id)
);
COMMENT ON TABLE changes IS 'owner: event-log/append';

CREATE TABLE conversation_newest (
  conversation_id bigint NOT NULL,
  stream_id integer,
  message_id bigint NOT NULL,
  CONSTRAINT conversation_newest_pkey PRIMARY KEY (conversation_id)
) WITH (fillfactor=50);
CREATE INDEX conversation_newest_by_stream ON conversation_newest USING btree (stream_id);
COMMENT ON TABLE conversation_newest IS 'owner: store/message-maintenance';

CREATE TABLE conversation_newest_upto (
  only_row boolean NOT NULL DEFAULT true,
  message_id bigint NOT NULL,
  CONSTRAINT conversation_newest_upto_pkey PRIMARY KEY (only_row),
  CONSTRAINT conversation_newest_upto_only_row_check CHECK (only_row)
);
COMMENT ON TABLE conversation_newest_upto IS 'owner: store/message-maintenance';

CREATE TABLE conversation_participants (
  user_id integer NOT NULL,
  conversation_id bigint NOT NULL,
  CONSTRAINT conversation_participants_pkey PRIMARY KEY (user_id, conversation_id)
);
COMMENT ON TABLE conversation_participants IS 'owner: store/conversations';

CREATE TABLE conversations (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  stream_id integer,
  topic_folded text,
  participant_ids integer[],
  recipient_id integer,
  CONSTRAINT conversations_pkey PRIMARY KEY (id),
  CONSTRAINT conversations_check CHECK (stream_id IS NOT NULL AND topic_folded IS NOT NULL AND participant_ids IS NULL OR stream_id IS NULL AND topic_folded IS NULL AND participant_ids IS NOT NULL)
);
CREATE UNIQUE INDEX conversations_by_participants ON conversations USING btree (participant_ids) WHERE (participant_ids IS NOT NULL);
CREATE UNIQUE INDEX conversations_by_topic ON conversations USING btree (stream_id, topic_folded) INCLUDE (id) WHERE (stream_id IS NOT NULL);
CREATE INDEX conversations_by_topic_name ON conversations USING btree (topic_folded, stream_id) INCLUDE (id) WHERE (stream_id IS NOT NULL);
COMMENT ON TABLE conversations IS 'owner: store/conversations; recipient_id only for groups of three or more';

CREATE TABLE custom_profile_fields (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  type smallint NOT NULL,
  hint text NOT NULL DEFAULT ''::text,
  field_data text NOT NULL DEFAULT ''::text,
  display_order integer NOT NULL,
  CONSTRAINT custom_profile_fields_pkey PRIMARY KEY (id),
  CONSTRAINT custom_profile_fields_name_key UNIQUE (name),
  CONSTRAINT custom_profile_fields_type_check CHECK (type >= 1 AND type <= 7)
);
COMMENT ON TABLE custom_profile_fields IS 'owner: store/profile-fields; field_data is JSON text or empty';

CREATE TABLE custom_profile_values (
  user_id integer NOT NULL,
  field_id integer NOT NULL,
  value text NOT NULL,
  rendered_value text,
  CONSTRAINT custom_profile_values_pkey PRIMARY KEY (user_id, field_id),
  CONSTRAINT custom_profile_values_field_id_fkey FOREIGN KEY (field_id) REFERENCES custom_profile_fields(id) ON DELETE CASCADE
);
CREATE INDEX custom_profile_values_by_field ON custom_profile_values USING btree (field_id);
COMMENT ON TABLE custom_profile_values IS 'owner: store/profile-fields; value is always text, JSON text for person pickers';

CREATE TABLE default_stream_groups (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  stream_ids integer[] NOT NULL DEFAULT '{}'::integer[],
  CONSTRAINT default_stream_groups_pkey PRIMARY KEY (id),
  CONSTRAINT default_stream_groups_name_key UNIQUE (name)
);
COMMENT ON TABLE default_stream_groups IS 'owner: store/default-streams';

CREATE TABLE deferred_messages (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  send_key text NOT NULL,
  content_hash bytea NOT NULL,
  sender_id integer NOT NULL,
  is_reminder boolean NOT NULL,
  stream_id integer,
  participant_ids integer[],
  topic text NOT NULL,
  content text NOT NULL,
  widget_content text,
  client text NOT NULL,
  deliver_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  rendered_content text NOT NULL DEFAULT ''::text,
  CONSTRAINT deferred_messages_pkey PRIMARY KEY (id),
  CONSTRAINT deferred_messages_send_key_key UNIQUE (send_key),
  CONSTRAINT deferred_messages_check CHECK ((stream_id IS NULL) <> (participant_ids IS NULL))
);
CREATE INDEX deferred_messages_by_sender ON deferred_messages USING btree (sender_id, deliver_at, id);
CREATE INDEX deferred_messages_due ON deferred_messages USING btree (due_at, id);
COMMENT ON TABLE deferred_messages IS 'owner: store/deferred-messages; one row for each message until it has been sent or refused';

CREATE TABLE drafts (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  user_id integer NOT NULL,
  type text NOT NULL,
  recipient_ids integer[] NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  written_at_secs bigint NOT NULL,
  CONSTRAINT drafts_pkey PRIMARY KEY (id),
  CONSTRAINT drafts_type_check CHECK (type = ANY (ARRAY[''::text, 'stream'::text, 'private'::text]))
);
CREATE INDEX drafts_by_user ON drafts USING btree (user_id, written_at_secs, id);
COMMENT ON TABLE drafts IS 'owner: store/drafts';

CREATE TABLE event_queues (
  queue_id text NOT NULL,
  user_id integer NOT NULL,
  start_position bigint NOT NULL,
  epoch integer NOT NULL,
  descriptor jsonb NOT NULL,
  lifespan_secs integer NOT NULL,
  client text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  last_polled_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT event_queues_pkey PRIMARY KEY (queue_id)
);
CREATE INDEX event_queues_by_user ON event_queues USING btree (user_id);
COMMENT ON TABLE event_queues IS 'owner: store/event-queues';

CREATE TABLE files_to_remove (
  storage_key text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  is_taken boolean NOT NULL DEFAULT false,
  CONSTRAINT files_to_remove_pkey PRIMARY KEY (storage_key)
);
CREATE INDEX files_to_remove_by_time ON files_to_remove USING btree (due_at);
COMMENT ON TABLE files_to_remove IS 'owner: store/uploads';

CREATE TABLE invitations (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text,
  email_folded text,
  inviter_id integer NOT NULL,
  role text NOT NULL,
  stream_ids integer[] NOT NULL,
  invited_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  expires_at timestamp with time zone NOT NULL,
  uses integer NOT NULL DEFAULT 0,
  uses_max integer,
  link_hash bytea,
  link_encrypted bytea,
  full_name text,
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_email_folded_key UNIQUE (email_folded),
  CONSTRAINT invitations_link_hash_key UNIQUE (link_hash),
  CONSTRAINT invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES users(id)
);
COMMENT ON TABLE invitations IS 'owner: store/invitations; link_hash is SHA-256, link_encrypted AES-256-GCM under the key secret';

CREATE TABLE kept_messages (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  message_id bigint NOT NULL,
  stream_id integer NOT NULL,
  user_ids integer[] NOT NULL,
  conversation_id bigint NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  is_me_message boolean NOT NULL,
  has_link boolean NOT NULL,
  has_image boolean NOT NULL,
  has_attachment boolean NOT NULL,
  mentions_wildcard boolean NOT NULL,
  group_mentioned_ids integer[],
  alert_word_ids integer[],
  subject_links text[],
  last_edited_at timestamp with time zone,
  edit_history jsonb,
  search tsvector NOT NULL,
  reactions json NOT NULL,
  submessages json NOT NULL,
  path_ids text[] NOT NULL,
  last_edit_id bigint NOT NULL,
  CONSTRAINT kept_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX kept_messages_by_file ON kept_messages USING gin (path_ids) WITH (fastupdate=off);
CREATE INDEX kept_messages_by_message ON kept_messages USING btree (message_id);
CREATE INDEX kept_messages_by_stream ON kept_messages USING btree (stream_id);
CREATE INDEX kept_messages_by_thumbnail ON kept_messages USING gin (message_thumbnails(rendered_content)) WITH (fastupdate=off) WHERE has_image;
COMMENT ON TABLE kept_messages IS 'owner: store/kept-messages; a trigger of membership_periods removes those who are members again';
COMMENT ON COLUMN kept_messages.user_ids IS 'who held the message when it was changed, and was no member';
COMMENT ON COLUMN kept_messages.last_edit_id IS 'the newest row of message_edits before the change, or 0';

CREATE TABLE late_receipts (
  user_id integer NOT NULL,
  message_id bigint NOT NULL,
  position bigint,
  CONSTRAINT late_receipts_pkey PRIMARY KEY (user_id, message_id)
);
CREATE INDEX late_receipts_by_message ON late_receipts USING btree (message_id);
COMMENT ON TABLE late_receipts IS 'owner: store/flags; messages held otherwise than by membership or participation';

CREATE TABLE linked_identities (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  user_id integer NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT linked_identities_pkey PRIMARY KEY (id),
  CONSTRAINT linked_identities_issuer_subject_key UNIQUE (issuer, subject),
  CONSTRAINT linked_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX linked_identities_by_user ON linked_identities USING btree (user_id);
COMMENT ON TABLE linked_identities IS 'owner: store/linked-identities';

CREATE TABLE linkifiers (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  pattern text NOT NULL,
  url_format text NOT NULL,
  CONSTRAINT linkifiers_pkey PRIMARY KEY (id),
  CONSTRAINT linkifiers_pattern_key UNIQUE (pattern)
);
COMMENT ON TABLE linkifiers IS 'owner: store/linkifiers';

CREATE TABLE log_entries (
  position bigint NOT NULL,
  length integer NOT NULL,
  message_id bigint NOT NULL,
  audience bigint NOT NULL,
  appended_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  payload text NOT NULL,
  has_side_effects boolean NOT NULL DEFAULT false,
  brings_calls boolean NOT NULL DEFAULT false,
  CONSTRAINT log_entries_pkey PRIMARY KEY ("position"),
  CONSTRAINT log_entries_length_check CHECK (length > 0)
) PARTITION BY RANGE ("position");
CREATE INDEX log_entries_by_audience ON ONLY log_entries USING btree (audience, "position");
CREATE INDEX log_entries_with_calls ON ONLY log_entries USING btree ("position") WHERE brings_calls;
CREATE INDEX log_entries_with_side_effects ON ONLY log_entries USING btree ("position") WHERE has_side_effects;
COMMENT ON TABLE log_entries IS 'owner: event-log; message_id is the newest message at the entry, audience the key by which replay finds it';

CREATE TABLE log_epochs (
  epoch integer NOT NULL,
  previous_end_position bigint NOT NULL,
  start_position bigint NOT NULL,
  opened_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT log_epochs_pkey PRIMARY KEY (epoch)
);
COMMENT ON TABLE log_epochs IS 'owner: event-log/epochs';

CREATE TABLE log_head (
  only_row boolean NOT NULL DEFAULT true,
  epoch integer NOT NULL,
  start_position bigint NOT NULL,
  start_message_id bigint NOT NULL,
  begin_position bigint NOT NULL,
  system_identifier bigint NOT NULL,
  timeline text NOT NULL,
  CONSTRAINT log_head_pkey PRIMARY KEY (only_row),
  CONSTRAINT log_head_only_row_check CHECK (only_row)
);
COMMENT ON TABLE log_head IS 'owner: event-log/append; locked last by every transaction that appends, updated only by trimming and by a new epoch';

CREATE TABLE made_counts (
  what text NOT NULL,
  maker text NOT NULL,
  window_secs integer NOT NULL,
  window_start timestamp with time zone NOT NULL,
  made bigint NOT NULL,
  CONSTRAINT made_counts_pkey PRIMARY KEY (what, maker, window_secs, window_start)
);
COMMENT ON TABLE made_counts IS 'owner: store/made-counts; rows of windows that have ended are deleted';

CREATE TABLE mails (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  message_id uuid NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  letter_encrypted bytea,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  expires_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  claimed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  may_have_arrived boolean NOT NULL DEFAULT false,
  last_error text,
  failed_at timestamp with time zone,
  user_id integer,
  message_ids bigint[],
  CONSTRAINT mails_pkey PRIMARY KEY (id),
  CONSTRAINT mails_message_id_key UNIQUE (message_id)
);
CREATE INDEX mails_by_due ON mails USING btree (due_at) WHERE (failed_at IS NULL);
COMMENT ON TABLE mails IS 'owner: store/mails; letter_encrypted is AES-256-GCM under the key secret';

CREATE TABLE matched_user_sets (
  id bigint NOT NULL,
  user_ids integer[] NOT NULL
);
CREATE INDEX matched_user_sets_by_id ON matched_user_sets USING btree (id);
CREATE INDEX matched_user_sets_by_user ON matched_user_sets USING gin (user_ids) WITH (fastupdate=off);
COMMENT ON TABLE matched_user_sets IS 'owner: store/messages; written by the triggers of messages, never deleted';

CREATE TABLE membership_periods (
  user_id integer NOT NULL,
  stream_id integer NOT NULL,
  from_change_id bigint NOT NULL,
  until_change_id bigint,
  is_backlog boolean NOT NULL DEFAULT false,
  CONSTRAINT membership_periods_pkey PRIMARY KEY (user_id, stream_id, from_change_id) INCLUDE (until_change_id)
);
CREATE INDEX membership_periods_by_stream ON membership_periods USING btree (stream_id);
CREATE UNIQUE INDEX membership_periods_open ON membership_periods USING btree (stream_id, user_id) WHERE (until_change_id IS NULL);
CREATE TRIGGER memberships_deleted AFTER DELETE ON membership_periods REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memberships_changed();
CREATE TRIGGER memberships_inserted AFTER INSERT ON membership_periods REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memberships_changed();
CREATE TRIGGER memberships_updated AFTER UPDATE ON membership_periods REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memberships_changed();
COMMENT ON TABLE membership_periods IS 'owner: store/memberships; what a user holds of a stream, and what is delivered to him, follows from these';
COMMENT ON COLUMN membership_periods.is_backlog IS 'a period before the account joined: messages are held by it, and nobody was a member';

CREATE TABLE mentions_added (
  message_id bigint NOT NULL,
  told_all boolean NOT NULL,
  told_ids integer[] NOT NULL,
  CONSTRAINT mentions_added_pkey PRIMARY KEY (message_id)
);
COMMENT ON TABLE mentions_added IS 'owner: store/candidates; messages with mentions that edits added, until those are candidates';
COMMENT ON COLUMN mentions_added.told_ids IS 'whom the message mentioned before the first of these edits; told_all: whether everybody';

CREATE TABLE message_edits (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  message_id bigint NOT NULL,
  editor_id integer NOT NULL,
  edited_at timestamp with time zone NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  prev_topic text,
  prev_content text,
  prev_rendered_content text,
  content_html_diff text,
  CONSTRAINT message_edits_pkey PRIMARY KEY (id)
);
CREATE INDEX message_edits_by_message ON message_edits USING btree (message_id, id);
CREATE INDEX message_edits_by_thumbnail ON message_edits USING gin (message_thumbnails(prev_rendered_content)) WITH (fastupdate=off) WHERE (prev_rendered_content IS NOT NULL);
COMMENT ON TABLE message_edits IS 'owner: store/edits';
COMMENT ON COLUMN message_edits.content_html_diff IS 'made with the edit, so that reading a history costs no comparison';

CREATE TABLE message_flags (
  user_id integer NOT NULL,
  message_id bigint NOT NULL,
  set_bits integer NOT NULL DEFAULT 0,
  cleared_bits integer NOT NULL DEFAULT 0,
  scope bigint,
  CONSTRAINT message_flags_pkey PRIMARY KEY (user_id, message_id)
);
CREATE INDEX message_flags_alerted ON message_flags USING btree (user_id, message_id) INCLUDE (scope) WHERE ((set_bits & 512) <> 0);
CREATE INDEX message_flags_by_message ON message_flags USING btree (message_id);
CREATE INDEX message_flags_cleared ON message_flags USING btree (user_id, message_id) INCLUDE (cleared_bits) WHERE (cleared_bits <> 0);
CREATE INDEX message_flags_mentioned ON message_flags USING btree (user_id, message_id) INCLUDE (scope) WHERE ((set_bits & 24) <> 0);
CREATE INDEX message_flags_starred ON message_flags USING btree (user_id, message_id) INCLUDE (scope) WHERE ((set_bits & 2) <> 0);
COMMENT ON TABLE message_flags IS 'owner: store/flags; sparse: only what differs from what the message itself says';

CREATE TABLE message_uploads (
  message_id bigint NOT NULL,
  path_id text NOT NULL,
  CONSTRAINT message_uploads_pkey PRIMARY KEY (path_id, message_id)
);
CREATE INDEX message_uploads_by_message ON message_uploads USING btree (message_id);
COMMENT ON TABLE message_uploads IS 'owner: store/uploads';

CREATE TABLE message_versions (
  message_id bigint NOT NULL,
  version integer NOT NULL,
  CONSTRAINT message_versions_pkey PRIMARY KEY (message_id)
) WITH (fillfactor=80);
COMMENT ON TABLE message_versions IS 'owner: store/shown-messages; written by triggers of messages, reactions and submessages';

CREATE TABLE messages (
  id bigint NOT NULL,
  position bigint NOT NULL,
  sender_id integer NOT NULL,
  stream_id integer,
  conversation_id bigint NOT NULL,
  read_conversation_id bigint NOT NULL,
  recipient_id integer NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  client text NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  is_me_message boolean NOT NULL DEFAULT false,
  has_link boolean NOT NULL DEFAULT false,
  has_image boolean NOT NULL DEFAULT false,
  has_attachment boolean NOT NULL DEFAULT false,
  read_by_sender boolean NOT NULL DEFAULT false,
  mentions_wildcard boolean NOT NULL DEFAULT false,
  group_mentioned_ids integer[],
  alert_word_ids integer[],
  subject_links text[],
  last_edited_at timestamp with time zone,
  edit_history jsonb,
  search tsvector NOT NULL,
  scope bigint NOT NULL GENERATED ALWAYS AS (COALESCE(stream_id::bigint, - conversation_id)) STORED,
  group_mention_set bigint GENERATED ALWAYS AS (hash_array_extended(group_mentioned_ids, 0::bigint)) STORED,
  alert_word_set bigint GENERATED ALWAYS AS (hash_array_extended(alert_word_ids, 0::bigint)) STORED,
  CONSTRAINT messages_pkey PRIMARY KEY (id) INCLUDE (scope, conversation_id, read_conversation_id, sender_id, read_by_sender, has_link, has_image, has_attachment, mentions_wildcard)
) WITH (autovacuum_vacuum_insert_scale_factor=0.005, autovacuum_vacuum_insert_threshold=10000);
CREATE INDEX messages_by_alert_word_set ON messages USING btree (alert_word_set, id) INCLUDE (scope) WHERE (alert_word_set IS NOT NULL);
CREATE INDEX messages_by_conversation ON messages USING btree (conversation_id, id) INCLUDE (scope, read_conversation_id, sender_id, read_by_sender);
CREATE INDEX messages_by_group_mention_set ON messages USING btree (group_mention_set, id) INCLUDE (scope) WHERE (group_mention_set IS NOT NULL);
CREATE INDEX messages_by_read_conversation ON messages USING btree (read_conversation_id, id) INCLUDE (scope, conversation_id, sender_id, read_by_sender) WHERE (read_conversation_id <> conversation_id);
CREATE INDEX messages_by_sender ON messages USING btree (sender_id, id) INCLUDE (scope, conversation_id);
CREATE INDEX messages_by_stream ON messages USING btree (stream_id, id) INCLUDE (conversation_id, read_conversation_id) WHERE (stream_id IS NOT NULL);
CREATE INDEX messages_by_thumbnail ON messages USING gin (message_thumbnails(rendered_content)) WITH (fastupdate=off) WHERE has_image;
CREATE INDEX messages_moved_here ON messages USING btree (conversation_id, id) INCLUDE (scope, read_conversation_id, sender_id, read_by_sender) WHERE (read_conversation_id <> conversation_id);
CREATE INDEX messages_search ON messages USING gin (search) WITH (fastupdate='on', gin_pending_list_limit='256');
CREATE INDEX messages_with_attachment ON messages USING btree (scope, id) INCLUDE (conversation_id, read_conversation_id, sender_id, read_by_sender) WHERE has_attachment;
CREATE INDEX messages_with_image ON messages USING btree (scope, id) INCLUDE (conversation_id, read_conversation_id, sender_id, read_by_sender) WHERE has_image;
CREATE INDEX messages_with_link ON messages USING btree (scope, id) INCLUDE (conversation_id, read_conversation_id, sender_id, read_by_sender) WHERE has_link;
CREATE INDEX messages_with_wildcard ON messages USING btree (scope, id) WHERE mentions_wildcard;
CREATE TRIGGER message_changed AFTER UPDATE OF id, "position", sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content, rendered_content, client, sent_at, is_me_message, has_link, has_image, has_attachment, read_by_sender, mentions_wildcard, group_mentioned_ids, alert_word_ids, subject_links, last_edited_at, edit_history ON messages FOR EACH ROW EXECUTE FUNCTION message_changed();
CREATE TRIGGER message_words_outdated AFTER UPDATE OF search ON messages FOR EACH ROW WHEN (new.search <> strip(new.search)) EXECUTE FUNCTION message_words_outdated();
CREATE TRIGGER note_matched_user_set AFTER INSERT OR UPDATE OF group_mentioned_ids, alert_word_ids ON messages FOR EACH ROW WHEN (new.group_mention_set IS NOT NULL OR new.alert_word_set IS NOT NULL) EXECUTE FUNCTION note_matched_user_set();
COMMENT ON TABLE messages IS 'owner: store/messages, changed and deleted by store/edits; group_mentioned_ids and alert_word_ids count only for holders';

CREATE TABLE messages_to_mail (
  user_id integer NOT NULL,
  message_id bigint NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT messages_to_mail_pkey PRIMARY KEY (user_id, message_id)
);
CREATE INDEX messages_to_mail_by_due ON messages_to_mail USING btree (due_at);
COMMENT ON TABLE messages_to_mail IS 'owner: store/messages-to-mail; candidates, until a mail tells of the message or need not; store/candidates writes too';

CREATE TABLE messages_to_push (
  subscription_id bigint NOT NULL,
  message_id bigint NOT NULL,
  pushed_at timestamp with time zone,
  CONSTRAINT messages_to_push_pkey PRIMARY KEY (subscription_id, message_id),
  CONSTRAINT messages_to_push_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES push_subscriptions(id) ON DELETE CASCADE
);
COMMENT ON TABLE messages_to_push IS 'owner: store/push-subscriptions; store/candidates writes too';

CREATE TABLE muted_topics (
  user_id integer NOT NULL,
  stream_id integer NOT NULL,
  topic_folded text NOT NULL,
  topic text NOT NULL,
  muted_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT muted_topics_pkey PRIMARY KEY (user_id, stream_id, topic_folded)
);
COMMENT ON TABLE muted_topics IS 'owner: store/muted-topics';

CREATE TABLE presence (
  user_id integer NOT NULL,
  client text NOT NULL,
  status text NOT NULL,
  reported_at timestamp with time zone NOT NULL,
  CONSTRAINT presence_pkey PRIMARY KEY (user_id, client),
  CONSTRAINT presence_status_check CHECK (status = ANY (ARRAY['active'::text, 'idle'::text]))
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
COMMENT ON TABLE presence IS 'owner: store/presence';

CREATE TABLE push_keys (
  id integer NOT NULL,
  public_key text NOT NULL,
  private_key_encrypted bytea NOT NULL,
  CONSTRAINT push_keys_pkey PRIMARY KEY (id),
  CONSTRAINT push_keys_id_check CHECK (id = 1)
);
COMMENT ON TABLE push_keys IS 'owner: store/push-keys; private_key_encrypted is AES-256-GCM under the key secret';

CREATE TABLE push_subscriptions (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id integer NOT NULL,
  session_id bigint,
  endpoint text NOT NULL,
  origin text NOT NULL,
  p256dh text NOT NULL,
  auth text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  due_at timestamp with time zone NOT NULL DEFAULT 'infinity'::timestamp with time zone,
  claimed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  attempts bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  may_have_arrived boolean NOT NULL DEFAULT false,
  CONSTRAINT push_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT push_subscriptions_endpoint_key UNIQUE (endpoint),
  CONSTRAINT push_subscriptions_session_id_key UNIQUE (session_id),
  CONSTRAINT push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX push_subscriptions_by_due ON push_subscriptions USING btree (due_at);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions USING btree (user_id);
COMMENT ON TABLE push_subscriptions IS 'owner: store/push-subscriptions; triggers of users and api_keys delete too';

CREATE TABLE reactions (
  message_id bigint NOT NULL,
  user_id integer NOT NULL,
  emoji_name text NOT NULL,
  emoji_code text NOT NULL,
  reaction_type text NOT NULL,
  reacted_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  CONSTRAINT reactions_pkey PRIMARY KEY (message_id, user_id, reaction_type, emoji_code)
);
CREATE UNIQUE INDEX reactions_by_name ON reactions USING btree (message_id, user_id, emoji_name);
CREATE TRIGGER message_part_changed AFTER INSERT OR DELETE OR UPDATE ON reactions FOR EACH ROW EXECUTE FUNCTION message_part_changed();
COMMENT ON TABLE reactions IS 'owner: store/reactions';

CREATE TABLE read_exceptions (
  user_id integer NOT NULL,
  message_id bigint NOT NULL,
  conversation_id bigint NOT NULL,
  stream_id integer,
  is_read boolean NOT NULL,
  CONSTRAINT read_exceptions_pkey PRIMARY KEY (user_id, message_id)
);
CREATE INDEX read_exceptions_by_conversation ON read_exceptions USING btree (user_id, conversation_id, message_id);
CREATE INDEX read_exceptions_by_message ON read_exceptions USING btree (message_id);
CREATE INDEX read_exceptions_unread ON read_exceptions USING btree (user_id, message_id) INCLUDE (stream_id, conversation_id) WHERE (NOT is_read);
COMMENT ON TABLE read_exceptions IS 'owner: store/read-state; what was read above, or marked unread below, the floors and the watermark';

CREATE TABLE read_stream_floors (
  user_id integer NOT NULL,
  stream_id integer NOT NULL,
  message_id bigint,
  change_id bigint,
  CONSTRAINT read_stream_floors_pkey PRIMARY KEY (user_id, stream_id),
  CONSTRAINT read_stream_floors_check CHECK (message_id IS NOT NULL OR change_id IS NOT NULL)
);
COMMENT ON TABLE read_stream_floors IS 'owner: store/read-state; a floor taken from the head points to its change instead of naming a message';

CREATE TABLE read_users (
  user_id integer NOT NULL,
  floor_change_id bigint,
  CONSTRAINT read_users_pkey PRIMARY KEY (user_id)
);
COMMENT ON TABLE read_users IS 'owner: store/read-state; floor_change_id: everything up to that change is read';

CREATE TABLE read_watermarks (
  user_id integer NOT NULL,
  conversation_id bigint NOT NULL,
  message_id bigint NOT NULL,
  CONSTRAINT read_watermarks_pkey PRIMARY KEY (user_id, conversation_id) INCLUDE (message_id)
) WITH (autovacuum_vacuum_scale_factor=0.02);
COMMENT ON TABLE read_watermarks IS 'owner: store/read-state';

CREATE TABLE realm (
  id integer NOT NULL,
  string_id text NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  settings jsonb NOT NULL DEFAULT '{}'::jsonb,
  disabled_authentication_methods text[] NOT NULL DEFAULT '{}'::text[],
  notifications_stream_id integer,
  signup_notifications_stream_id integer,
  icon_source text NOT NULL DEFAULT 'G'::text,
  icon_version integer NOT NULL DEFAULT 1,
  icon_file_key text,
  logo_source text NOT NULL DEFAULT 'D'::text,
  logo_version integer NOT NULL DEFAULT 1,
  logo_file_key text,
  night_logo_source text NOT NULL DEFAULT 'D'::text,
  night_logo_version integer NOT NULL DEFAULT 1,
  night_logo_file_key text,
  is_deactivated boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  message_times_disorder interval NOT NULL DEFAULT '00:00:00'::interval,
  CONSTRAINT realm_pkey PRIMARY KEY (id)
);
CREATE CONSTRAINT TRIGGER shown_names_changed AFTER UPDATE ON realm DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.string_id IS DISTINCT FROM new.string_id OR old.settings IS DISTINCT FROM new.settings) EXECUTE FUNCTION shown_names_changed();
COMMENT ON TABLE realm IS 'owner: store/realm';
COMMENT ON COLUMN realm.message_times_disorder IS 'how much older an imported message may be than one with a smaller id';

CREATE TABLE realm_domains (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  domain text NOT NULL,
  allow_subdomains boolean NOT NULL,
  CONSTRAINT realm_domains_pkey PRIMARY KEY (id),
  CONSTRAINT realm_domains_domain_key UNIQUE (domain)
);
COMMENT ON TABLE realm_domains IS 'owner: store/realm-domains; domain is in lower case';

CREATE TABLE realm_emoji (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  author_id integer,
  file_name text NOT NULL,
  is_deactivated boolean NOT NULL DEFAULT false,
  CONSTRAINT realm_emoji_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX realm_emoji_active_name ON realm_emoji USING btree (name) WHERE (NOT is_deactivated);
COMMENT ON TABLE realm_emoji IS 'owner: store/emoji';

CREATE TABLE realm_exports (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  acting_user_id integer NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  claimed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  file_key text,
  size_bytes bigint,
  failed_at timestamp with time zone,
  deleted_at timestamp with time zone,
  CONSTRAINT realm_exports_pkey PRIMARY KEY (id),
  CONSTRAINT realm_exports_acting_user_id_fkey FOREIGN KEY (acting_user_id) REFERENCES users(id)
);
COMMENT ON TABLE realm_exports IS 'owner: store/realm-exports';

CREATE TABLE rendered_pictures (
  user_id integer NOT NULL,
  url_hashes text[] NOT NULL,
  shown_at timestamp with time zone[] NOT NULL,
  CONSTRAINT rendered_pictures_pkey PRIMARY KEY (user_id),
  CONSTRAINT rendered_pictures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT rendered_pictures_check CHECK (cardinality(url_hashes) = cardinality(shown_at))
);
COMMENT ON TABLE rendered_pictures IS 'owner: store/thumbnails; the pictures of texts that somebody had rendered and did not send';

CREATE TABLE schema_version (
  only_row boolean NOT NULL DEFAULT true,
  version integer NOT NULL,
  oldest_code_version integer NOT NULL,
  CONSTRAINT schema_version_pkey PRIMARY KEY (only_row),
  CONSTRAINT schema_version_only_row_check CHECK (only_row)
);

CREATE TABLE scim_tokens (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  token_hash bytea NOT NULL,
  maker_id integer,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  last_used_at timestamp with time zone,
  CONSTRAINT scim_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT scim_tokens_token_hash_key UNIQUE (token_hash),
  CONSTRAINT scim_tokens_maker_id_fkey FOREIGN KEY (maker_id) REFERENCES users(id)
);
COMMENT ON TABLE scim_tokens IS 'owner: store/scim-tokens; token_hash is SHA-256';

CREATE TABLE search_backlog (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  CONSTRAINT search_backlog_pkey PRIMARY KEY (id)
);
CREATE INDEX search_backlog_by_last ON search_backlog USING btree (last_id);
COMMENT ON TABLE search_backlog IS 'owner: store/search; ranges of ids of messages whose words are to be made';

CREATE TABLE send_keys (
  send_key text NOT NULL,
  content_hash bytea NOT NULL,
  message_id bigint NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  CONSTRAINT send_keys_pkey PRIMARY KEY (send_key)
);
CREATE INDEX send_keys_by_time ON send_keys USING brin (sent_at);
COMMENT ON TABLE send_keys IS 'owner: store/messages; kept for a day';

CREATE TABLE service_leases (
  node_id text NOT NULL,
  service text NOT NULL,
  address text NOT NULL,
  renewed_at timestamp with time zone NOT NULL,
  lapses_at timestamp with time zone NOT NULL,
  CONSTRAINT service_leases_pkey PRIMARY KEY (node_id)
);
COMMENT ON TABLE service_leases IS 'owner: placement';

CREATE TABLE sessions (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id integer NOT NULL,
  token_hash bytea NOT NULL,
  device text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  provider text,
  id_token_sealed bytea,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id, last_used_at);
COMMENT ON TABLE sessions IS 'owner: store/sessions; token_hash is SHA-256; triggers of users and api_keys delete too';

CREATE TABLE shown_names_version (
  only_row boolean NOT NULL DEFAULT true,
  version uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT shown_names_version_pkey PRIMARY KEY (only_row),
  CONSTRAINT shown_names_version_only_row_check CHECK (only_row)
);
COMMENT ON TABLE shown_names_version IS 'owner: store/shown-names; written by triggers of users, streams and realm';

CREATE TABLE side_effect_cursor (
  only_row boolean NOT NULL DEFAULT true,
  position bigint NOT NULL,
  message_position bigint NOT NULL DEFAULT 0,
  CONSTRAINT side_effect_cursor_pkey PRIMARY KEY (only_row),
  CONSTRAINT side_effect_cursor_only_row_check CHECK (only_row)
);
COMMENT ON TABLE side_effect_cursor IS 'owner: store/side-effects; moves in the transaction that makes the rows, so that no effect is made twice or lost';

CREATE TABLE side_effects (
  position bigint NOT NULL,
  kind text NOT NULL,
  target integer NOT NULL,
  effect jsonb NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  claimed_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  last_error text,
  delivery_key uuid NOT NULL DEFAULT gen_random_uuid(),
  progress text,
  CONSTRAINT side_effects_pkey PRIMARY KEY ("position", kind, target)
);
CREATE INDEX side_effects_by_target ON side_effects USING btree (kind, target, due_at, "position");
CREATE INDEX side_effects_claimed ON side_effects USING btree (kind, target, claimed_until);
CREATE INDEX side_effects_due ON side_effects USING btree (due_at);
COMMENT ON TABLE side_effects IS 'owner: store/side-effects; one row for each effect until it has been run';

CREATE TABLE sign_in_attempts (
  token_hash bytea NOT NULL,
  provider text NOT NULL,
  user_id integer,
  expires_at timestamp with time zone NOT NULL,
  invitation_id integer,
  CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sign_in_attempts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts USING btree (expires_at);
COMMENT ON TABLE sign_in_attempts IS 'owner: store/sign-in-attempts; token_hash is SHA-256';

CREATE TABLE sign_in_places (
  user_id integer NOT NULL,
  place_hash bytea NOT NULL,
  used_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT sign_in_places_pkey PRIMARY KEY (user_id, place_hash),
  CONSTRAINT sign_in_places_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
COMMENT ON TABLE sign_in_places IS 'owner: store/sign-in-places; place_hash is HMAC-SHA256 under the key secret; a trigger of users deletes too';

CREATE TABLE stream_first_messages (
  stream_id integer NOT NULL,
  message_id bigint NOT NULL,
  CONSTRAINT stream_first_messages_pkey PRIMARY KEY (stream_id)
);
COMMENT ON TABLE stream_first_messages IS 'owner: store/messages; never recomputed on deletion';

CREATE TABLE stream_member_versions (
  stream_id integer NOT NULL,
  CONSTRAINT stream_member_versions_pkey PRIMARY KEY (stream_id)
) WITH (fillfactor=50);
COMMENT ON TABLE stream_member_versions IS 'owner: store/memberships; written by triggers of membership_periods';

CREATE TABLE streams (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  name_folded text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  rendered_description text NOT NULL DEFAULT ''::text,
  invite_only boolean NOT NULL DEFAULT false,
  is_web_public boolean NOT NULL DEFAULT false,
  is_announcement_only boolean NOT NULL DEFAULT false,
  history_public_to_subscribers boolean NOT NULL DEFAULT true,
  is_deactivated boolean NOT NULL DEFAULT false,
  is_default boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  recipient_id integer NOT NULL DEFAULT nextval('recipient_ids'::regclass),
  email_token text NOT NULL,
  creator_id integer,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT streams_pkey PRIMARY KEY (id),
  CONSTRAINT streams_name_folded_key UNIQUE (name_folded),
  CONSTRAINT streams_recipient_id_key UNIQUE (recipient_id)
);
CREATE CONSTRAINT TRIGGER shown_names_changed AFTER UPDATE ON streams DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name) EXECUTE FUNCTION shown_names_changed();
COMMENT ON TABLE streams IS 'owner: store/streams; version grows with every change that a message entry depends on (name, privacy, posting policy, deactivation)';

CREATE TABLE submessages (
  id bigint NOT NULL DEFAULT nextval('submessage_ids'::regclass),
  message_id bigint NOT NULL,
  sender_id integer NOT NULL,
  msg_type text NOT NULL,
  content text NOT NULL,
  CONSTRAINT submessages_pkey PRIMARY KEY (id)
);
CREATE INDEX submessages_by_message ON submessages USING btree (message_id, id);
CREATE TRIGGER message_part_changed AFTER INSERT OR DELETE OR UPDATE ON submessages FOR EACH ROW EXECUTE FUNCTION message_part_changed();
COMMENT ON TABLE submessages IS 'owner: store/submessages; ids of those that come with a message are drawn before it is sent';

CREATE TABLE subscriptions (
  user_id integer NOT NULL,
  stream_id integer NOT NULL,
  is_active boolean NOT NULL,
  color text NOT NULL,
  is_muted boolean NOT NULL DEFAULT false,
  pin_to_top boolean NOT NULL DEFAULT false,
  desktop_notifications boolean,
  audible_notifications boolean,
  push_notifications boolean,
  email_notifications boolean,
  wildcard_mentions_notify boolean,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (user_id, stream_id)
);
CREATE INDEX subscriptions_by_stream ON subscriptions USING btree (stream_id, user_id) WHERE is_active;
CREATE INDEX subscriptions_muted ON subscriptions USING btree (user_id) INCLUDE (stream_id) WHERE is_muted;
CREATE INDEX subscriptions_told ON subscriptions USING btree (stream_id, user_id) WHERE (is_active AND (push_notifications OR email_notifications));
COMMENT ON TABLE subscriptions IS 'owner: store/memberships';

CREATE TABLE told_upto (
  only_row boolean NOT NULL DEFAULT true,
  message_id bigint NOT NULL,
  CONSTRAINT told_upto_pkey PRIMARY KEY (only_row),
  CONSTRAINT told_upto_only_row_check CHECK (only_row)
);
COMMENT ON TABLE told_upto IS 'owner: store/candidates; everything up to it has become rows';

CREATE TABLE upload_space (
  only_row boolean NOT NULL DEFAULT true,
  used_bytes bigint NOT NULL,
  CONSTRAINT upload_space_pkey PRIMARY KEY (only_row),
  CONSTRAINT upload_space_only_row_check CHECK (only_row),
  CONSTRAINT upload_space_used_bytes_check CHECK (used_bytes >= 0)
);
COMMENT ON TABLE upload_space IS 'owner: store/uploads; the sum of uploads.size_bytes, locked by whoever adds or removes one';

CREATE TABLE uploads (
  path_id text NOT NULL,
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  owner_id integer NOT NULL,
  file_name text NOT NULL,
  content_type text NOT NULL,
  size_bytes bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT parley_now(),
  CONSTRAINT uploads_pkey PRIMARY KEY (path_id),
  CONSTRAINT uploads_id_key UNIQUE (id)
);
CREATE INDEX uploads_by_owner ON uploads USING btree (owner_id, id);
COMMENT ON TABLE uploads IS 'owner: store/uploads';

CREATE TABLE user_group_members (
  group_id integer NOT NULL,
  user_id integer NOT NULL,
  CONSTRAINT user_group_members_pkey PRIMARY KEY (group_id, user_id),
  CONSTRAINT user_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES user_groups(id) ON DELETE CASCADE
);
COMMENT ON TABLE user_group_members IS 'owner: store/user-groups';

CREATE TABLE user_groups (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  external_id text,
  CONSTRAINT user_groups_pkey PRIMARY KEY (id),
  CONSTRAINT user_groups_name_key UNIQUE (name)
);
COMMENT ON TABLE user_groups IS 'owner: store/user-groups';

CREATE TABLE user_status (
  user_id integer NOT NULL,
  away boolean NOT NULL DEFAULT false,
  status_text text NOT NULL DEFAULT ''::text,
  ends_at timestamp with time zone,
  CONSTRAINT user_status_pkey PRIMARY KEY (user_id)
);
CREATE INDEX user_status_ends ON user_status USING btree (ends_at) WHERE (ends_at IS NOT NULL);
COMMENT ON TABLE user_status IS 'owner: store/user-status';

CREATE TABLE users (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  email text NOT NULL,
  email_folded text NOT NULL,
  delivery_email text,
  delivery_email_folded text,
  full_name text NOT NULL,
  full_name_folded text NOT NULL,
  short_name text NOT NULL,
  role text NOT NULL DEFAULT 'member'::text,
  is_active boolean NOT NULL DEFAULT true,
  is_system boolean NOT NULL DEFAULT false,
  bot_type smallint,
  bot_owner_id integer,
  recipient_id integer NOT NULL DEFAULT nextval('recipient_ids'::regclass),
  password_hash text,
  avatar_source text NOT NULL DEFAULT 'G'::text,
  avatar_version integer NOT NULL DEFAULT 1,
  timezone text NOT NULL DEFAULT ''::text,
  settings jsonb NOT NULL DEFAULT '{}'::jsonb,
  pointer bigint NOT NULL DEFAULT '-1'::integer,
  default_sending_stream_id integer,
  default_events_register_stream_id integer,
  default_all_public_streams boolean NOT NULL DEFAULT false,
  date_joined timestamp with time zone NOT NULL DEFAULT parley_now(),
  external_id text,
  deleted_by_scim boolean NOT NULL DEFAULT false,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_folded_key UNIQUE (email_folded),
  CONSTRAINT users_recipient_id_key UNIQUE (recipient_id),
  CONSTRAINT users_bot_owner_id_fkey FOREIGN KEY (bot_owner_id) REFERENCES users(id),
  CONSTRAINT users_avatar_source_check CHECK (avatar_source = ANY (ARRAY['G'::text, 'U'::text])),
  CONSTRAINT users_bot_type_check CHECK (bot_type >= 1 AND bot_type <= 4),
  CONSTRAINT users_role_check CHECK (role = ANY (ARRAY['administrator'::text, 'member'::text, 'guest'::text]))
);
CREATE INDEX users_bots ON users USING btree (id) WHERE (bot_type = ANY (ARRAY[1, 2, 3, 4]));
CREATE UNIQUE INDEX users_by_delivery_email ON users USING btree (COALESCE(delivery_email_folded, email_folded));
CREATE INDEX users_by_external_id ON users USING btree (external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX users_by_name ON users USING btree (full_name_folded);
CREATE INDEX users_by_owner ON users USING btree (bot_owner_id) WHERE (bot_owner_id IS NOT NULL);
CREATE INDEX users_reacting ON users USING btree (id) WHERE (bot_type = ANY (ARRAY[3, 4]));
CREATE INDEX users_told_of_streams ON users USING btree (id) WHERE (is_active AND (((settings ->> 'enable_stream_push_notifications'::text))::boolean OR ((settings ->> 'enable_stream_email_notifications'::text))::boolean));
CREATE TRIGGER account_tokens_end AFTER UPDATE ON users FOR EACH ROW WHEN (old.password_hash IS DISTINCT FROM new.password_hash OR old.delivery_email IS DISTINCT FROM new.delivery_email OR old.is_active AND NOT new.is_active) EXECUTE FUNCTION account_tokens_end();
CREATE TRIGGER push_subscriptions_end AFTER UPDATE ON users FOR EACH ROW WHEN (old.password_hash IS DISTINCT FROM new.password_hash OR old.is_active AND NOT new.is_active) EXECUTE FUNCTION push_subscriptions_end('id');
CREATE TRIGGER sessions_end AFTER UPDATE ON users FOR EACH ROW WHEN (old.password_hash IS DISTINCT FROM new.password_hash OR old.is_active AND NOT new.is_active) EXECUTE FUNCTION sessions_end('id');
CREATE CONSTRAINT TRIGGER shown_names_changed AFTER UPDATE ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.email IS DISTINCT FROM new.email OR old.delivery_email IS DISTINCT FROM new.delivery_email OR old.full_name IS DISTINCT FROM new.full_name OR old.short_name IS DISTINCT FROM new.short_name OR old.avatar_source IS DISTINCT FROM new.avatar_source OR old.avatar_version IS DISTINCT FROM new.avatar_version) EXECUTE FUNCTION shown_names_changed();
CREATE TRIGGER sign_in_places_end AFTER UPDATE ON users FOR EACH ROW WHEN (old.password_hash IS DISTINCT FROM new.password_hash) EXECUTE FUNCTION sign_in_places_end();
COMMENT ON TABLE users IS 'owner: store/users';

CREATE TABLE log_entries_from_0 PARTITION OF log_entries FOR VALUES FROM ('0') TO ('1000000');

CREATE TABLE log_entries_from_1000000 PARTITION OF log_entries FOR VALUES FROM ('1000000') TO ('2000000');

-- Functions, each in functions/NAME.sql:
-- account_tokens_end() RETURNS trigger
-- alert_words_changed() RETURNS trigger
-- fold_by_table(value text, characters text, folded text, expanding text[], expansions text[]) RETURNS text
-- log_append(lengths integer[], audiences bigint[], payloads text[], change_id bigint, account_user_ids integer[], side_effects boolean[]) RETURNS TABLE(epoch integer, "position" bigint, message_id bigint)
-- log_lock_head(OUT epoch integer, OUT end_position bigint, OUT end_message_id bigint) RETURNS record
-- log_tick(older_than interval, audience bigint, payload text) RETURNS TABLE(epoch integer, "position" bigint, message_id bigint)
-- memberships_changed() RETURNS trigger
-- message_changed() RETURNS trigger
-- message_part_changed() RETURNS trigger
-- message_search_vector(search_text text, stream_id integer, conversation_id bigint, sender_id integer, message_id bigint) RETURNS tsvector
-- message_thumbnails(html text) RETURNS text[]
-- message_words_outdated() RETURNS trigger
-- message_words_vector(words text, stream_id integer, conversation_id bigint, sender_id integer, message_id bigint) RETURNS tsvector
-- note_matched_user_set() RETURNS trigger
-- parley_now() RETURNS timestamp with time zone
-- push_subscriptions_end() RETURNS trigger
-- send_messages(items json) RETURNS TABLE(ordinal integer, outcome text, message_id bigint, "position" bigint, epoch integer)
-- send_messages_with_uploads(items json) RETURNS TABLE(ordinal integer, outcome text, message_id bigint, "position" bigint, epoch integer, notice_position bigint, notice_message_id bigint, notice text)
-- sessions_end() RETURNS trigger
-- shown_names_changed() RETURNS trigger
-- sign_in_places_end() RETURNS trigger
