-- Records on their way to the quarantine.
create temp table rejects (page integer, sha256 varchar, reason varchar, record_text varchar);

-- The numbers of equal records of a read; made anew by each read that has some.
create temp table numbered (row_id bigint, event_key uuid, page_number integer, has_id boolean, ordinal bigint);
