-- Findings about a person (by keys) or an object (by name): open ones by severity, then newest first.
with
-- part: person_keys
about as (
    select
        f.finding_id, f.severity, f.title, f.message, f.state, f.first_at, f.last_at, f.source,
        try_cast(json_extract_string(f.key, '$.user_id') as bigint) as user_id, lower(f.subject) as subject
    from findings as f
    where f.state in ('open', 'acknowledged')
      and f.suppressed_by is null
)
select
    a.finding_id as id, a.severity, a.title, a.message, a.state, epoch_ms(a.first_at) as first_ms,
    epoch_ms(a.last_at) as last_ms
from about as a
where exists (select 1 from ids as i where i.source = a.source and i.user_id = a.user_id)
   or a.user_id is null and exists (select 1 from emails as m where m.source = a.source and m.email = a.subject)
   or a.subject = lower($subject)
order by
    case a.severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end desc,
    a.last_at desc, a.finding_id;
