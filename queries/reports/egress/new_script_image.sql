-- title: New script images
-- question: Which images did script tasks run for the first time?
-- family: egress
-- grain: one row per first event of a script task with an image that had not run before in its source
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: learning_hours integer = 720
-- detection: medium
-- attack: T1059.006
-- key: source, image
-- subject: image image
-- at: event_time
-- reach: all
-- condition: A workflow runs an image that had not run before, once the source has {learning_hours:hours} of history.
-- message: The workflow {workflow} ran the image {image}, which had not run before
-- next: auditlake report run new_script_image --since {event_time:date}
-- runbook: Check where the image comes from and who changed the workflow.
-- An image is named without tag and digest: a colon after the first slash starts a tag, one before it a port.
with
-- part: first_events
tasks as (
    select
        source, event_key, event_time, actor, user_id, resource_name, docker_image, revision_created_user,
        split_part(lower(trim(docker_image)), '@', 1) as reference
    from events
    where event_time < cast($until as timestamp)
      and canonical_name in ('custom_script_task_starts', 'custom_script_task_ends')
      and docker_image <> ''
),
named as (
    select
        source, event_key, event_time, actor, user_id, resource_name, docker_image, revision_created_user,
        case
            when position('/' in reference) = 0 then split_part(reference, ':', 1)
            else split_part(reference, '/', 1) || '/'
                || split_part(substring(reference from position('/' in reference) + 1), ':', 1)
        end as image
    from tasks
),
firsts as (
    select source, image, min(event_time) as first_at from named group by source, image
    having min(event_time) >= cast($since as timestamp)
)
select
    n.event_time,
    n.image,
    n.docker_image,
    coalesce(n.resource_name, 'not recorded') as workflow,
    n.revision_created_user as revision_by,
    n.actor,
    n.user_id,
    n.event_key,
    n.source
from named as n
inner join firsts as f on f.source = n.source and f.image = n.image and f.first_at = n.event_time
inner join first_events as s on s.source = n.source
where n.event_time >= s.first_at + cast($learning_hours as integer) * interval '1' hour
order by event_time, image, docker_image, workflow, revision_by, actor, user_id, event_key, source
