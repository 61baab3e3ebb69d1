-- title: Shared addresses
-- question: Which addresses did several people use?
-- family: people
-- grain: one row per user and address that at least that many users had in the range
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: least integer = 2
-- param: networks text = null
-- Addresses in one of `networks`, such as those of the offices, are excluded: CIDR blocks or addresses, separated by
-- commas. Addresses with the fewest people come first: an address of two people is more telling than that of an office.
with
-- part: address_uses
uses as (
    select source, actor, ip_address, events, sign_ins, refused, first_at, last_at, user_id
    from address_uses
    where actor <> 'unknown'
),
addresses as (
    select source, ip_address, count(*) as actors
    from uses
    group by source, ip_address
    having count(*) >= cast($least as integer)
)
select
    uses.ip_address,
    addresses.actors,
    uses.actor,
    uses.events,
    uses.sign_ins,
    uses.refused,
    uses.first_at,
    uses.last_at,
    uses.user_id,
    uses.source
from uses
inner join addresses on addresses.source = uses.source and addresses.ip_address = uses.ip_address
where cast($networks as varchar) is null
   or coalesce(not in_network(uses.ip_address, cast($networks as varchar)), true)
order by addresses.actors, ip_address, actor, source
