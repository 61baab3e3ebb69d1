-- Whether any job waits for the rows of its text.
select count(*) > 0 as is_due
from (select d.job_id from query_text_due as d limit 1) as first_due;
