-- Whether an IP address is in one of some networks: CIDR blocks or addresses, IPv4 or IPv6, separated by commas. Null
-- if the address is invalid, or if no network matches and one of them is invalid. An IPv4 address written as IPv6
-- (::ffff:192.0.2.1) is the IPv4 address.
create or replace macro ipv4_pattern() as
'(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])([.](25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}';

create or replace macro ipv4_pairs(text) as [
    cast(split_part(text, '.', 1) as integer) * 256 + cast(split_part(text, '.', 2) as integer),
    cast(split_part(text, '.', 3) as integer) * 256 + cast(split_part(text, '.', 4) as integer)
];

-- The eight groups of 16 bits of an address; null if invalid. The parts are bound once, because a macro repeats its
-- argument wherever it is used.
create or replace macro address_groups(address) as
list_transform(
    list_transform(
        -- An IPv4 address at the end of an IPv6 one becomes two groups.
        list_transform(
            [lower(trim(address))],
            lambda text: case
                when regexp_full_match(text, ipv4_pattern())
                then '::ffff:' || format('{:x}:{:x}', ipv4_pairs(text)[1], ipv4_pairs(text)[2])
                when regexp_full_match(split_part(text, ':', -1), ipv4_pattern())
                then left(text, length(text) - length(split_part(text, ':', -1))) || format(
                    '{:x}:{:x}',
                    ipv4_pairs(split_part(text, ':', -1))[1], ipv4_pairs(split_part(text, ':', -1))[2]
                )
                else text
            end
        ),
        lambda text: {
            'is_short': contains(text, '::'),
            'is_address': contains(text, ':') and not contains(text, ':::') and len(string_split(text, '::')) <= 2,
            'first': list_filter(string_split(split_part(text, '::', 1), ':'), lambda g: split_part(text, '::', 1) <> ''),
            'last': list_filter(string_split(split_part(text, '::', 2), ':'), lambda g: split_part(text, '::', 2) <> '')
        }
    ),
    lambda parts: case
        when parts.is_address is distinct from true then null
        when len(parts.first) + len(parts.last) <> 8 and not parts.is_short then null
        when len(parts.first) + len(parts.last) > 7 and parts.is_short then null
        when len(list_filter(
            list_concat(parts.first, parts.last), lambda g: not regexp_full_match(g, '[0-9a-f]{1,4}')
        )) > 0 then null
        else list_transform(
            list_concat(
                parts.first,
                list_transform(range(8 - len(parts.first) - len(parts.last)), lambda i: '0'),
                parts.last
            ),
            lambda g: cast('0x' || g as integer)
        )
    end
)[1];

create or replace macro is_ipv4(groups) as groups[1:6] = [0, 0, 0, 0, 0, 65535];

create or replace macro in_network(address, networks) as
list_transform(
    list_transform(
        [{
            'groups': address_groups(address),
            'networks': list_transform(
                list_filter(string_split(networks, ','), lambda network: trim(network) <> ''),
                lambda network: {
                    'groups': address_groups(split_part(network, '/', 1)),
                    'length': case
                        when not contains(network, '/') then 128
                        when regexp_full_match(trim(split_part(network, '/', 2)), '[0-9]{1,3}')
                            and len(string_split(network, '/')) = 2
                        then case
                            when contains(network, ':') and cast(trim(split_part(network, '/', 2)) as integer) <= 128
                            then cast(trim(split_part(network, '/', 2)) as integer)
                            when not contains(network, ':') and cast(trim(split_part(network, '/', 2)) as integer) <= 32
                            then cast(trim(split_part(network, '/', 2)) as integer) + 96
                        end
                    end
                }
            )
        }],
        lambda asked: case
            when asked.groups is not null
            then list_transform(
                asked.networks,
                lambda network: case
                    when network.groups is null or network.length is null then null
                    when is_ipv4(network.groups) <> is_ipv4(asked.groups) then false
                    else len(list_filter(
                        range(1, 9),
                        lambda i: (asked.groups[i] >> greatest(0, least(16, 16 * i - network.length)))
                            <> (network.groups[i] >> greatest(0, least(16, 16 * i - network.length)))
                    )) = 0
                end
            )
        end
    ),
    lambda answers: case
        when list_contains(answers, true) then true
        when len(answers) > 0 and len(list_filter(answers, lambda answer: answer is null)) = 0 then false
    end
)[1];
