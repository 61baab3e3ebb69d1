-- How many texts wait to be read.
select count(distinct d.text_hash)::bigint as texts
from query_text_due as d
anti join query_text_rows as t on t.text_hash = d.text_hash;
