-- Where people signed in by a password: their browsers and networks, which have a limit of failed logins of their own (decision 0070). They are
-- forgotten with the password, so whoever knew the former one has no more attempts than strangers.
CREATE TABLE sign_in_places (
  user_id integer NOT NULL REFERENCES users (id),
  -- HMAC-SHA256 under the key secret, because there are few networks.
  place_hash bytea NOT NULL,
  used_at timestamptz NOT NULL DEFAULT parley_now(),
  PRIMARY KEY (user_id, place_hash)
);
COMMENT ON TABLE sign_in_places IS 'owner: store/sign-in-places; place_hash is HMAC-SHA256 under the key secret; a trigger of users deletes too';
CREATE TRIGGER sign_in_places_end AFTER UPDATE ON users FOR EACH ROW
  WHEN (OLD.password_hash IS DISTINCT FROM NEW.password_hash)
  EXECUTE FUNCTION sign_in_places_end();
