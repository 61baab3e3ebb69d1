-- What policies hold by the newest evidence. That is a snapshot from its reading to the next change in the log, and the
-- log from there to the first reading after it. Between the last change and a reading that disagrees it is
-- `contradicted`. What only readings without a time of the service show is uncertain; so is what the first reading after
-- a creation shows of the time between them.
create or replace temp table policy_pieces as
select
    series_key, permission, greatest(valid_from, from_at) as valid_from,
    least(valid_to, case when is_contradicted then greatest(last_at, valid_from, from_at) else end_at end)
        as valid_to,
    case when is_uncertain or granting is null then 'inferred' else 'logged' end as evidence,
    is_uncertain,
    case when coalesce(valid_from >= from_at, from_at is null) then granting end as granting,
    case when coalesce(valid_to <= end_at, end_at is null) then revoking end as revoking,
    null as snapshot_id
from logged_rights
union all
select
    series_key, permission, greatest(last_at, valid_from, from_at) as valid_from, end_at as valid_to,
    'contradicted' as evidence, is_uncertain, null as granting, null as revoking, snapshot_id
from logged_rights
where is_contradicted
union all
-- What the reading after a change shows and the log does not. A creation does not state the set that it gave.
select
    s.series_key, s.permission, p.last_at as valid_from, p.end_at as valid_to,
    case when p.is_making then 'inferred' else 'contradicted' end as evidence, p.is_making as is_uncertain,
    null as granting, null as revoking, p.snapshot_id
from log_phases as p
inner join shown_rights as s
    on s.series_key = p.series_key and s.valid_from <= p.shown_at and coalesce(s.valid_to > p.shown_at, true)
left join logged_rights as l
    on l.is_checked and l.series_key = s.series_key and l.permission = s.permission and l.until_at = p.until_at
where l.series_key is null
union all
select
    s.series_key, s.permission, greatest(s.valid_from, p.from_at) as valid_from,
    least(s.valid_to, p.until_at) as valid_to, 'seen' as evidence, s.is_uncertain,
    null as granting, null as revoking, s.snapshot_id
from seen_rights as s
inner join snapshot_phases as p on p.series_key = s.series_key
where coalesce(s.valid_from < p.until_at, true)
  and coalesce(p.from_at < s.valid_to, true)
union all
-- The first reading shows the time before the log has anything of the policy.
select
    s.series_key, s.permission, null as valid_from, p.from_at as valid_to, 'inferred' as evidence,
    not p.is_dated as is_uncertain, null as granting, null as revoking, s.snapshot_id
from shown_rights as s
inner join snapshot_phases as p
    on p.is_first and p.series_key = s.series_key
    and s.valid_from <= p.from_at and coalesce(s.valid_to > p.from_at, true);
