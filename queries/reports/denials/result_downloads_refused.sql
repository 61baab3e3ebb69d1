-- title: Denied result downloads
-- question: Who was refused the download of a job's result?
-- family: denials
-- grain: one row per user and job
-- param: since timestamp = 7d
-- param: until timestamp = now
with
refused as (
    select
        source, user_id, event_time, ip_address, actor,
        resource_id as job_id,
        coalesce(resource_name, resource_id, 'not recorded') as job
    from denials
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and denial_kind = 'denied_job_result_download'
),
owners as (
    select
        source, job_id,
        actor as job_owner
    from query_jobs
    where job_id in (select job_id from refused)
)
select
    refused.actor,
    refused.job,
    count(*) as attempts,
    owners.job_owner,
    min(refused.event_time) as first_at,
    max(refused.event_time) as last_at,
    count(distinct nullif(refused.ip_address, 'internal')) as addresses,
    refused.job_id,
    max(refused.user_id) as user_id,
    refused.source
from refused
left join owners
    on owners.source = refused.source
    and owners.job_id = refused.job_id
group by refused.source, refused.actor, refused.job, refused.job_id, owners.job_owner
order by attempts desc, actor, job, job_id, job_owner, source
