-- What an exported report is of: the head of the log over landed files, and the default time zone.
select
    (select max(h.note) from evidence_head as h) as head,
    (select min(z.timezone) from timezone_offset_rows as z where z.is_default) as timezone
