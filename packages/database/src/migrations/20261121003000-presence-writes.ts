/** Presence is rewritten about every minute for everybody who is here. */
export const name = '20261121003000-presence-writes';

export const sql = `
-- Room for the next version of a row on its own page, so that updates touch no index and leave nothing to vacuum at length.
ALTER TABLE presence SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
`;
