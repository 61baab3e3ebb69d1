function in_network(address varchar, networks varchar)
-- What queries/views/in_network.sql answers, on an engine: a function that a statement brings along.
returns boolean
deterministic
return case
    when networks is null or trim(replace(networks, ',', '')) = '' then null
    when try(cast(trim(address) as ipaddress)) is null then null
    else any_match(
        filter(split(networks, ','), network -> trim(network) <> ''),
        network -> try(
            (strpos(cast(cast(split_part(trim(network), '/', 1) as ipaddress) as varchar), ':') > 0)
                = (strpos(cast(cast(trim(address) as ipaddress) as varchar), ':') > 0)
            and contains(
                case
                    when strpos(network, '/') > 0 then trim(network)
                    when strpos(network, ':') > 0 then trim(network) || '/128'
                    else trim(network) || '/32'
                end,
                case
                    when (strpos(cast(cast(split_part(trim(network), '/', 1) as ipaddress) as varchar), ':') > 0)
                        = (strpos(cast(cast(trim(address) as ipaddress) as varchar), ':') > 0)
                    then cast(trim(address) as ipaddress)
                    else cast(split_part(trim(network), '/', 1) as ipaddress)
                end
            )
        )
    )
end
