-- name: keys
-- What the person goes by whom an id or e-mail in lower case names: ids, and the e-mails of events without an id.
with
named as (
    select source, user_id, name
    from user_names
    where kind <> 'name'
      and name = $person
),
ids as (
    select distinct source, user_id
    from named
    where user_id is not null
    union
    -- An id that the log shows beside the e-mail, where no user list has it.
    select s.source, cast(split_part(s.subject, ' ', 1) as bigint) as user_id
    from sighting_rows as s
    inner join named as n
        on n.source = s.source and n.name = substring(s.subject, position(' ' in s.subject) + 1)
    where s.subject_kind = 'user email'
)
select source, cast(user_id as varchar) as user_id, null as email
from ids
union all
select source, null as user_id, name as email
from (
    select source, name
    from named
    where user_id is null
    union
    select n.source, n.name
    from user_names as n
    inner join ids as i on i.source = n.source and i.user_id = n.user_id
    where n.kind in ('email', 'former_email')
) as emails
order by source, user_id, email;

-- name: profile
-- What the directory and the log show of the ids and e-mails of a person, one row for each id, and for each e-mail of
-- which no id is known.
with
-- part: person_keys
newest as (
    select
        h.source, h.user_id,
        arg_max(
            coalesce(nullif(h.name, ''), nullif(trim(coalesce(h.first_name, '') || ' ' || coalesce(h.last_name, '')), '')),
            h.valid_from
        ) as name,
        arg_max(lower(h.email), h.valid_from) as email,
        min(h.created_at) as created_at,
        count(*) > count(h.valid_to) as is_listed,
        coalesce(bool_or(h.administrator) filter (where h.valid_to is null), false) as is_administrator,
        coalesce(bool_or(h.account_owner) filter (where h.valid_to is null), false) as is_owner
    from user_history as h
    inner join ids as i on i.source = h.source and i.user_id = h.user_id
    group by h.source, h.user_id
)
select
    i.source, cast(i.user_id as varchar) as user_id, n.name, n.email, n.created_at,
    coalesce(n.is_listed, false) as is_listed,
    coalesce(n.is_administrator, false) as is_administrator,
    coalesce(n.is_owner, false) as is_owner,
    epoch_ms(s.first_seen_at) as first_seen_ms, epoch_ms(s.last_seen_at) as last_seen_ms
from ids as i
left join newest as n on n.source = i.source and n.user_id = i.user_id
left join sightings as s on s.source = i.source and s.subject_kind = 'user' and s.subject = cast(i.user_id as varchar)
union all
select
    m.source, null as user_id, null as name, m.email, null as created_at,
    false as is_listed, false as is_administrator, false as is_owner,
    epoch_ms(s.first_seen_at) as first_seen_ms, epoch_ms(s.last_seen_at) as last_seen_ms
from emails as m
left join sightings as s on s.source = m.source and s.subject_kind = 'email' and s.subject = m.email
where not exists (select 1 from ids as i where i.source = m.source)
order by source, user_id, email;
