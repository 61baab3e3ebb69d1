import type { Player } from "../bed.ts";
import { cellText, jsonText, type Spelling } from "./spelling.ts";
import { fieldNames, type Record, type Value } from "./values.ts";

/** A service that has records and writes them in the notation of each moment. */
export function spell(
  records: readonly Record[],
  spelling: () => Spelling,
  nowMs: () => number,
): Player {
  return (url, response) => {
    const how = spelling();
    const number = (name: string): number => Number(url.searchParams.get(name));
    const held = records.filter((record) => {
      const second = Math.floor(getTime(record) / 1000);
      return second >= number("from") && second < number("to");
    });
    const start = (number("page") - 1) * how.pageSize;
    const [type, text] = write(held.slice(start, start + how.pageSize), how);
    response.setHeader("Date", new Date(nowMs()).toUTCString());
    response.writeHead(200, { "Content-Type": type }).end(text);
  };
}

/** The moment of a record, milliseconds. */
export function getTime(record: Record): number {
  const time = record.get("time")!;
  return time.is === "time" ? time.ms : NaN;
}

function write(records: readonly Record[], how: Spelling): [type: string, text: string] {
  if (how.shape === "csv") return ["text/csv", csvText(records, how)];
  const objects = records.map((record) => objectText(record, how));
  if (how.shape === "ndjson")
    return ["application/x-ndjson", objects.map((object) => `${object}\n`).join("")];
  const array = `[${objects.join(",")}]`;
  return ["application/json", how.shape === "array" ? array : `{"audits":${array}}`];
}

function objectText(record: Record, how: Spelling): string {
  const entries = [...record].flatMap(([name, value]): [string, string][] => {
    const text = jsonText(value, how);
    return text === undefined ? [] : [[name, text]];
  });
  if (how.more !== undefined) entries.push(["brand_new_field", JSON.stringify(how.more)]);
  return `{${inOrder(entries, how)
    .map(([name, text]) => `"${name}":${text}`)
    .join(",")}}`;
}

function csvText(records: readonly Record[], how: Spelling): string {
  const more = how.more === undefined ? [] : [["brand_new_field", ""] as [string, string]];
  const names = inOrder([...fieldNames.map((name): [string, string] => [name, ""]), ...more], how);
  const nothing: Value = { is: "nothing" };
  const rows = records.map((record) =>
    names.map(([name]) =>
      name === "brand_new_field"
        ? JSON.stringify(how.more)
        : cellText(record.get(name) ?? nothing, how),
    ),
  );
  const lines = [names.map(([name]) => name), ...rows].map((row) => row.map(quotedCell).join(","));
  return `${lines.join("\n")}\n`;
}

function quotedCell(text: string): string {
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function inOrder(entries: [string, string][], { keys }: Spelling): [string, string][] {
  if (keys === "reversed") return [...entries].reverse();
  return keys === "by_name" ? [...entries].sort(([a], [b]) => (a < b ? -1 : 1)) : entries;
}
