-- title: Changes of sign-in rules
-- question: Who changed the password policy, single sign-on or the settings of the account?
-- family: access
-- grain: one row per successful change of the account or of its password policy
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: medium
-- attack: T1556
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- condition: A person changes the account, its password policy or its single sign-on.
-- message: {actor} changed the account setting {setting}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check whether the change was planned, and whether passwords or sign-ins are weaker after it. Single sign-on is a setting of the account.
with
found as (
    select
        source, event_key, event_time, user_id, actor, canonical_name, attribute_name, ip_address,
        coalesce(old_value, old_values) as old_value,
        coalesce(new_value, new_values) as new_value,
        case
            when canonical_name = 'password_policy_modify' then 'the password policy'
            else coalesce(attribute_name, 'a setting')
        end as setting,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('account_modify', 'password_policy_modify')
      and outcome = 'succeeded'
)
select
    event_time,
    actor,
    setting,
    canonical_name as event_name,
    attribute_name,
    old_value,
    new_value,
    ip_address,
    user_id,
    account,
    event_key,
    source
from found
order by
    event_time, actor, setting, event_name, attribute_name, old_value, new_value, ip_address, user_id, account,
    event_key, source
