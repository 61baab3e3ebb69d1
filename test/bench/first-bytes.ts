import { spawn } from "node:child_process";
import { once } from "node:events";
import "../support/localhost.ts";
import { bin } from "./traffic.ts";

/** Seconds until the first byte of a page. */
export type FirstByte = { readonly path: string; readonly seconds: number };

/** Seconds until `serve` sends the first byte of each page; the second of two requests. */
export async function firstBytes(home: string, paths: readonly string[]): Promise<FirstByte[]> {
  const server = spawn(process.execPath, [bin, "--home", home, "serve"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [printed] = (await once(server.stdout, "data")) as [Buffer];
    const address = printed.toString().trim();
    const entered = await fetch(address, { redirect: "manual" });
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    const times: FirstByte[] = [];
    for (const path of paths) {
      const ask = (): Promise<number> => firstByte(new URL(path, address), cookie);
      await ask();
      times.push({ path, seconds: await ask() });
    }
    return times;
  } finally {
    server.kill("SIGINT");
  }
}

async function firstByte(url: URL, cookie: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url, { headers: { cookie } });
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}`);
  const reader = response.body!.getReader();
  await reader.read();
  const seconds = (performance.now() - start) / 1000;
  for (let isDone = false; !isDone;) ({ done: isDone } = await reader.read());
  return seconds;
}
