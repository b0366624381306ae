/** Where the pictures are that people uploaded of themselves. */
export const name = '20261121001001-avatars';

export const sql = `
CREATE TABLE avatars (
  user_id integer PRIMARY KEY,
  path_name text NOT NULL UNIQUE,
  file_key text NOT NULL
);
COMMENT ON TABLE avatars IS 'owner: store/avatars; path_name is what URLs call the picture, file_key where the file store has it';
`;
