-- People of the directory and of the log by risk, with what they did in the range, on which of its days, and how many
-- there are in all. As recorded first, so that names are looked up for few rows. Days are those of a clock that many
-- minutes ahead of UTC.
with
recorded as (
    select
        e.source, e.user_id, lower(nullif(e.user_email, '')) as email,
        cast(e.event_time + to_minutes(cast($offset_minutes as bigint)) as date) as day,
        count(*) as events,
        count(*) filter (where e.outcome in ('denied', 'failed')) as refused,
        count(*) filter (
            where e.canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in') and e.outcome = 'succeeded'
        ) as sign_ins,
        sum(e.bytesize) filter (where e.canonical_name = 'job_result_download' and e.outcome = 'succeeded') as bytes
    from events as e
    where e.event_time >= $since::timestamp
      and e.event_time < $until::timestamp
      and (e.user_id is not null or e.user_email <> '')
    group by e.source, e.user_id, lower(nullif(e.user_email, '')), day
),
-- part: owners
-- part: email_owners
-- The ids that the log shows an e-mail beside, where no user list has it.
seen_together as (
    select
        source, cast(split_part(subject, ' ', 1) as bigint) as user_id,
        substring(subject, position(' ' in subject) + 1) as email, last_seen_at
    from sighting_rows
    where subject_kind = 'user email'
),
-- Everyone of whom the directory or the log knows, with the e-mail and the name that were known last.
directory as (
    select
        source, user_id,
        lower(arg_max(nullif(email, ''), valid_from)) as email,
        arg_max(
            coalesce(nullif(name, ''), nullif(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), '')),
            valid_from
        ) as name,
        count(*) > count(valid_to) as is_listed,
        coalesce(bool_or(administrator) filter (where valid_to is null), false) as is_administrator,
        coalesce(bool_or(account_owner) filter (where valid_to is null), false) as is_owner
    from user_history
    group by source, user_id
),
by_id as (
    select
        k.source, k.user_id, d.name,
        coalesce(d.email, t.email, 'user ' || cast(k.user_id as varchar)) as person,
        coalesce(d.is_listed, false) as is_listed,
        coalesce(d.is_administrator, false) as is_administrator,
        coalesce(d.is_owner, false) as is_owner
    from (
        select source, user_id from directory
        union
        select source, cast(subject as bigint) as user_id from sightings where subject_kind = 'user'
    ) as k
    left join directory as d on d.source = k.source and d.user_id = k.user_id
    left join (
        select source, user_id, arg_max(email, last_seen_at) as email
        from seen_together
        group by source, user_id
    ) as t on t.source = k.source and t.user_id = k.user_id
),
known as (
    select source, user_id, person, name, is_listed, is_administrator, is_owner
    from by_id
    union all
    select s.source, null as user_id, s.subject as person, null as name, false, false, false
    from sightings as s
    left join email_owners as o on o.source = s.source and o.email = s.subject
    left join (select distinct source, email from seen_together) as t on t.source = s.source and t.email = s.subject
    where s.subject_kind = 'email'
      and o.email is null
      and t.email is null
),
-- An event without an id is of the user who has its e-mail; of several, of the newest.
days as (
    select
        r.source, coalesce(r.user_id, o.user_id, t.user_id) as user_id,
        case when coalesce(r.user_id, o.user_id, t.user_id) is null then r.email end as email,
        r.day, sum(r.events) as events, sum(r.refused) as refused, sum(r.sign_ins) as sign_ins, sum(r.bytes) as bytes
    from recorded as r
    left join email_owners as o on r.user_id is null and o.source = r.source and o.email = r.email
    left join (
        select source, email, max(user_id) as user_id
        from seen_together
        group by source, email
    ) as t on r.user_id is null and t.source = r.source and t.email = r.email
    group by all
),
acted as (
    select
        source, user_id, email, sum(events) as events, sum(refused) as refused, sum(sign_ins) as sign_ins,
        sum(bytes) as bytes,
        string_agg(cast(day as varchar) || ' ' || cast(events as varchar), ',' order by day) as days
    from days
    group by source, user_id, email
),
described as (
    select
        k.source, k.user_id, k.person, k.name, k.is_listed, k.is_administrator, k.is_owner,
        coalesce(r.risk, 0) as risk, r.reasons,
        coalesce(a.events, 0) as events, coalesce(a.refused, 0) as refused, coalesce(a.bytes, 0) as bytes, a.days,
        coalesce(i.last_seen_at, m.last_seen_at) as last_seen_at,
        -- As the report of service accounts decides.
        k.person like 'svc%' or coalesce(a.sign_ins = 0, false) as is_service
    from known as k
    left join acted as a
        on a.source = k.source and a.user_id is not distinct from k.user_id
        and (a.user_id is not null or a.email = k.person)
    left join risk_by_actor as r
        on r.source = k.source and r.user_id is not distinct from k.user_id
        and (r.user_id is not null or r.actor = k.person)
    left join sightings as i
        on i.source = k.source and i.subject_kind = 'user' and i.subject = cast(k.user_id as varchar)
    left join sightings as m
        on m.source = k.source and m.subject_kind = 'email' and m.subject = k.person and k.user_id is null
)
select
    source, cast(user_id as varchar) as user_id, person, name, is_listed, is_administrator, is_owner, is_service,
    risk, reasons, events::bigint as events, refused::bigint as refused, bytes::bigint as bytes, days,
    epoch_ms(last_seen_at) as last_seen_ms, count(*) over () as people
from described
where $search is null
   or contains(person, lower($search))
   or contains(lower(coalesce(name, '')), lower($search))
   or cast(user_id as varchar) = $search
order by
    case $order when 'events' then events when 'refused' then refused when 'bytes' then bytes
        when 'seen' then epoch_ms(last_seen_at) else risk end desc nulls last,
    risk desc, events desc, person, source, user_id
limit $most
offset $skipped;
