function in_network(address varchar, networks varchar)
-- What queries/views/in_network.sql answers, on an engine: a function that a statement brings along. A network of the
-- other family is asked about its own address, so that one that is none gives null.
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
