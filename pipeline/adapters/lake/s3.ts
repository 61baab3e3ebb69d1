import { AwsV4Signer } from "aws4fetch";
import type { Element } from "@xmldom/xmldom";
import { readFile } from "node:fs/promises";
import { AuditlakeError } from "../../base/errors.ts";
import type { HttpAnswer, HttpRequest } from "../../base/http/exchange.ts";
import { findElements, parseXml, readText } from "../../base/http/xml.ts";
import { formatOutcome, pauseFor, type Transport } from "../../base/http/transport.ts";
import type { World } from "../../base/world.ts";
import type { ListedFile, Store } from "./store.ts";
import { computeSha256 } from "../../base/home/durable.ts";

/** A bucket, a folder in it, and the credentials. */
export type Bucket = {
  /** Where the lake lies, as configured. */
  readonly place: string;
  readonly endpoint: URL;
  readonly bucket: string;
  /** With a slash at its end, or empty. */
  readonly folder: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
};

type S3Request = {
  readonly method: "GET" | "PUT" | "DELETE";
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly sha256?: string;
};

const newOnly = { "if-none-match": "*" };

/** Opens a lake in a bucket of an object store with signed requests; `If-None-Match: *` claims a name. */
export function newBucketStore(
  bucket: Bucket,
  transport: Transport,
  world: Pick<World, "sleep" | "signal">,
): Store {
  const { place, folder } = bucket;
  const ask = async (asked: S3Request, fine: readonly number[]): Promise<HttpAnswer> => {
    const sent = await transport.send(await signRequest(bucket, asked), { repeat: "harmless" });
    const what = `${asked.method} ${asked.name ?? "a listing"}`;
    if (sent.outcome !== "answered")
      throw new AuditlakeError(
        `the lake ${place}: ${what}: ${formatOutcome(sent)}; run it again later`,
      );
    if (isPage(sent.answer))
      throw new AuditlakeError(
        `the lake ${place}: ${what}: answered ${sent.answer.status} with a web page (HTML), so no object store answers at ${bucket.endpoint.origin}; correct lake.endpoint`,
      );
    if (fine.includes(sent.answer.status)) return sent.answer;
    throw new AuditlakeError(`the lake ${place}: ${what}: ${formatRefusal(sent.answer)}`);
  };
  const getObject = async (name: string): Promise<Buffer | undefined> => {
    const answer = await ask({ method: "GET", name }, [200, 404]);
    if (answer.status === 200) return answer.body;
    if (answer.text.includes("NoSuchBucket"))
      throw new AuditlakeError(`the lake ${place}: ${formatRefusal(answer)}`);
    return undefined;
  };
  const put = async (name: string, body: Buffer, sha256 = computeSha256(body)): Promise<void> => {
    await ask({ method: "PUT", name, body, sha256 }, [200, 201, 204]);
  };
  return {
    place,
    get: getObject,
    put: (name, bytes) => put(name, bytes),
    putIfAbsent: async (name, body) => {
      for (let left = tries; ; left--) {
        const asked: S3Request = { method: "PUT", name, body, headers: newOnly };
        const { status } = await ask(asked, [200, 201, 204, 409, 412]);
        if (status < 300) return true;
        // The object may exist from an earlier try whose answer was lost, or another publisher is putting it now.
        const found = await getObject(name);
        if (found !== undefined) return found.equals(body);
        if (left === 0)
          throw new AuditlakeError(`the lake ${place}: ${name} is in use by others; run it again`);
        await pauseFor(pauseMs, world);
      }
    },
    upload: async (name, file, sha256) => put(name, await readFile(file), sha256),
    remove: async (name) => void (await ask({ method: "DELETE", name }, [200, 204, 404])),
    // Objects are stored atomically.
    drafts: () => Promise.resolve([]),
    list: (prefix, after) =>
      listObjects(folder, prefix, after, (query) => ask({ method: "GET", query }, [200])),
  };
}

const tries = 20;
const pauseMs = 200;

async function listObjects(
  folder: string,
  prefix: string,
  after: string | undefined,
  ask: (query: Readonly<Record<string, string>>) => Promise<HttpAnswer>,
): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  const start: Record<string, string> =
    after === undefined ? {} : { "start-after": folder + after };
  const query = { "list-type": "2", "encoding-type": "url", prefix: folder + prefix, ...start };
  for (let token: string | undefined; ;) {
    const { text } = await ask(
      token === undefined ? query : { ...query, "continuation-token": token },
    );
    const root = parseXml(text);
    if (root === undefined)
      throw new AuditlakeError(
        "the object store answered a listing that is not XML; check lake.endpoint",
      );
    for (const item of findElements(root, "Contents")) found.push(toListedFile(item, folder));
    token = readText(root, "NextContinuationToken");
    if (token === undefined || token === "") return found;
  }
}

function toListedFile(item: Element, folder: string): ListedFile {
  const key = decodeURIComponent((readText(item, "Key") ?? "").replaceAll("+", " "));
  return {
    name: key.slice(folder.length),
    bytes: Number(readText(item, "Size")),
    changedMs: Date.parse(readText(item, "LastModified") ?? ""),
  };
}

async function signRequest(
  { endpoint, bucket, folder, region, accessKeyId, secretAccessKey }: Bucket,
  { method, name, query = {}, headers = {}, body, sha256 }: S3Request,
): Promise<HttpRequest> {
  const url = new URL(endpoint);
  const key = name === undefined ? "" : `/${folder}${name}`;
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${bucket}${key}`;
  for (const [param, value] of Object.entries(query)) url.searchParams.set(param, value);
  const hash = sha256 ?? computeSha256(body ?? Buffer.alloc(0));
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, "x-amz-content-sha256": hash },
    accessKeyId,
    secretAccessKey,
    service: "s3",
    region,
  });
  const request = await signer.sign();
  const all = Object.fromEntries(request.headers.entries());
  return { method, url: request.url, headers: all, ...(body === undefined ? {} : { body }) };
}

// Advice on a refused request, by the code in the answer of the object store.
const advice: Readonly<Record<string, string>> = {
  InvalidAccessKeyId:
    "it does not know the id of the key: check lake.credentials_file or lake.key_env",
  SignatureDoesNotMatch:
    "the secret does not match the key id: check the secret in lake.credentials_file or lake.secret_env",
  AccessDenied: "the key has no permission: grant it list, read, write and delete there",
  NoSuchBucket: "the bucket does not exist: create it, or correct lake.location",
  RequestTimeTooSkewed: "the clock of this machine is wrong",
  AuthorizationHeaderMalformed: "the region differs: correct lake.region",
  PermanentRedirect: "the bucket is at another endpoint: correct lake.region and lake.endpoint",
  TemporaryRedirect: "the bucket is at another endpoint: correct lake.region and lake.endpoint",
  IllegalLocationConstraintException: "the region differs: correct lake.region",
  NotImplemented: "the store does not support this request: choose another store",
};

/** Why an object store refused a request, and what to do. */
function formatRefusal(answer: HttpAnswer): string {
  const { status, text } = answer;
  const code = findElement(text, "Code", "A-Za-z");
  const known = code === undefined ? describeRedirect(status) : advice[code];
  const name = code === undefined ? "" : ` ${code}`;
  const rest = known ?? "check lake.endpoint, lake.location and the rights of the key";
  return `answered ${status}${name}; ${rest}${describeAnswer(code, answer)}`;
}

function describeRedirect(status: number): string | undefined {
  return status >= 300 && status < 400 ? advice["PermanentRedirect"] : undefined;
}

// Facts about the store in its answer that help to configure it.
function describeAnswer(
  code: string | undefined,
  { text, headers, serverTimeMs }: HttpAnswer,
): string {
  if (code === "RequestTimeTooSkewed")
    return serverTimeMs === undefined
      ? ": set it"
      : `: set it; the clock of the store shows ${new Date(serverTimeMs).toISOString()}`;
  const named = headers["x-amz-bucket-region"];
  const header = typeof named === "string" && /^[a-z0-9-]{1,40}$/.test(named) ? named : undefined;
  const region = findElement(text, "Region", "a-z0-9-") ?? header;
  return region === undefined ? "" : ` (it names the region ${region})`;
}

function findElement(text: string, name: string, letters: string): string | undefined {
  const root = text.length < 10_000 ? parseXml(text) : undefined;
  const found = root && readText(root, name);
  return found !== undefined && new RegExp(`^[${letters}]{1,60}$`).test(found) ? found : undefined;
}

/** Whether an answer is a page for people, as no object store sends one: some other server has that address. */
function isPage({ headers, body }: HttpAnswer): boolean {
  const type = String(headers["content-type"] ?? "");
  const start = body.subarray(0, 200).toString("latin1");
  return type.startsWith("text/html") || /^\s*<(?:!doctype\s+html|html)\b/i.test(start);
}
