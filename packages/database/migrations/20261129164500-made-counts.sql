-- How much somebody has made lately, for bounds that count what is made and not the requests (decision 0063).
CREATE TABLE made_counts (
  what text NOT NULL,
  maker text NOT NULL,
  window_secs integer NOT NULL,
  window_start timestamp with time zone NOT NULL,
  made bigint NOT NULL,
  CONSTRAINT made_counts_pkey PRIMARY KEY (what, maker, window_secs, window_start)
);
COMMENT ON TABLE made_counts IS 'owner: store/made-counts; rows of windows that have ended are deleted';
