-- Events of the range by a person. Those without an id are theirs by the e-mail.
create or replace temp table subject_events as
with
-- part: person_keys
done as (
    select
-- part: subject_columns
        e.source
    from events as e
    inner join ids as i on i.source = e.source and i.user_id = e.user_id
    where e.event_time >= $since::timestamp
      and e.event_time < $until::timestamp
    union all
    select
-- part: subject_columns
        e.source
    from events as e
    inner join emails as m on m.source = e.source and m.email = lower(e.user_email)
    where e.event_time >= $since::timestamp
      and e.event_time < $until::timestamp
      and e.user_id is null
      and e.user_email <> ''
)
select
    source, event_time, user_id, actor, ip_address, event_name, area, outcome, denial_kind, bytesize, database_name
from done;
