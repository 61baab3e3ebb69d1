import { UsageError } from "../../base/errors.ts";
import { newLog } from "../../base/terminal/log.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { newClient, type Client } from "./client.ts";
import { readKey } from "./key.ts";
import type { World } from "../../base/world.ts";

/** A client for a source as it is configured; throws UsageError where address or key is missing. */
export function clientOf(settings: Settings, source: NamedSource, world: World): Client {
  if (source.base_url === undefined)
    throw new UsageError(
      `source ${source.name} has no address; set AUDITLAKE_BASE_URL, or sources.${source.name}.base_url in the configuration`,
    );
  const key = readKey(source, settings.configFolder, world.env);
  return newClient(
    {
      baseUrl: source.base_url,
      authScheme: source.auth_scheme,
      key,
      sourceName: source.name,
      timeoutMs: source.limits.timeout,
      maxPageBytes: source.limits.max_page_bytes,
      maxAttempts: source.limits.max_attempts,
      log: newLog(settings.flags.logLevel, [key], world),
    },
    world,
  );
}
