-- title: Activity from outside the networks
-- question: Who worked from addresses outside the known networks?
-- family: people
-- grain: one row per user and address outside of all networks
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: networks text required
-- `networks` are CIDR blocks or addresses, IPv4 or IPv6, separated by commas, as in 192.0.2.0/24, 2001:db8::/32.
-- Invalid addresses are listed with is_address false; the word internal is excluded.
with
-- part: address_uses
placed as (
    select
        source, actor, ip_address, events, sign_ins, refused, days, first_at, last_at, user_id,
        in_network(ip_address, cast($networks as varchar)) as is_inside
    from address_uses
)
select
    actor,
    ip_address,
    is_inside is not null as is_address,
    events,
    sign_ins,
    refused,
    days,
    first_at,
    last_at,
    user_id,
    source
from placed
where coalesce(not is_inside, true)
order by events desc, actor, ip_address, source
