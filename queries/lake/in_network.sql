function in_network(address varchar, networks varchar)
-- The function of queries/views/in_network.sql for an engine, sent with the statement. A network of the other family is
-- compared with its own address, so that an invalid one gives null.
returns boolean
deterministic
return case
    when networks is null or trim(replace(networks, ',', '')) = '' then null
    when try(cast(trim(address) as ipaddress)) is null then null
    else any_match(
        filter(split(networks, ','), network -> trim(network) <> ''),
        network -> try(
            case
                when contains(
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
                then (strpos(cast(cast(split_part(trim(network), '/', 1) as ipaddress) as varchar), ':') > 0)
                    = (strpos(cast(cast(trim(address) as ipaddress) as varchar), ':') > 0)
                else false
            end
        )
    )
end
