import { it } from "vitest";
import { newHome } from "./support/home.ts";
it("x", async () => {
  using home = newHome();
  const cases: (object | string)[] = [
    { user_id: 7 }, { user_id: "7" }, { user_id: "007" }, { user_id: 7.5 }, '{"time":1,"user_id":7.0}', { user_id: "x" }, '{"time":1,"user_id":9223372036854775807}', '{"time":1,"user_id":9223372036854775808}', '{"time":1,"user_id":-9223372036854775808}','{"time":1,"user_id":123456789012345678901234567890}',
    { user_id: true }, { user_id: [1] }, { user_id: { a: 1 } }, { user_id: "" }, { user_id: null }, { user_id: " 7" }, '{"time":1,"user_id":1e3}',
    { is_scheduled: true }, { is_scheduled: "false" }, { is_scheduled: 1 }, { is_scheduled: "TRUE" }, { is_scheduled: "yes" },
    { task_duration: 1.5 }, { task_duration: "2" }, { task_duration: "1e400" }, '{"time":1,"task_duration":1e400}', { task_duration: "inf" }, { task_duration: "NaN" }, { task_duration: "fast" },
    { scheduled_time: 1767225600 }, { scheduled_time: "2026-01-01T10:00:00+09:00" }, { scheduled_time: "later" }, { scheduled_time: {a:1, b:2} },
    { resource_id: 12 }, { resource_id: true }, { resource_id: [1, "2"] }, { resource_id: { b: 1, a: [1, { z: 1 }] } }, '{"time":1,"resource_id":12345678901234567890123}', '{"time":1,"resource_id":1.50}','{"time":1,"resource_id":1E5}',
    { old_value: "line\nbreak\r\n\ttab \u0000 nul \u001f \u007f \\ \" ' ; -- 🎉 ä \u2028" },
    '{"time":1,"old_value":"lone \\ud800 surrogate"}','{"time":1,"old_value":"pair \\ud83d\\ude00"}', '{"time":1,"old_value":"esc \\u00e4 \\/ \\b"}',
    { shade: "red", "other thing": 1, "a.b": [1, { c: null }], "quo\"te'": "x", "new\nline": 2, "": "empty", filename: "f", FileName: "g", USER_ID: 5, "nul\u0000key": 1, "; drop table event_rows; --": 1, "%s": null, "ünï": "ö", ["k".repeat(500)]: 1 },
    { shade: null }, { shade: "" }, { shade: {} }, { shade: [] }, { shade: { b: 1, a: 2 } },'{"time":1,"shade":12345678901234567890.10}',
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => ["field" + i, i])),
    { Event_Name: "y", event_name: "x" },
    '{"time":1,"a":{"time":5},"event_name":"nested"}',
    '{"time":1,"time":2}', '{"time":1,"x":1,"x":2}', '{"time":1,"auditlake:others":{}}', '{"time":1', '{"time":1}}', '{"time":1} {"time":2}', '[]', '"x"', '5', 'null', 'nonsense', '{"time":01}', "{'time':1}", '{"time":1,}', '{"time":1,"a":}', '{"time":1,"a":NaN}', '{"time":1,"a":tru}', '{"time":1,"a":"\x01"}', '{"time":1,"a":"bad \\x escape"}', '{"time":1,"a":"\\u12"}', '{"time":1,"a":-}', '{"time":1,"a":1.}', '{"time":1,"a":.5}', '{"time":1,"a":+5}','{"time":1,"a":0x1}','{"time":1 /* c */}', '{"time":1,"a":' + "[".repeat(2000) + "]".repeat(2000) + "}", '{"time":1,"user_id":tru}', '{"time":1,"user_id":[1}', '{"time":1,"resource_id":"x"y}','{}',
    "\uFEFF" + '{"time":1}',
  ];
  const lines = cases.map((c, i) => typeof c === "string" ? c.replace('{"time":1,', `{"time":1,"session_id":"${i}",`) : JSON.stringify({ time: 1767225600, session_id: String(i), event_name: "e", ...c }));
  const r = await home.load(lines);
  console.log(r.code, r.err);
  if (r.code) {
    // one by one
    for (const l of lines) { using h = newHome(); const q = await h.load([l]); if (q.code) console.log("FAIL", l.slice(0, 200), q.err); }
    return;
  }
  const ok = await home.rows("select session_id, user_id, is_scheduled, task_duration, scheduled_time, resource_id, old_value, event_name, extra from events order by session_id::int");
  console.log(ok.map((x) => lines[Number(x["session_id"])]!.slice(0,150) + "\n    -> " + JSON.stringify(Object.fromEntries(Object.entries(x).filter(([k, v]) => v !== null && k !== "session_id"))).slice(0, 900)).join("\n"));
  const q = await home.rows("select reason, record_text from quarantine order by 1,2");
  console.log(q.map((x) => x["reason"] + " " + String(x["record_text"]).slice(0, 200)).join("\n"));
  console.log(cases.length, ok.length, q.length);
}, 300000);
