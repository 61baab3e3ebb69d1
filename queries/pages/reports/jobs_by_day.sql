-- title: Jobs per day
-- question: How many query jobs were there each day, and how many failed?
-- family: query_activity
-- grain: one row per day, UTC, and ending
-- param: since timestamp = 30d
-- param: until timestamp = now
-- chart: bars x=day y=jobs stack=ending usual=weekday unit=count link=report:killed_and_failed_jobs
select
    activity_date as day,
    case when status in ('error', 'failed', 'killed') then 'failed' else 'succeeded' end as ending,
    count(*) as jobs
from query_jobs
where activity_time >= cast($since as timestamp)
  and activity_time < cast($until as timestamp)
group by day, ending
order by day, ending
