(fits_person and fits_event and fits_address and fits_outcome and fits_area and fits_kind and fits_database)
