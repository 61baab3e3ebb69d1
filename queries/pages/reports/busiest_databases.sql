-- title: Busiest databases
-- question: Which databases are queried the most?
-- grain: one row per database
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=database_name y=jobs unit=count link=report:queries_by_database
select
    database_name,
    count(*) as jobs,
    count(distinct actor) as people
from query_jobs
where activity_time >= cast($since as timestamp)
  and activity_time < cast($until as timestamp)
  and database_name is not null
group by database_name
order by jobs desc, people desc, database_name
