-- name: findings
-- Findings whose id begins with what was typed.
select finding_id, title
from findings
where starts_with(finding_id, lower($text))
  and ($source is null or source = $source)
order by finding_id
limit 20;

-- name: people
-- People of the directory whose address contains what was typed; those whose address begins with it first.
select email
from users
where email is not null
  and contains(lower(email), lower($text))
  and ($source is null or source = $source)
group by email
order by starts_with(lower(email), lower($text)) desc, email
limit 20;

-- name: jobs
-- Whether a job with this id is known.
select job_id
from query_jobs
where cast(job_id as varchar) = $text
  and ($source is null or source = $source)
order by job_id
limit 1;
