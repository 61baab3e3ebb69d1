-- Whose keys `key_events` are about: by the id or e-mail of the affected user, else by the e-mail in the path.
paths_of_keys as (
    select
        source, event_key,
        lower(split_part(split_part(
            substring(path from position('/user/apikey/' in path) + 13), '?', 1
        ), '#', 1)) as tail
    from key_events
    where path like '%/user/apikey/%'
),
emails_of_keys as (
    select
        k.source, k.event_key, k.affected_user_id, k.user_id, k.actor_email,
        case
            when k.affected_user like '%@%' then lower(k.affected_user)
            when p.tail like '%\%40%' escape '\' or p.tail like '%@%'
            then replace(replace(
                split_part(substring(p.tail from position('/' in p.tail) + 1), '/', 1), '%40', '@'
            ), '%2b', '+')
        end as owner_email
    from key_events as k
    left join paths_of_keys as p on p.source = k.source and p.event_key = k.event_key
),
key_owners as (
    select
        k.source, k.event_key, k.actor_email, k.owner_email,
        coalesce(k.user_id, a.user_id) as actor_id,
        coalesce(k.affected_user_id, o.user_id) as owner_id
    from emails_of_keys as k
    left join email_owners as a
        on a.source = k.source and a.email = case when k.user_id is null then k.actor_email end
    left join email_owners as o
        on o.source = k.source and o.email = case when k.affected_user_id is null then k.owner_email end
),
