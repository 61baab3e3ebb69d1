-- The leaf of a read in the log over landed files; null for reads that were loaded before there was a log.
alter table window_reads add column leaf_index bigint;

-- The head of that log when the database was closed last, in one row; null for an empty log.
create table evidence_head (
    note varchar
);

insert into evidence_head values (null);
