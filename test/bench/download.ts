import { closeSync, openSync, writeSync } from "node:fs";

// What a script does that downloads the log: days one after the other, page after page, a record a line. Arguments: the
// service's address, the first and the last moment in epoch seconds, the file.
const [, , url = "", from = "", to = "", file = ""] = process.argv;
const daySeconds = 86_400;
const headers = { authorization: "SVC1 bench" };
const out = openSync(file, "w");
for (let start = Number(from); start < Number(to); start += daySeconds)
  for (let page: number | null = 1; page !== null;) {
    const range: string = `from=${start}&to=${start + daySeconds}&page=${page}&per_page=1000`;
    const answer: Response = await fetch(`${url}/v4/audits?${range}`, { headers });
    const body = (await answer.json()) as { audits: unknown[]; next_page?: number | null };
    writeSync(out, body.audits.map((record) => `${JSON.stringify(record)}\n`).join(""));
    page = body.next_page ?? null;
  }
closeSync(out);
