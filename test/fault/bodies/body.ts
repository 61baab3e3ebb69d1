import { newRandom } from "../../../fixtures/random.ts";
import { makeTraffic } from "../../../fixtures/traffic.ts";
import { damaged } from "./damage.ts";

const dayMs = 86_400_000;
const from = Date.UTC(2026, 0, 5);
const traffic = makeTraffic({ seed: 3, from, to: from + dayMs, eventsPerDay: 300 });
const day = [...traffic.events()].map(({ record }) => record);

/** Records that a reader of JSON could stumble over. */
const odd = [
  { time: 1, old_value: { b: [1, { c: "}]" }], a: '{"x":1,"y":2}' }, shade: "red", größe: 1.5 },
  { time: "2", event_name: "\u001e\u0000", "a\tb": null, n: 2 ** 63 },
  { time: 3, event_name: "line\nbreak", query_text: "select 1, '\u{1f600}'" },
];

const forms = {
  array: (records: readonly object[]) => JSON.stringify(records),
  pretty: (records: readonly object[]) => JSON.stringify(records, null, 1),
  envelope: (records: readonly object[]) =>
    JSON.stringify({ count: records.length, audits: records, next_page: null }),
  lines: (records: readonly object[]) =>
    records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  csv: () => 'time,event_name,a\n1,"x, ""y""",é\n2,"a\r\nb",\n3,,c\n4,"",d\n',
};

/** The body of a page, damaged in up to three places; the same for the same seed. */
export function damagedBody(seed: number): { readonly form: string; readonly bytes: Buffer } {
  const random = newRandom(seed, "body");
  const form = random.pick(["array", "pretty", "envelope", "lines", "csv"] as const);
  const start = random.int(0, day.length - 5);
  const records = [random.pick(odd), ...day.slice(start, start + random.int(0, 5))];
  return { form, bytes: damaged(Buffer.from(forms[form](records)), seed) };
}
