import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { getEntryPath } from "../../base/home/assets.ts";
import { loadLanguage } from "./language.ts";
import { readText } from "./read-statements.ts";
import { readLines } from "../sandbox/row-lines.ts";
import { answerDescriptor } from "../sandbox/protocol.ts";
import type { Question } from "./protocol.ts";
import type { WatchedTime } from "./watch.ts";

// Entry point of the process that parses query texts: started by `process.ts`, never imported. Faults of the grammar
// stay in this process.
process.on("SIGINT", () => undefined);
process.on("SIGUSR1", () => undefined);

const textMs = 1000;
const started = new BigInt64Array(new SharedArrayBuffer(8));
const watched: WatchedTime = { started, limitMs: textMs };
new Worker(getEntryPath("pipeline/core/query-texts/watch"), { workerData: watched }).unref();

const answers = new Socket({ fd: answerDescriptor, readable: false, writable: true });
const print = (answer: object): void => void answers.write(`${JSON.stringify(answer)}\n`);
const languages = { trino: await loadLanguage("trino"), hive: await loadLanguage("hive") };
// The first text of a grammar takes many times as long as the next, so it is one without a waiting caller.
const sample =
  "with a as (select b, count(*) as c from d.e where f = 'g' group by b) select * from a join h on i = j";
readText(sample, "trino", languages);
readText(sample, "hive", languages);
print({ ready: true });
for await (const lines of readLines(process.stdin))
  for (const line of lines) {
    const { text, dialect } = JSON.parse(line) as Question;
    const { user, system } = process.cpuUsage();
    Atomics.store(started, 0, BigInt(user + system));
    const reading = readText(text, dialect, languages);
    Atomics.store(started, 0, 0n);
    print(reading);
  }
process.exit(0);
