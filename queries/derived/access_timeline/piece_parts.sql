-- The pieces, cut where the ledger has gaps: what lies within one is unknown.
create or replace temp table piece_parts as
with
cuts as (
    select
        p.piece_key, p.valid_from, p.valid_to, s.from_at, s.until_at,
        lag(s.until_at) over (partition by p.piece_key order by s.from_at) as last_until,
        lead(s.from_at) over (partition by p.piece_key order by s.from_at) is null as is_last
    from pieces as p
    inner join silences as s
        on s.series_key = p.series_key
        and coalesce(s.from_at < p.valid_to, true)
        and coalesce(p.valid_from < s.until_at, true)
    where p.evidence <> 'contradicted'
)
select
    piece_key, nullif(greatest(valid_from, from_at), '-infinity'::timestamp) as valid_from,
    least(valid_to, until_at) as valid_to, true as is_unknown
from cuts
union all
select piece_key, greatest(valid_from, last_until) as valid_from, from_at as valid_to, false as is_unknown
from cuts
where from_at > '-infinity'::timestamp
  and coalesce(greatest(valid_from, last_until) < from_at, true)
union all
select piece_key, until_at as valid_from, valid_to, false as is_unknown
from cuts
where is_last
  and until_at is not null
  and coalesce(until_at < valid_to, true)
union all
select p.piece_key, p.valid_from, p.valid_to, false as is_unknown
from pieces as p
anti join cuts as c on c.piece_key = p.piece_key;
