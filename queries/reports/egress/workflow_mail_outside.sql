-- title: Workflow e-mails to new external domains
-- question: To which external domains did workflows send e-mails for the first time?
-- family: egress
-- grain: one row per e-mail to an external domain to which no workflow of its source had sent one before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: learning_hours integer = 720
-- param: internal_domains text = null
-- detection: medium
-- attack: T1048
-- key: source, domain
-- subject: host domain
-- at: event_time
-- reach: all
-- condition: A workflow sends mail to an external domain to which no workflow had sent mail before, once the source has {learning_hours:hours} of history.
-- message: The workflow {workflow} sent mail to {domain}, where no workflow had sent mail before
-- next: auditlake report run workflow_mails --since {event_time:date}
-- runbook: Check who added the recipient and what the mail contains.
-- Internal domains are internal_domains, else the domains of the users in the directory; their subdomains are external.
with
-- part: first_events
digits as (
    select digit from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as d(digit)
),
places as (
    select a.digit + 10 * b.digit + 100 * c.digit + 1000 * d.digit as place
    from digits as a
    cross join digits as b
    cross join digits as c
    cross join digits as d
),
-- Each address ends with a comma, whatever the list was written in.
mails as (
    select
        source, event_key, event_time, actor, user_id, resource_name, mail_subject, mail_to, mail_cc, mail_bcc,
        lower(replace(replace(replace(replace(replace(replace(
            coalesce(mail_to, '') || ',' || coalesce(mail_cc, '') || ',' || coalesce(mail_bcc, '') || ',',
            '"', ','), '>', ','), ']', ','), ';', ','), ' ', ','), '''', ',')) as recipients
    from events
    where event_time < cast($until as timestamp)
      and canonical_name = 'workflow_email_send'
      and outcome = 'succeeded'
),
lists as (
    select distinct recipients from mails
),
domains as (
    select distinct l.recipients, split_part(substring(l.recipients from p.place + 1), ',', 1) as domain
    from lists as l
    inner join places as p on p.place <= length(l.recipients) and substring(l.recipients from p.place for 1) = '@'
    where p.place > 0
),
firsts as (
    select m.source, d.domain, min(m.event_time) as first_at
    from mails as m
    inner join domains as d on d.recipients = m.recipients
    where d.domain <> ''
    group by m.source, d.domain
    having min(m.event_time) >= cast($since as timestamp)
),
inside as (
    select distinct source, lower(substring(email from position('@' in email) + 1)) as domain
    from users
    where position('@' in email) > 0
      and cast($internal_domains as varchar) is null
)
select
    m.event_time,
    f.domain,
    coalesce(m.resource_name, 'not recorded') as workflow,
    m.mail_subject,
    m.mail_to,
    m.mail_cc,
    m.mail_bcc,
    m.actor,
    m.user_id,
    m.event_key,
    m.source
from firsts as f
inner join mails as m on m.source = f.source and m.event_time = f.first_at
inner join domains as d on d.recipients = m.recipients and d.domain = f.domain
inner join first_events as s on s.source = f.source
left join inside as i on i.source = f.source and i.domain = f.domain
where m.event_time >= s.first_at + cast($learning_hours as integer) * interval '1' hour
  and i.domain is null
  and position(
      ',' || f.domain || ',' in ',' || replace(lower(coalesce(cast($internal_domains as varchar), '')), ' ', '') || ','
  ) = 0
order by event_time, domain, workflow, mail_subject, mail_to, mail_cc, mail_bcc, actor, user_id, event_key, source
