import "./localhost.ts";
import { PassThrough } from "node:stream";
import type { TestHome } from "./home.ts";

/** Requests to a running `serve`. */
export type Requests = {
  /** Asks for a path as a browser does that has the token; a body makes it a form that is sent. */
  readonly get: (
    path: string,
    form?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) => Promise<Response>;
  readonly text: (path: string, form?: Readonly<Record<string, string>>) => Promise<string>;
};

/** A running `serve` on a home; `await using` ends it. */
export type Served = AsyncDisposable &
  Requests & {
    /** The address that it printed, with the token. */
    readonly address: string;
  };

/** Starts `serve` on a free port. */
export async function serving(home: TestHome, ...argv: string[]): Promise<Served> {
  const controller = new AbortController();
  const stdout = new PassThrough();
  const done = home.run(["serve", ...argv], { stdout, signal: controller.signal });
  const printed = new Promise<string>((resolve) =>
    stdout.once("data", (part: Buffer) => resolve(part.toString().trim())),
  );
  const ended = done.then(({ err }) => Promise.reject(new Error(`serve ended: ${err}`)));
  const address = await Promise.race([printed, ended]);
  ended.catch(() => undefined);
  return {
    address,
    ...(await enter(address)),
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await done;
    },
  };
}

/** Opens the address that `serve` printed. */
export async function enter(address: string): Promise<Requests> {
  const { origin } = new URL(address);
  const entered = await fetch(address, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const get: Requests["get"] = (path, form, signal) =>
    fetch(origin + path, {
      ...(signal && { signal }),
      redirect: "manual",
      headers: form === undefined ? { cookie } : { cookie, origin },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
  return { get, text: async (path, form) => (await get(path, form)).text() };
}

/** Reads the token of the form that saves a statement as a report. */
export async function readSaveToken(served: Served): Promise<string> {
  const page = await served.text("/sql?edit=1&sql=select+1");
  const [, form = ""] = /action="\/sql\/save"([^]*?)<\/form>/.exec(page) ?? [];
  return /name="token" value="([^"]+)"/.exec(form)?.[1] ?? "";
}
