-- The name under which somebody was invited (`Name <address>`), which who joins is offered.
ALTER TABLE invitations ADD COLUMN full_name text;
