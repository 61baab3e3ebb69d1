import { configSchema, type ConfigFile } from "../../../schemas/config.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { messageOf, UsageError } from "../errors.ts";
import { readGiven } from "./given-file.ts";
import { keyAdvice } from "./known-keys.ts";
import { repeatedKey } from "./repeated-key.ts";
import { readOwn } from "./own-file.ts";
import { refuseReadable } from "./secret-file.ts";
import { secretPlace } from "./secret-keys.ts";

// To compile the schema first pays only for who checks many.
const asItIs = { jitless: true };

/**
 * The configuration in a file, or the defaults without one. A file that was only found in the working directory must be
 * the user's own. Throws UsageError naming key and value.
 */
export function readConfig(path: string | undefined, how: "named" | "found"): ConfigFile {
  if (path === undefined) return configSchema.parse({}, asItIs);
  const bytes = how === "found" ? readOwn(path, "configuration") : readGiven(path, "configuration");
  const content = parseJson(path, bytes.toString("utf8").replace(/^\ufeff/, ""));
  const result = configSchema.safeParse(content, asItIs);
  if (result.success) {
    refuseOpenSecrets(path, content);
    return result.data;
  }
  const issue = result.error.issues[0]!;
  const key = issue.path.map(String).join(".") || "the file";
  const advice =
    issue.code === "unrecognized_keys" ? keyAdvice(content, issue.path, issue.keys) : "";
  throw new UsageError(`configuration ${path}: ${key}: ${issue.message}${advice}`);
}

// As with a file of credentials: what everybody can read is no secret.
function refuseOpenSecrets(path: string, content: unknown): void {
  const place = secretPlace(content);
  if (place === undefined) return;
  refuseReadable(path, "configuration", place, `write ${savedMarker} there and store it apart`);
}

function parseJson(path: string, text: string): unknown {
  let isHidden = false;
  const seen = (key: string, value: unknown): unknown => {
    isHidden ||= key === "__proto__";
    return value;
  };
  let content: unknown;
  try {
    content = JSON.parse(text, seen);
  } catch (error) {
    const line = faultyLine(text, messageOf(error));
    throw new UsageError(
      `configuration ${path} is no JSON near line ${line}; expected a JSON object, its texts in double quotes, no comma after the last member`,
    );
  }
  refuseTwice(path, text);
  // The check of the configuration would pass over it in silence.
  if (!isHidden) return content;
  throw new UsageError(
    `configuration ${path}: __proto__ cannot be a name; expected letters, digits, dots, dashes and underscores`,
  );
}

// Of two values the reader would keep one, and what stands in the other would never be heard of.
function refuseTwice(path: string, text: string): void {
  const twice = repeatedKey(text);
  if (twice === undefined) return;
  throw new UsageError(
    `configuration ${path} names ${JSON.stringify(twice)} twice in one object; which of the two is meant is not known, so leave one of them`,
  );
}

// The parser's own words quote what stands there, which may be a secret: only the place is taken from them.
function faultyLine(text: string, message: string): number {
  const line = /\(line (\d+) /.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const quoted = /^[^"]*"(.*)"(?:\.\.\.)? is not valid JSON$/s.exec(message)?.[1];
  const at = quoted === undefined ? -1 : text.indexOf(quoted);
  const before = at < 0 ? text.trimEnd() : text.slice(0, at + Math.floor(quoted!.length / 2));
  return before.split("\n").length;
}
