import type { HttpAnswer } from "../../base/http/exchange.ts";
import { parseXml, readText } from "../../base/http/xml.ts";

// What an object store says of a request that it refuses, by the code in its answer; in words that say what to do.
const advice: Readonly<Record<string, string>> = {
  InvalidAccessKeyId:
    "it does not know the id of the key: check lake.credentials_file or lake.key_env",
  SignatureDoesNotMatch:
    "the key does not fit its id: check the secret in lake.credentials_file or lake.secret_env",
  AccessDenied: "the key may not do that: give it the rights to list, read, write and delete there",
  NoSuchBucket: "there is no such bucket: make it, or mend lake.location",
  RequestTimeTooSkewed: "the clock of this machine is off",
  AuthorizationHeaderMalformed: "the region is another: mend lake.region",
  PermanentRedirect: "the bucket lies elsewhere: mend lake.region and lake.endpoint",
  TemporaryRedirect: "the bucket lies elsewhere: mend lake.region and lake.endpoint",
  IllegalLocationConstraintException: "the region is another: mend lake.region",
  NotImplemented: "it cannot do that: choose another store",
};

/** Why an object store refused a request, and what to do. */
export function refusalText(answer: HttpAnswer): string {
  const { status, text } = answer;
  const code = elementOf(text, "Code", "A-Za-z");
  const known = code === undefined ? elsewhere(status) : advice[code];
  const name = code === undefined ? "" : ` ${code}`;
  const rest = known ?? "check lake.endpoint, lake.location and the rights of the key";
  return `answered ${status}${name}; ${rest}${foundText(code, answer)}`;
}

function elsewhere(status: number): string | undefined {
  return status >= 300 && status < 400 ? advice["PermanentRedirect"] : undefined;
}

// What the store says of itself, where that is what to set here.
function foundText(code: string | undefined, { text, headers, serverTimeMs }: HttpAnswer): string {
  if (code === "RequestTimeTooSkewed")
    return serverTimeMs === undefined
      ? ": set it"
      : `: set it, that of the store says ${new Date(serverTimeMs).toISOString()}`;
  const named = headers["x-amz-bucket-region"];
  const header = typeof named === "string" && /^[a-z0-9-]{1,40}$/.test(named) ? named : undefined;
  const region = elementOf(text, "Region", "a-z0-9-") ?? header;
  return region === undefined ? "" : ` (it names the region ${region})`;
}

function elementOf(text: string, name: string, letters: string): string | undefined {
  const root = text.length < 10_000 ? parseXml(text) : undefined;
  const found = root && readText(root, name);
  return found !== undefined && new RegExp(`^[${letters}]{1,60}$`).test(found) ? found : undefined;
}

/** Whether an answer is a page for people, as no object store sends one: some other server has that address. */
export function isPage({ headers, body }: HttpAnswer): boolean {
  const type = String(headers["content-type"] ?? "");
  const start = body.subarray(0, 200).toString("latin1");
  return type.startsWith("text/html") || /^\s*<(?:!doctype\s+html|html)\b/i.test(start);
}
