-- People and databases that events named last, at most 200 of each.
with
ranked as (
    select
        subject_kind, subject,
        row_number() over (partition by subject_kind order by max(last_seen_at) desc, subject) as rank
    from sightings
    where subject_kind in ('email', 'database')
      and length(subject) <= 200
    group by subject_kind, subject
)
select subject_kind, subject
from ranked
where rank <= 200
order by subject_kind, subject;
