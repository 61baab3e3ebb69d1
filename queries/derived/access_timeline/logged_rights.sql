-- What policies hold by the log, cut to its phases. is_checked: the right lasts to the reading at the end of the phase;
-- is_contradicted: that reading does not show it.
create or replace temp table logged_rights as
with
logged as (
    select
        s.series_key, s.permission, s.valid_from, s.valid_to, s.is_uncertain, s.granting, s.revoking,
        p.from_at, p.last_at, p.until_at, p.end_at, p.shown_at, p.snapshot_id,
        p.until_at is not null and coalesce(s.valid_to > p.until_at, true) as is_checked
    from due_spans as s
    inner join log_phases as p on p.series_key = s.series_key
    where coalesce(s.valid_from < p.until_at, true)
      and coalesce(p.from_at < s.valid_to, true)
)
select
    l.series_key, l.permission, l.valid_from, l.valid_to, l.is_uncertain, l.granting, l.revoking,
    l.from_at, l.last_at, l.until_at, l.end_at, l.snapshot_id, l.is_checked,
    l.is_checked and not exists (
        select 1
        from shown_rights as s
        where s.series_key = l.series_key and s.permission = l.permission
          and s.valid_from <= l.shown_at and coalesce(s.valid_to > l.shown_at, true)
    ) as is_contradicted
from logged as l;
