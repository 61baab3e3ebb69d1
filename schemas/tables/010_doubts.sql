-- Number of equal records on different pages of a read, and of records that wait for another read to agree; null for
-- older reads.
alter table window_reads add column doubtful bigint;

alter table window_reads add column withheld bigint;
