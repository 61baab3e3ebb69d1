import { dirname, resolve } from "node:path";
import { writtenAudits } from "../doctor/paging-found.ts";
import { homeAt } from "../../base/home/layout.ts";
import type { GlobalFlags, NamedSource, Settings } from "../../base/home/settings.ts";
import type { Findings } from "../../core/source/discovery/investigate.ts";
import type { World } from "../../base/world.ts";
import type { Answers, InitFlags } from "./answers.ts";
import { checked, withSource, type Content } from "./config-file.ts";

/** What a new source is made of. */
export type Setup = {
  readonly flags: InitFlags;
  readonly global: GlobalFlags;
  readonly path: string;
  readonly content: Content;
  readonly answers: Answers;
};

/** The file with the new source and its job; `found` is how its service pages, where that is known. */
export function contentWith(
  { flags, global, path, content, answers }: Setup,
  found: Findings | undefined,
): Content {
  const { name, baseUrl, key, authScheme, retention, window, cron } = answers;
  const source = {
    base_url: baseUrl,
    ...placed(key, path),
    ...(authScheme === "SVC1" ? {} : { auth_scheme: authScheme }),
    ...(retention === undefined ? {} : { retention }),
    ...(window === "1d" ? {} : { window }),
    ...(flags.confirm ? { confirm: true } : {}),
    ...(found?.audits === undefined ? {} : { audits: writtenAudits(found.audits) }),
  };
  const job = { cron, timezone: "UTC", ingest: { source: name } };
  return withSource(
    content,
    { home: global.home && resolve(global.home), source: [name, source], job: ["ingest", job] },
    path,
  );
}

// The configuration reads paths from its own folder, the person wrote this one from where they stand.
function placed(key: Answers["key"], path: string): Answers["key"] {
  if (!("api_key_file" in key) || dirname(path) === process.cwd()) return key;
  return { api_key_file: resolve(key.api_key_file) };
}

/** The settings that the file would give. */
export function settingsOf(setup: Setup, found: Findings | undefined, world: World): Settings {
  const { global, path, answers } = setup;
  const config = checked(contentWith(setup, found), path);
  const home = global.home ?? world.env["AUDITLAKE_HOME"] ?? config.home ?? "auditlake";
  const flags = { ...global, source: answers.name };
  return { home: homeAt(home), config, configFile: path, configFolder: dirname(path), flags };
}

/** The new source, as the settings have it. */
export function namedIn({ config }: Settings, { name }: Answers): NamedSource {
  return { ...config.sources[name]!, name };
}
