import { spawn } from "node:child_process";
import { once } from "node:events";
import "../support/localhost.ts";
import { bin } from "./traffic.ts";

// Seconds that the overview takes with many readers at once, over the published file of a home. Options: home, number of
// readers (default 100), rounds (default 5), path (default /).
const [, , home = "auditlake", readers = "100", rounds = "5", path = "/"] = process.argv;

const server = spawn(process.execPath, [bin, "--home", home, "serve"], {
  stdio: ["ignore", "pipe", "ignore"],
});
try {
  const [printed] = (await once(server.stdout, "data")) as [Buffer];
  const address = printed.toString().trim();
  const entered = await fetch(address, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = async (): Promise<{ first: number; whole: number; isOk: boolean }> => {
    const start = performance.now();
    const response = await fetch(new URL(path, address), { headers: { cookie } });
    const reader = response.body!.getReader();
    let text = "";
    let first = 0;
    for (let isDone = false; !isDone;) {
      const { done, value } = await reader.read();
      first ||= performance.now() - start;
      isDone = done;
      text += value === undefined ? "" : Buffer.from(value).toString("latin1");
    }
    const isOk = response.ok && text.includes("</html>") && !text.includes('role="alert"');
    return { first: first / 1000, whole: (performance.now() - start) / 1000, isOk };
  };
  report("alone, first time", [await ask()]);
  for (let round = 1; round <= Number(rounds); round++)
    report(
      `${readers} readers, round ${round}`,
      await Promise.all(Array.from({ length: Number(readers) }, ask)),
    );
} finally {
  server.kill("SIGINT");
}

type Asked = { readonly first: number; readonly whole: number; readonly isOk: boolean };

function report(what: string, asked: readonly Asked[]): void {
  const at = (share: number, key: "first" | "whole"): string => {
    const sorted = asked.map((each) => each[key]).toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2);
  };
  const failed = asked.filter(({ isOk }) => !isOk).length;
  process.stdout.write(
    `${what}: first byte p95 ${at(0.95, "first")} s, whole page p50 ${at(0.5, "whole")} s, p95 ${at(0.95, "whole")} s, ${failed} failed\n`,
  );
}
