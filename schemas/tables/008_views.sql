-- The text that the views were made from, as a hash: while it is the same they need not be made anew.
create table view_versions (
    view_version varchar not null
);
