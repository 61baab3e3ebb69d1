-- One row per user and text that they go by, in lower case. That is their id, their e-mail, each e-mail that the
-- directory showed for them before, and their name. An id or e-mail that the log alone knows stands here too.
create or replace view user_names as
with
versions as (
    select
        source, user_id,
        lower(nullif(email, '')) as email,
        lower(nullif(trim(coalesce(nullif(name, ''), coalesce(first_name, '') || ' ' || coalesce(last_name, ''))), ''))
            as name,
        valid_to is null as is_current
    from user_history
),
named as (
    select distinct source, user_id, 'id' as kind, cast(user_id as varchar) as name
    from versions
    union all
    select
        source, user_id,
        case when max(case when is_current then 1 else 0 end) = 1 then 'email' else 'former_email' end as kind,
        email as name
    from versions
    where email is not null
    group by source, user_id, email
    union all
    select distinct source, user_id, 'name' as kind, name
    from versions
    where name is not null
)
select source, user_id, kind, name
from named
union all
select s.source, cast(s.subject as bigint) as user_id, 'id' as kind, s.subject as name
from sightings as s
left join named as n on n.source = s.source and n.kind = 'id' and n.name = s.subject
where s.subject_kind = 'user'
  and n.name is null
union all
select s.source, null as user_id, 'email' as kind, s.subject as name
from sightings as s
left join named as n on n.source = s.source and n.kind in ('email', 'former_email') and n.name = s.subject
where s.subject_kind = 'email'
  and n.name is null;
