/** Default streams have a module of their own. */
export const name = '20261121004000-default-streams-owner';

export const sql = `
COMMENT ON TABLE default_stream_groups IS 'owner: store/default-streams';
`;
