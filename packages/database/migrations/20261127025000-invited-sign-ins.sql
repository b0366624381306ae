-- A sign-in that began at an invitation link uses the invitation (decision 0051), if it makes an account. The invitation may have ended when the
-- browser comes back, which is found out then, so nothing references it.
ALTER TABLE sign_in_attempts ADD COLUMN invitation_id integer;
