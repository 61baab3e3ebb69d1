import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tool = (name: string): string => join(root, ".lake-tools/bin", name);

/** An object store that runs until it is disposed of, with what a configuration says of it. */
export type ObjectStore = AsyncDisposable & {
  readonly endpoint: string;
  readonly env: Readonly<Record<string, string>>;
};

const [key, secret] = ["audit", "auditsecret"];

/** Throws where `make test-lake` has not put the tools there. */
export function requireTools(): void {
  if (existsSync(join(root, ".lake-tools/ready"))) return;
  throw new Error("the object store and the readers are not there; run make test-lake");
}

/** Starts SeaweedFS on loopback, on ports that are free, in a folder of its own. */
export async function objectStore(): Promise<ObjectStore> {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-store-"));
  const [master, volume, filer, s3] = await Promise.all([1, 2, 3, 4].map(freePort));
  const identity = {
    name: key,
    credentials: [{ accessKey: key, secretKey: secret }],
    actions: ["Admin", "Read", "Write", "List"],
  };
  const config = join(folder, "s3.json");
  writeFileSync(config, JSON.stringify({ identities: [identity] }));
  const ports = [`-master.port=${master}`, `-volume.port=${volume}`, `-filer.port=${filer}`];
  const where = [
    "-ip=127.0.0.1",
    "-ip.bind=127.0.0.1",
    `-dir=${folder}`,
    "-master.volumeSizeLimitMB=64",
    // Together 6.4 GB, where eight of them would be full with half a gigabyte.
    "-volume.max=100",
  ];
  const argv = [
    "server",
    ...where,
    ...ports,
    "-s3",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    `-s3.port=${s3}`,
    `-s3.config=${config}`,
  ];
  const child = spawn(tool("weed"), ["-logdir", folder, ...argv], { stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${s3}`;
  await answering(endpoint, child);
  return {
    endpoint,
    env: { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret },
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(endpoint: string, child: ChildProcess): Promise<void> {
  for (let left = 600; left > 0; left--) {
    if (child.exitCode !== null) throw new Error(`the object store ended with ${child.exitCode}`);
    if (
      await fetch(endpoint).then(
        ({ status }) => status < 500,
        () => false,
      )
    )
      return;
    await wait(100);
  }
  throw new Error("the object store does not answer");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  // Its own other ports are 10,000 higher.
  return port > 50_000 ? freePort() : port;
}

/** What independent readers find of a table. */
export type Read = {
  readonly delta_rs: number;
  readonly files: number;
  readonly duckdb?: number;
  readonly events?: readonly string[];
};

/** Asks the readers for tables at their versions. */
export function readBy(
  place: string,
  versions: Readonly<Record<string, number>>,
  endpoint = "",
): Record<string, Read> {
  const argv = Object.entries(versions).map(([table, version]) => `${table}=${version}`);
  const env = { ...process.env, S3_ENDPOINT: endpoint, S3_KEY: key, S3_SECRET: secret };
  const script = fileURLToPath(new URL("readers.py", import.meta.url));
  const out = execFileSync(tool("python"), [script, place, ...argv], { env, encoding: "utf8" });
  return JSON.parse(out) as Record<string, Read>;
}
