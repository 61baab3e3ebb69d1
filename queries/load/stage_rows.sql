-- The rows of several reads at once, before each is loaded: their pages are numbered through, and belong to no read.
create or replace temp table staged_rows as
select * from normalised($files, $record_bytes, $source, null, null, null, $window_ms);
