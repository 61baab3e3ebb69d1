import { it } from "vitest";
import { newHome } from "./support/home.ts";
const time = 1767225600;
const show = async (what: string, make: () => Buffer | string) => {
  using home = newHome();
  const t = performance.now();
  const r = await home.run(["import", home.write("x.ndjson", make())]);
  console.log(what, r.code, r.err.trim().slice(0,300), Math.round(performance.now() - t), "ms");
  if (r.code === 0) {
  console.log(JSON.stringify(await home.rows("select event_name, length(query_text) l, left(old_value,30) o, left(extra::varchar,60) e from events order by 1")));
  console.log(JSON.stringify(await home.rows("select reason, length(record_text) l, left(record_text,60) t from quarantine order by 1,2")));}
};
it("x", async () => {
  const good = `{"time":${time},"event_name":"good"}\n`;
  await show("invalid utf8 value", () => Buffer.concat([Buffer.from(good), Buffer.from(`{"time":${time},"event_name":"bad","old_value":"a`), Buffer.from([0xff, 0xfe]), Buffer.from(`b"}\n`), Buffer.from(good.replace("good","good2"))]));
  await show("invalid utf8 key", () => Buffer.concat([Buffer.from(good), Buffer.from(`{"time":${time},"event_name":"bad","k`), Buffer.from([0xff, 0xfe]), Buffer.from(`b":1}\n`)]));
  await show("latin1", () => Buffer.from(good + `{"time":${time},"event_name":"bad","old_value":"ä"}\n`, "latin1"));
  await show("overlong utf8", () => Buffer.concat([Buffer.from(good), Buffer.from(`{"time":${time},"event_name":"bad","old_value":"a`), Buffer.from([0xc0, 0x80]), Buffer.from(`b"}\n`)]));
  await show("utf16", () => Buffer.from("\uFEFF" + good, "utf16le"));
  await show("1MB query", () => good + JSON.stringify({ time, event_name: "big", query_text: "select 1 -- {ä}\n".repeat(70000) }) + "\n");
  await show("15MB + bad", () => good + JSON.stringify({ time, event_name: "big", query_text: "x".repeat(15_000_000) }) + "\n" + '{"time":"never","event_name":"x","resource_id":{"a":1,"b":2},"extra_thing":{"c":1}}\n');
  await show("16MB+1 ", () => good + JSON.stringify({ time, event_name: "big", query_text: "x".repeat(16*1024*1024) }) + "\n" );
  await show("15.9MB escaped newlines", () => good + JSON.stringify({ time, event_name: "big", query_text: "\n{".repeat(5_300_000) }) + "\n" + good);
  await show("50MB", () => good + JSON.stringify({ time, event_name: "big", query_text: "x".repeat(50_000_000) }) + "\n");
  await show("50MB in array", () => "[" + good + "," + JSON.stringify({ time, event_name: "big", query_text: "x".repeat(50_000_000) }) + "]");
  await show("ten 10MB", () => good + Array.from({length:10},(_,i)=>JSON.stringify({ time, event_name: "big"+i, query_text: "y,{}".repeat(2_500_000) })).join("\n"));
  await show("ten 10MB and one bad", () => good + Array.from({length:10},(_,i)=>JSON.stringify({ time, event_name: "big"+i, query_text: "y,{}".repeat(2_500_000) })).join("\n")+'\n{"time":"never"}');
  await show("bad 15MB", () => good + JSON.stringify({ time:"never", event_name: "big", query_text: "x".repeat(15_000_000) }) + "\n");
}, 600000);
