import { it } from "vitest";
import { newHome } from "./support/home.ts";
it("x", async () => {
  using home = newHome();
  const times: unknown[] = [1767225600, "1767225600", 1767225600.5, "1767225600.123456", "1767225600.1234567", 1767225600123, "1767225600123", "1767225600123.5", 1767225600123456, "2026-01-01", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00", "2026-01-01 10:00:00","2026-01-01 10:00:00 UTC","2026-01-01 10:00:00UTC","2026-01-01T10:00:00+09:00","2026-01-01T10:00:00-0500","2026-01-01 10:00:00 -0500","2026-01-01 10:00:00 +09:00","2026-01-01T10:00:00.123Z","2026-01-01T10:00:00.123456789Z","2026-01-01t10:00:00z","2026-01-01T10:00Z","2026-01-01T10:00", "soon","epoch","infinity","-infinity","now","today","",null,0,"0",-1,-5000,1e9,"1e9","1.5e9",true,false,[1],{"a":1},"99999999999","0x10","２０２６"," 1767225600 ","1767225600 ", "2026-02-30","2026-13-01","9999-01-01","1969-12-31","1970-01-01","2199-12-31T23:59:59Z","2200-01-01","2026-01-01T24:00:00Z","2026-01-01T10:00:60Z","26-01-01","2026/01/01","01/02/2026","Thu Jan 01 2026","2026-01-01T10:00:00 Europe/Paris","2026-01-01T10:00:00+09","20260101T100000Z","2026-01-01 (BC)", "2026-W01-1", 1.7672256e9, 17672256000000000000000, "1767225600,5", "+1767225600","1_767_225_600", "-0", 1e308, "NaN"];
  const recs = times.map((t, i) => ({ time: t, event_name: "e", session_id: String(i) }));
  const r = await home.load([...recs, '{"time":1e400,"event_name":"e"}','{"time":1767225600.0,"event_name":"zz","session_id":"0"}']);
  console.log(r.code, r.err);
  const ok = await home.rows("select session_id, event_time from events order by session_id::int");
  const q = await home.rows("select reason, record_text from quarantine order by 1,2");
  console.log(ok.map((x) => JSON.stringify(times[Number(x["session_id"])]) + " -> " + x["event_time"]).join("\n"));
  console.log(q.map((x) => x["reason"] + " " + x["record_text"]).join("\n"));
});
