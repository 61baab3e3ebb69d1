-- title: Failed sign-ins followed by a success
-- question: Which failed sign-ins were followed by a success?
-- family: denials
-- grain: one row per sign-in after enough failures of its account or address
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: failures integer = 5
-- param: minutes integer = 15
-- detection: high
-- attack: T1110.001
-- key: source, user_id, account
-- subject: user actor
-- at: success_at
-- reach: all
-- measure: failures >= $failures
-- evidence: shown_events
-- condition: A sign-in succeeds after {failures} failed sign-ins of the account or from the address within {minutes} min.
-- message: {actor} signed in after {failures} failed sign-ins of the account or from the address
-- next: auditlake investigate --user {actor} --during {success_at:date}
-- runbook: Ask the person whether they signed in from this address. If not, reset the password and look at what was done after the sign-in.
-- The account is the e-mail, so that failures without an id count; failures is the larger of both counts.
with
attempts as (
    select
        source, event_key, event_time, canonical_name, user_id, ip_address,
        coalesce(actor_email, 'user ' || cast(user_id as varchar)) as account,
        case when ip_address like '%.%' or ip_address like '%:%' then ip_address end as address,
        case when denial_kind = 'failed_sign_in' then 1 else 0 end as failed
    from events
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and (
          denial_kind = 'failed_sign_in'
          or outcome = 'succeeded'
          and canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in', 'password_revalidate')
      )
),
counted as (
    select
        source, event_key, event_time, canonical_name, user_id, ip_address, account, address, failed,
        sum(failed) over (
            partition by source, account order by event_time
            range between cast($minutes as integer) * interval '1' minute preceding and current row
        ) as account_failures,
        sum(failed) over (
            partition by source, address order by event_time
            range between cast($minutes as integer) * interval '1' minute preceding and current row
        ) as address_failures
    from attempts
),
successes as (
    select
        source, event_key, event_time, canonical_name, user_id, ip_address, account, address,
        case when account is null then 0 else account_failures end as account_failures,
        case when address is null then 0 else address_failures end as address_failures
    from counted
    where failed = 0
      and event_time >= cast($since as timestamp)
      and (
          account is not null and account_failures >= cast($failures as integer)
          or address is not null and address_failures >= cast($failures as integer)
      )
),
failures_before as (
    select
        successes.source, successes.event_key, attempts.event_key as failure_key, attempts.event_time, attempts.account,
        successes.account_failures >= successes.address_failures as is_counted
    from successes
    inner join attempts
        on attempts.source = successes.source
        and attempts.account = successes.account
        and attempts.failed = 1
        and attempts.event_time <= successes.event_time
        and attempts.event_time >= successes.event_time - cast($minutes as integer) * interval '1' minute
    union all
    select
        successes.source, successes.event_key, attempts.event_key as failure_key, attempts.event_time, attempts.account,
        successes.account_failures < successes.address_failures as is_counted
    from successes
    inner join attempts
        on attempts.source = successes.source
        and attempts.address = successes.address
        and attempts.failed = 1
        and attempts.event_time <= successes.event_time
        and attempts.event_time >= successes.event_time - cast($minutes as integer) * interval '1' minute
),
tried as (
    select
        source, event_key,
        count(distinct account) as accounts_tried,
        min(event_time) as first_failure_at
    from failures_before
    group by source, event_key
),
shown_events as (
    select event_key as hit_key, event_key from successes
    union all
    select event_key as hit_key, failure_key as event_key from failures_before where is_counted
)
select
    successes.event_time as success_at,
    coalesce(successes.account, 'unknown') as actor,
    successes.ip_address,
    cast(successes.account_failures as bigint) as account_failures,
    cast(successes.address_failures as bigint) as address_failures,
    cast(case
        when successes.account_failures < successes.address_failures then successes.address_failures
        else successes.account_failures
    end as bigint) as failures,
    tried.accounts_tried,
    tried.first_failure_at,
    successes.canonical_name as success_event,
    successes.user_id,
    case when successes.user_id is null then coalesce(successes.account, successes.address) end as account,
    successes.event_key,
    successes.source
from successes
inner join tried
    on tried.source = successes.source
    and tried.event_key = successes.event_key
order by
    success_at, actor, ip_address, account_failures, address_failures, failures, accounts_tried, first_failure_at,
    success_event, user_id, account, event_key, source
