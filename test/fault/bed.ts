import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { newRandom } from "../../fixtures/random.ts";
import { ingestWindows } from "../../pipeline/core/ingest/ingest-windows.ts";
import type { Report } from "../../pipeline/core/ingest/report.ts";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { openClient } from "../../pipeline/core/source/client.ts";
import type { Writer } from "../../pipeline/core/writer/open.ts";
import { withWriter } from "../../pipeline/core/session/write.ts";
import type { NamedSource, Settings } from "../../pipeline/base/home/settings.ts";
import { configSchema, type SourceConfig } from "../../schemas/config.ts";
import { putWarehouse } from "../support/empty-warehouse.ts";
import { testKey } from "../support/key.ts";
import { temporaryFolder } from "../support/load.ts";
import { testWorld } from "../support/world.ts";
import { listen } from "./sources/service.ts";
import { buildQuery, type Query } from "./store.ts";

/** Answers the requests for the audit log of one source. */
export type Player = (url: URL, response: ServerResponse, request: IncomingMessage) => void;

/**
 * A home that stays open while many small sources are read into it, and a server that plays all of them. Opening and
 * publishing cost more than reading a small source.
 */
export type Bed = {
  /** Who answers for a source, by its name. */
  readonly players: Map<string, Player>;
  /** Queries the present warehouse. */
  readonly ask: Query;
  /** One run of ingest at a moment of our clock; chance follows from the name and the moment. */
  readonly ingest: (name: string, source: SourceConfig, nowMs: number) => Promise<Report>;
};

/** Lets `work` use a new bed; `after` sees its published home, before everything is removed. */
export async function inBed<T>(
  work: (bed: Bed) => Promise<T>,
  after: (home: string) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const { path, remove } = temporaryFolder();
  try {
    const settings = settingsAt(path);
    const players = new Map<string, Player>();
    await using server = await listen((request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      const [, name = "", ...rest] = url.pathname.split("/");
      const player = players.get(name);
      if (player === undefined || rest.join("/") !== "v4/audits")
        return void response.writeHead(404).end();
      player(url, response, request);
    });
    await putWarehouse(settings.home.root);
    const worked = await withWriter(settings, testWorld(), "ingest", (writer) => {
      const ingest: Bed["ingest"] = (name, source, nowMs) =>
        ingestOnce(
          settings,
          writer,
          { ...source, name, base_url: `${server.origin}/${name}` },
          nowMs,
        );
      return work({ players, ask: buildQuery(writer.database), ingest });
    });
    await after(settings.home.root);
    return worked;
  } finally {
    remove();
  }
}

/** The settings of a source from the part of the configuration file that describes it. */
export function buildSource(described: object): SourceConfig {
  return configSchema.parse({ sources: { simulated: described } }).sources["simulated"]!;
}

async function ingestOnce(
  settings: Settings,
  writer: Writer,
  source: NamedSource,
  nowMs: number,
): Promise<Report> {
  const { name } = source;
  const world = testWorld({
    env: { AUDITLAKE_API_KEY: testKey },
    now: () => nowMs,
    random: newRandom(nowMs, `chance of ${name}`).next,
  });
  // Separate landing pages: a run checks all of them for leftovers of earlier runs.
  const landing = join(settings.home.landing, name);
  const own = { ...settings, home: { ...settings.home, landing } };
  const client = openClient(own, source, world);
  try {
    return await ingestWindows({
      settings: own,
      source,
      backfill: undefined,
      writer,
      client,
      world,
    });
  } finally {
    await client[Symbol.asyncDispose]();
  }
}

/** The settings of a home below a folder, whose database takes little of the machine. */
export function settingsAt(path: string): Settings {
  const config = configSchema.parse({ threads: 1, memory_limit: "300MB" });
  const flags = { logLevel: "silent", progress: "none", quiet: true } as const;
  return {
    home: resolveHome(`${path}/home`),
    config,
    configFile: undefined,
    configFolder: path,
    flags,
  };
}
