import { commandText } from "../../../base/command-line.ts";
import { UsageError } from "../../../base/errors.ts";
import { checkBase } from "../../../base/http/address.ts";
import { newTransport, type Transport, usualTransport } from "../../../base/http/transport.ts";
import type { Settings } from "../../../base/home/settings.ts";
import type { World } from "../../../base/world.ts";
import { newestPublication, type Publication } from "../publication.ts";
import { openStore } from "../open.ts";
import { refuseUnfit, type Trino } from "./client.ts";

/** An engine that answers, and the publication of the lake that it is asked of. */
export type OpenTrino = AsyncDisposable & {
  readonly trino: Trino;
  readonly transport: Transport;
  readonly publication: Publication;
};

/** The engine of the configuration; throws UsageError where there is none. */
export function trinoOf({ config, configFile }: Settings, { env }: World): Trino {
  const found = config.engines.trino;
  if (found === undefined)
    throw new UsageError(
      `no engine trino: ${configFile ?? "the configuration"} has no engines.trino; add "engines": {"trino": {"url": "https://trino.example"}}`,
    );
  const { password_env: passwordEnv, timeout, max_bytes: maxBytes, ...rest } = found;
  const password = passwordEnv === undefined ? undefined : env[passwordEnv];
  if (passwordEnv !== undefined && !password)
    throw new UsageError(`no password for the engine: ${passwordEnv} is not set; set it`);
  const url = checkBase(found.url, env, "engines.trino.url");
  return { ...rest, url, password, timeoutMs: timeout, maxBytes };
}

// The engine answers a request at once or says where to ask again.
const options = { ...usualTransport, maxAnswerBytes: 256 * 1024 * 1024 };

/** Opens the engine and reads which publication is the newest. Throws AuditlakeError where either is not to be had. */
export async function openTrino(settings: Settings, world: World): Promise<OpenTrino> {
  const trino = trinoOf(settings, world);
  const publication = await publicationOf(settings, world);
  const transport = newTransport(options, world);
  const close = async (): Promise<void> => transport[Symbol.asyncDispose]();
  try {
    await refuseUnfit(trino, transport);
    return { trino, transport, publication, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function publicationOf(settings: Settings, world: World): Promise<Publication> {
  await using store = await openStore(settings, world);
  const publication = await newestPublication(store);
  if (publication !== undefined && Object.keys(publication.tables).length > 0) return publication;
  throw new UsageError(
    `the lake ${store.place} holds no publication yet; run ${commandText("lake", "publish")} first`,
  );
}
