import { BIGINT, VARCHAR } from "@duckdb/node-api";
import { readAsset } from "../assets.ts";
import { html, type Markup } from "../html/markup.ts";
import { htmlTable, type Leads } from "../html/table.ts";
import { runStatement, type Statement } from "../report/run.ts";
import type { Row, Rows } from "../rows/row.ts";
import { parseMoment } from "../times.ts";
import { ask } from "./ask.ts";
import { field, sitePage } from "./layout.ts";
import { leadsWithin } from "./leads.ts";
import type { Site } from "./site.ts";

/** What a search may name; an empty text asks for nothing of the kind. */
export type Query = Readonly<Record<string, string>>;

const rowsOfPage = 100;
const fields = [
  ["since", "From", "7d"],
  ["until", "Until", "now"],
  ["person", "Person", "e-mail or user id"],
  ["address", "Address", "203.0.113.7"],
  ["event", "Event", "query_run"],
  ["object", "Object", "id, name or table"],
  ["outcome", "Outcome", "succeeded, denied, failed"],
  ["text", "Text", "in names, paths, values, query texts"],
] as const;

/** The events that fit a search, the newest first, a page at a time. */
export async function eventsPage(site: Site, query: Query, gone: AbortSignal): Promise<string> {
  const asked = settled(query);
  const { columns, rows } = await found(site, asked, gone);
  const shown = rows.slice(0, rowsOfPage);
  const { since, until } = asked;
  const within = leadsWithin({ since: since!, until: until! });
  const keyAt = columns.findIndex(({ name }) => name === "event_key");
  const leads: Leads = (column, cell, row) =>
    column.name === "event_time" ? `/events/${String(row[keyAt])}` : within(column, cell, row);
  return sitePage(
    "Events",
    html`${form(asked)} ${timelinesOf(asked)}
    ${
      shown.length === 0
        ? html`<p>No events fit.</p>`
        : htmlTable(columns.slice(0, keyAt), shown, "Events that fit, the newest first", leads)
    }
    ${rows.length > rowsOfPage ? older(asked, columns, shown.at(-1)!) : null}`,
  );
}

function settled(query: Query): Record<string, string> {
  const { since = "7d", until = "now", ...others } = query;
  const given = Object.entries(others).filter(([, text]) => text !== "");
  return { since: since || "7d", until: until || "now", ...Object.fromEntries(given) };
}

function form(asked: Query): Markup {
  return html`<form action="/events" class="fields">
    ${fields.map(([name, label, hint]) => field(name, label, asked[name] ?? "", hint))}
    <button>Search</button>
  </form>`;
}

// What a search names has a timeline of its own, with changes of rights, jobs, first times and sessions.
const timelines = [
  ["person", "user"],
  ["address", "address"],
  ["object", "resource"],
] as const;

function timelinesOf(asked: Query): Markup[] {
  const { since = "", until = "" } = asked;
  return timelines.flatMap(([name, kind]) => {
    const subject = asked[name];
    if (subject === undefined) return [];
    const address = new URLSearchParams({ [kind]: subject, since, until }).toString();
    return [html`<p><a href="/reports/${kind}_timeline?${address}">Timeline of ${subject}</a></p>`];
  });
}

// Newer events that come meanwhile move nothing: the next page begins below the last event of this one.
function older(asked: Query, columns: Rows["columns"], last: Row): Markup {
  const at = (name: string): string => String(last[columns.findIndex((c) => c.name === name)]);
  const place = { below_time: at("event_time"), below_key: at("event_key") };
  const address = new URLSearchParams({ ...asked, ...place }).toString();
  return html`<p><a href="/events?${address}">Older events</a></p>`;
}

async function found(
  site: Site,
  asked: Query,
  gone: AbortSignal,
): Promise<{ columns: Rows["columns"]; rows: Row[] }> {
  const statement = { sql: readAsset("queries/serve/events.sql"), values: valuesOf(site, asked) };
  site.asked.add("events", new URLSearchParams(asked).toString());
  return ask(site, gone, async (connection, signal) => {
    const { columns, batches } = await runStatement(connection, statement, signal);
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    return { columns, rows };
  });
}

function valuesOf({ world }: Site, asked: Query): Statement["values"] {
  const nowMs = world.now();
  const moment = (text: string): string => new Date(parseMoment(text, nowMs)).toISOString();
  const names = ["person", "address", "event", "object", "outcome", "text", "below_key"];
  const texts = names.map((name) => [name, asked[name] ?? null] as const);
  const times = [
    ["since", moment(asked["since"]!)],
    ["until", moment(asked["until"]!)],
    ["below_time", asked["below_time"] === undefined ? null : moment(asked["below_time"])],
  ] as const;
  const values = [...texts, ...times].map(
    ([name, value]) => [name, { type: VARCHAR, value }] as const,
  );
  return {
    ...Object.fromEntries(values),
    most: { type: BIGINT, value: BigInt(rowsOfPage + 1) },
  };
}
