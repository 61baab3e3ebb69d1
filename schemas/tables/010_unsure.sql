-- How many equal records of a read waited for another one to agree; null for reads of before, where nobody knows.
alter table window_reads add column unsure bigint;
