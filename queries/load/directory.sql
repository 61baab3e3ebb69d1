-- name: incoming
-- A user list as it was read, before it is judged.
create or replace temp table incoming_users (
    user_id bigint,
    email varchar,
    name varchar,
    first_name varchar,
    last_name varchar,
    phone varchar,
    created_at varchar,
    updated_at varchar,
    administrator boolean,
    account_owner boolean,
    extra varchar
);

-- name: record
insert into directory_readings (source, read_at, verdict, listed, in_force, against)
select
    $source as source, $read_at::timestamp as read_at, $verdict as verdict,
    $listed::bigint as listed, $in_force::bigint as in_force, $against::varchar as against;

-- name: last
-- When the user list of each source was read last.
select source, strftime(max(read_at), '%Y-%m-%d %H:%M:%S.%g') as read_at
from directory_readings
group by source
order by source;

-- name: held_back
-- The last list of a source of which anything was taken, where it was held back.
with
taken as (
    select read_at, verdict
    from directory_readings
    where source = $source
      and verdict not in ('empty', 'faulty')
    order by read_at desc
    limit 1
)
select strftime(read_at, '%Y-%m-%d %H:%M:%S.%g') as read_at
from taken
where verdict = 'held_back';

-- name: ended
-- The users of a source whom the readings after a moment ended, and who are not back since: the first ten.
with
ended as (
    select h.user_id, arg_max(coalesce(h.email, h.name), h.valid_from) as person
    from user_history as h
    where h.source = $source
      and h.valid_to > coalesce($after::timestamp, '-infinity'::timestamp)
      and not exists (
          select 1
          from user_history as n
          where n.source = h.source and n.user_id = h.user_id and n.valid_from >= h.valid_to
      )
    group by h.user_id
)
select coalesce(person, 'user ' || cast(user_id as varchar)) as person, count(*) over () as users
from ended
order by user_id
limit 10;
