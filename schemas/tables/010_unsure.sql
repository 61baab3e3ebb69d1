-- Number of equal records of a read that waited for another read to agree; null for older reads.
alter table window_reads add column unsure bigint;
