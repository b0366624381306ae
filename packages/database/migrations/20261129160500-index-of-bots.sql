-- Every register lists the bots, which are few among many people.
CREATE INDEX users_bots ON users (id) WHERE bot_type IN (1, 2, 3, 4);
