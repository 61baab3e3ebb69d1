-- How many equal records stood on different pages of a read, and how many of a read wait for another one to agree;
-- null for reads of before, where nobody knows.
alter table window_reads add column doubtful bigint;

alter table window_reads add column withheld bigint;
