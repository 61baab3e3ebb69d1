import type { Visit } from "../../pipeline/adapters/serve/visit.ts";

/** A visit of a page without data; `site` has what the page needs of it. */
export function newVisit(site: object = {}, path = "/"): Visit {
  const visit: Omit<Visit, "site"> & { readonly site: object } = {
    site: { settings: { flags: {}, config: { timezone: "UTC" } }, ...site },
    path,
    params: new URLSearchParams(),
    range: { since: "7d", until: "now" },
    isRangeChosen: false,
    display: { zone: "UTC" },
    facts: undefined,
    showsAllColumns: false,
    showsAllRows: false,
    gone: new AbortController().signal,
  };
  return visit as Visit;
}
