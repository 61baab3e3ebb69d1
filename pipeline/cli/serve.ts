import { notify, warning } from "../base/notice/notice.ts";
import { randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import { newApp } from "../adapters/serve/app.ts";
import { newFormTokens } from "../adapters/serve/form-token.ts";
import { type Listening, listenOn, listenOnLoopback } from "../adapters/serve/listen.ts";
import { chooseHost, newLoopbackDoor } from "../adapters/serve/loopback.ts";
import { newSharedReads } from "../adapters/serve/shared-reads.ts";
import { newAddressCheck, newProxyDoor } from "../adapters/serve/proxy.ts";
import { newStatements, type Pool, openPool, shareMemory } from "../adapters/serve/pool.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import { requirePublished } from "../base/home/published.ts";
import type { World } from "../base/world.ts";
import {
  findReports,
  type FoundReports,
  findAllReports,
  type QueriesFlag,
  findQueriesFolder,
  listReports,
} from "../base/report/find.ts";
import { questionTime } from "./flag-values.ts";
import { awaitInterrupt } from "../base/terminal/confirm.ts";
import { withQueries } from "./output-flags.ts";
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { getAssetPath, readAsset } from "../base/home/assets.ts";
import { getMessage, UsageError } from "../base/errors.ts";
import { findKnownCatalog } from "../core/writer/catalog.ts";
import { newInquiryLog, type Site } from "../adapters/serve/site.ts";

type Flags = SiteFlags & { readonly port: number; readonly listen?: ListenAddress };

type ListenAddress = { readonly address: string; readonly port: number };

/** Registers `serve`. */
export function serve(program: Command, world: World): void {
  withQueries(program.command("serve"))
    .description("open the published data in a browser: events, reports, access, SQL")
    .option("--port <port>", "port on the loopback address; 0 chooses a free one", toPort, 0)
    .addOption(
      new Option(
        "--listen <address:port>",
        "address to listen on, behind a proxy that authenticates",
      )
        .argParser(toListenAddress)
        .conflicts("port"),
    )
    .addOption(
      new Option("--timeout <duration>", "time limit per query")
        .argParser(questionTime)
        .default(30_000, "30s"),
    )
    .addHelpText(
      "after",
      `
Listens on the loopback addresses, under a random name below localhost, and requires the token in the printed
address. From another machine:
  ssh -L 8080:127.0.0.1:8080 host, and auditlake serve --port 8080 there
For a team, --listen behind a TLS proxy with serve.user_header, trusted_proxies and base_url in the configuration.

Examples:
  auditlake serve
  auditlake serve --port 8080 --queries queries
  auditlake serve --listen 0.0.0.0:8080`,
    )
    .action(async (flags: Flags, command: Command) => {
      await run(readSettings(command.optsWithGlobals(), world), flags, world);
    });
}

async function run(settings: Settings, flags: Flags, world: World): Promise<void> {
  const { published } = settings.home;
  if (existsSync(published)) requirePublished(published);
  // Rejects a missing folder and invalid report files before the first page.
  listReports(settings, flags, world);
  await using pool = openPool(settings);
  const site = buildSite(settings, flags, pool, world);
  const { listen } = flags;
  const isShared = listen !== undefined && !isPlainLoopback(listen, settings);
  using listening = await (isShared
    ? listenForProxy(site, listen, settings, world)
    : listenForBrowser(site, listen?.port ?? flags.port, world));
  listening.onError((why) => notify(world, warning("server_fault", { why })));
  await awaitInterrupt(world);
}

async function listenForBrowser(site: Site, port: number, world: World): Promise<Listening> {
  const token = randomBytes(24).toString("hex");
  const door = newLoopbackDoor(token);
  const listening = await listenOnLoopback(newApp(site, door), port);
  door.open(chooseHost(randomBytes(8).toString("hex"), listening.port));
  world.stdout.write(`${door.origin}/?token=${token}\n`);
  world.stderr.write("open this address in a browser; Ctrl-C ends it\n");
  return listening;
}

async function listenForProxy(
  site: Site,
  { address, port }: ListenAddress,
  { config }: Settings,
  world: World,
): Promise<Listening> {
  const door = newProxyDoor(config.serve);
  const listening = await listenOn(newApp(site, door), address, port);
  world.stdout.write(`${door.origin}/\n`);
  world.stderr.write(
    `listening on ${address} port ${listening.port} for the proxy of this address; Ctrl-C ends it\n`,
  );
  return listening;
}

const isLoopback = newAddressCheck(["127.0.0.0/8", "::1"]);

// Without a proxy in the configuration a loopback address is served as --port serves it.
function isPlainLoopback({ address }: ListenAddress, { config: { serve } }: Settings): boolean {
  return (
    isLoopback(address) && serve.user_header === undefined && serve.trusted_proxies.length === 0
  );
}

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}

function toListenAddress(text: string): ListenAddress {
  const [, bare, bracketed, port = ""] = /^(?:([^:[\]]+)|\[([^\]]+)\]):(\d{1,5})$/.exec(text) ?? [];
  const address = bare ?? bracketed ?? "";
  if (isIP(address) === (bare === undefined ? 6 : 4) && Number(port) < 65_536)
    return { address, port: Number(port) };
  throw new InvalidArgumentError("Expected ADDRESS:PORT, such as 0.0.0.0:8080 or [::1]:8080.");
}

/** The flags of `serve` that its pages go by. */
type SiteFlags = QueriesFlag & { readonly timeout: number };

// Made by `make`, from editor.js and its library.
const editor = "pipeline/adapters/serve/editor.bundle.js";

/** What the pages are made from, over one home. */
function buildSite(settings: Settings, flags: SiteFlags, pool: Pool, world: World): Site {
  return {
    settings,
    world,
    pool,
    statements: newStatements(shareMemory(settings.config)),
    found: () => findReportsNow(settings, flags, world),
    queriesFolder: findQueriesFolder(settings, flags, world),
    catalog: async () => (await findKnownCatalog(settings)).catalog,
    forms: newFormTokens(world.now),
    share: newSharedReads(settings.home.published, world.now),
    asked: newInquiryLog(join(settings.home.root, "serve", "asked.ndjson"), world.now),
    editorScript: existsSync(getAssetPath(editor)) ? readAsset(editor) : undefined,
    timeoutMs: flags.timeout,
  };
}

// If the folder disappears while a user looks, the built-in reports remain.
function findReportsNow(settings: Settings, flags: SiteFlags, world: World): FoundReports {
  try {
    return findAllReports(settings, flags, world);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...findReports(), broken: [getMessage(error)] };
  }
}
