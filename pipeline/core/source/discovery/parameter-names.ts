// Names under which services take windows, sizes and positions, the likeliest first. Seed 001 shows none of
// them for `GET /v4/audits`, so they are tried.

export const windowPairs: readonly (readonly [from: string, to: string])[] = [
  ["from", "to"],
  ["start", "end"],
  ["since", "until"],
  ["start_time", "end_time"],
  ["from_time", "to_time"],
  ["after", "before"],
  ["start_date", "end_date"],
  ["from_date", "to_date"],
  ["startTime", "endTime"],
  ["created_after", "created_before"],
  ["startDate", "endDate"],
  ["min_time", "max_time"],
];

export const sizeNames: readonly string[] = [
  "per_page",
  "limit",
  "page_size",
  "size",
  "pageSize",
  "perPage",
  "max_results",
  "maxResults",
  "count",
  "top",
  "take",
  "batch_size",
];

export const pageNames: readonly string[] = [
  "page",
  "page_number",
  "pageNumber",
  "page_no",
  "p",
  "page_index",
  "pageIndex",
];

export const offsetNames: readonly string[] = [
  "offset",
  "skip",
  "start_index",
  "startIndex",
  "start_at",
  "startAt",
  "from_index",
];

export const cursorNames: readonly string[] = [
  "cursor",
  "page_token",
  "pageToken",
  "next_token",
  "nextToken",
  "token",
  "after",
  "continuation",
  "continuation_token",
  "marker",
  "scroll_id",
  "page",
  "starting_after",
  "bookmark",
];

/** Keys of an envelope that name the next page. */
export const nextKey = /next|cursor|continu|after|marker|scroll|bookmark|token|more/i;

/** Totals that are known by their names at the top of the body. */
export const totalNames: readonly string[] = [
  "total",
  "total_count",
  "total_records",
  "total_results",
];
