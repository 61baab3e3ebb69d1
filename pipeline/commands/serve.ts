import { serve as listen } from "@hono/node-server";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Command, InvalidArgumentError, Option } from "commander";
import { AuditlakeError, isCode } from "../errors.ts";
import { newApp } from "../serve/app.ts";
import { hostsOf } from "../serve/guard.ts";
import { poolOf } from "../serve/pool.ts";
import { readSettings, type Settings } from "../home/settings.ts";
import { requirePublished } from "../home/published.ts";
import type { World } from "../world.ts";
import { reportsFor } from "../report/queries-folder.ts";
import { type SiteFlags, siteOf } from "./serve/site.ts";
import { questionTime } from "./flag-values.ts";
import { interrupted } from "../terminal/interrupt.ts";
import { withQueries } from "./output-flags.ts";

type Flags = SiteFlags & { readonly port: number };

/** Registers `serve`. */
export function serve(program: Command, world: World): void {
  withQueries(program.command("serve"))
    .description("look at the published data in a browser: events, reports, access, SQL")
    .option("--port <port>", "port on the loopback address; 0 takes a free one", toPort, 0)
    .addOption(
      new Option("--timeout <duration>", "time that a question may take")
        .argParser(questionTime)
        .default(30_000, "30s"),
    )
    .addHelpText(
      "after",
      `
It answers on the loopback address alone, to whoever has the address that it prints. From another machine:
  ssh -L 8080:127.0.0.1:8080 host, and auditlake serve --port 8080 there

Examples:
  auditlake serve
  auditlake serve --port 8080 --queries queries`,
    )
    .action(async (flags: Flags, command: Command) => {
      await run(readSettings(command.optsWithGlobals(), world), flags, world);
    });
}

async function run(settings: Settings, flags: Flags, world: World): Promise<void> {
  requirePublished(settings.home.published);
  // A folder that is none is refused before the first page, and so is a file in it that is no report.
  reportsFor(settings, flags, world);
  await using pool = poolOf(settings);
  const token = randomBytes(24).toString("hex");
  const hosts: string[] = [];
  const app = newApp(siteOf(settings, flags, pool, world), { token, hosts });
  const server = listen({ fetch: app.fetch, hostname: "127.0.0.1", port: flags.port });
  try {
    await listening(server);
    server.on("error", ({ message }: Error) => world.stderr.write(`warning: ${message}\n`));
    const { port } = server.address() as AddressInfo;
    hosts.push(...hostsOf(port));
    world.stdout.write(`http://127.0.0.1:${port}/?token=${token}\n`);
    world.stderr.write("open this address in a browser; Ctrl-C ends it\n");
    await interrupted(world);
  } finally {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
}

async function listening(server: ReturnType<typeof listen>): Promise<void> {
  await once(server, "listening").catch((error: unknown) => {
    if (!isCode(error, "EADDRINUSE") && !isCode(error, "EACCES")) throw error;
    const why = isCode(error, "EADDRINUSE") ? "is in use" : "may not be opened by this user";
    throw new AuditlakeError(`the port ${why} on 127.0.0.1: choose another with --port`);
  });
}

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}
