import { notify, warning } from "../base/notice/notice.ts";
import { randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import { newApp } from "../adapters/serve/app.ts";
import { hostOf, listenOnLoopback } from "../adapters/serve/loopback.ts";
import { poolOf } from "../adapters/serve/pool.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import { requirePublished } from "../base/home/published.ts";
import type { World } from "../base/world.ts";
import { reportsFor } from "../answers/report/find.ts";
import { type SiteFlags, siteOf } from "./serve/site.ts";
import { questionTime } from "./flag-values.ts";
import { interrupted } from "../base/terminal/interrupt.ts";
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
It answers on the loopback addresses alone, under a name of its own below localhost, and only with the token in the
printed address. From another machine:
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
  const door = { token: randomBytes(24).toString("hex"), host: "" };
  using listening = await listenOnLoopback(
    newApp(siteOf(settings, flags, pool, world), door),
    flags.port,
  );
  listening.onError((message) => notify(world, warning("text", { text: `${message}` })));
  door.host = hostOf(randomBytes(8).toString("hex"), listening.port);
  world.stdout.write(`http://${door.host}/?token=${door.token}\n`);
  world.stderr.write("open this address in a browser; Ctrl-C ends it\n");
  await interrupted(world);
}

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}
