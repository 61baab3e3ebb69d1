-- title: E-mails of workflows
-- question: Which e-mails did workflows send to external recipients?
-- family: egress
-- grain: one row per e-mail; with a domain, only those to an address outside of it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: domain text = null
with
mails as (
    select
        event_key, source, user_id, event_time, resource_name, mail_subject, mail_to, mail_cc, mail_bcc,
        -- Each address ends with a comma, whatever the list was written in.
        lower(replace(replace(replace(replace(replace(replace(
            coalesce(mail_to, '') || ',' || coalesce(mail_cc, '') || ',' || coalesce(mail_bcc, '') || ',',
            '"', ','), '>', ','), ']', ','), ';', ','), ' ', ','), '''', ',')) as recipients,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'workflow_email_send'
),
counted as (
    select
        event_key, source, user_id, event_time, actor, resource_name, mail_subject, mail_to, mail_cc, mail_bcc,
        length(recipients) - length(replace(recipients, '@', '')) as addresses,
        length(replace(recipients, '@' || lower(cast($domain as varchar)) || ',', '@' || lower(cast($domain as varchar)) || ',,'))
            - length(recipients) as own_addresses
    from mails
)
select
    event_time,
    actor,
    resource_name as workflow,
    mail_subject,
    mail_to,
    mail_cc,
    mail_bcc,
    addresses,
    addresses - own_addresses as outside,
    user_id,
    event_key,
    source
from counted
where cast($domain as varchar) is null or addresses > own_addresses
order by event_time, actor, workflow, mail_subject, mail_to, mail_cc, mail_bcc, user_id, event_key, source
