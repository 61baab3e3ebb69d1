    -- What an event is, as the lanes of a timeline show it.
    case
        when outcome in ('denied', 'failed') then 'denial'
        when event_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in') then 'sign_in'
        when event_name = 'job_result_download' then 'download'
        when event_name in ('job_issue', 'query_run') then 'query'
        when area = 'Permission' then 'right'
        when area in ('Account', 'Provisioner', 'User') and event_name not in ('password_revalidate', 'sign_out')
        then 'setting'
        else 'other'
    end as lane,
