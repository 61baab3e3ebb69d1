-- The findings that match a filter but for their state, each with the state that pages show.
matching_findings as (
    select
        finding_id, detection, severity, title, message, source, subject_kind, subject, key, first_at, last_at, hits,
        measures, closed_as, raised_at, attack,
        case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end as rank,
        case
            when state = 'open' and suppressed_by is not null then 'suppressed'
            when state = 'open' then 'new'
            else state
        end as state
    from findings
    where ($source is null or source = $source)
      and ($detection is null or detection = $detection)
      and ($subject is null or lower(subject) = lower($subject))
      and (
          $search is null
          or starts_with(finding_id, lower($search))
          or contains(lower(concat_ws(' ', subject, message, title, detection, attack)), lower($search))
      )
),
