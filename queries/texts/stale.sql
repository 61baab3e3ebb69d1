-- Whether texts were read by another version of the reader.
select count(*)::bigint as texts
from query_text_rows
where reader <> $reader;
