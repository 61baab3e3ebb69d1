-- Hash of the SQL of the views: while it is the same, they are not recreated.
create table view_versions (
    view_version varchar not null
);
