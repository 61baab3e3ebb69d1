import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { configSchema, type ConfigFile } from "../../../schemas/config.ts";
import { name as nameForm } from "../../../schemas/name.ts";
import { assetPath } from "../../base/home/assets.ts";
import { writeDurably } from "../../base/home/durable.ts";
import { readOwn } from "../../base/home/own-file.ts";
import { messageOf, UsageError } from "../../base/errors.ts";

/** The content of a configuration file as it was written. */
export type Content = Readonly<Record<string, unknown>>;

/** What stands in a file; a new one where there is none. Throws UsageError on what is no configuration. */
export function contentOf(path: string, how: "named" | "found"): Content {
  if (!existsSync(path)) return newContent();
  const bytes = how === "found" ? readOwn(path, "configuration") : readFileSync(path);
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    throw new UsageError(
      `${path} is there and is no JSON; mend it, or name another file with --config`,
    );
  }
  checked(content, path);
  return content as Content;
}

function newContent(): Content {
  const schema = assetPath("schemas/generated/config.schema.json");
  return existsSync(schema) ? { $schema: pathToFileURL(schema).href } : {};
}

/** Further content of the members that init adds to; a name that is taken is left as it is found. */
export type Added = {
  readonly home?: string | undefined;
  readonly source: readonly [name: string, source: object];
  readonly job: readonly [name: string, job: object];
};

/** The content with a new source and its job; all else stays. Throws UsageError where the source is in it already. */
export function withSource(content: Content, { home, source, job }: Added, path: string): Content {
  const sources = groupOf(content, "sources");
  if (Object.hasOwn(sources, source[0]))
    throw new UsageError(
      `source ${source[0]} is in ${path} already; choose another --name, or change it there`,
    );
  const schedule = groupOf(content, "schedule");
  const jobs = groupOf(schedule, "jobs");
  return {
    ...content,
    ...(home === undefined || "home" in content ? {} : { home }),
    sources: { ...sources, [source[0]]: source[1] },
    schedule: { ...schedule, jobs: { ...jobs, [freeName(jobs, job[0], source[0])]: job[1] } },
  };
}

// The name of a job, with that of its source where it is taken, or a number where that is taken, too, or too long.
function freeName(jobs: Content, name: string, source: string): string {
  const isFree = (one: string): boolean =>
    !Object.hasOwn(jobs, one) && nameForm.safeParse(one).success;
  let found = [name, `${name}-${source}`].find(isFree);
  for (let n = 2; found === undefined; n++) found = [`${name}-${n}`].find(isFree);
  return found;
}

/** The content as a configuration; throws UsageError naming the key that does not fit. */
export function checked(content: unknown, path: string): ConfigFile {
  const result = configSchema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new UsageError(
    `configuration ${path}: ${issue.path.map(String).join(".")}: ${issue.message}`,
  );
}

/** Puts a file in place as a whole. */
export async function writeContent(path: string, content: Content): Promise<void> {
  try {
    await writeDurably(path, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function groupOf(content: Content, key: string): Content {
  const group = content[key];
  return typeof group === "object" && group !== null ? (group as Content) : {};
}
