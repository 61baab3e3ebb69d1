import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import { readKey } from "../../../../pipeline/core/source/key.ts";
import { testKey } from "../../../support/key.ts";
import { temporaryFolder } from "../../../support/load.ts";

const folder = temporaryFolder();
afterAll(folder.remove);
const key = testKey;
const env = { api_key_env: "THE_KEY" };

function fromFile(content: string | Buffer, mode = 0o600): string {
  const path = join(folder.path, `key-${Math.abs(mode)}`);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return readKey({ ...env, api_key_file: path }, "/", {});
}

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    for (let at = 0; at + 5 <= key.length; at++)
      expect(message).not.toContain(key.slice(at, at + 5));
    return message;
  }
  throw new Error("the key was accepted");
}

describe("the API key", () => {
  it("is read from the environment or from a file, without line break and byte order mark", () => {
    expect(readKey(env, "/", { THE_KEY: key })).toBe(key);
    expect(fromFile(key)).toBe(key);
    expect(fromFile(`\ufeff${key}\r\n`, 0o400)).toBe(key);
  });

  it("is read from a file beside the configuration, before the environment", () => {
    writeFileSync(join(folder.path, "key-beside"), key, { mode: 0o600 });
    const source = { ...env, api_key_file: "key-beside" };
    expect(readKey(source, folder.path, { THE_KEY: "other" })).toBe(key);
  });

  it.each([
    `${key} x`,
    `${key}\nX-Evil: 1`,
    `${key}\r`,
    `${key}\t`,
    ` ${key}`,
    `${key}\u0000`,
    `${key}é`,
    `${key}\u007f`,
  ])("must be one word that a header can contain", (bad) => {
    expect(refusal(() => readKey(env, "/", { THE_KEY: bad }))).toContain("THE_KEY contains spaces");
    if (bad.trim() !== key) expect(refusal(() => fromFile(bad))).toContain("contains spaces");
  });

  it("must not be empty", () => {
    expect(refusal(() => readKey(env, "/", {}))).toContain("environment variable THE_KEY is empty");
    expect(refusal(() => readKey(env, "/", { THE_KEY: "" }))).toContain("is empty");
    expect(refusal(() => fromFile("\n"))).toContain("is empty");
  });
});

describe("a key file", () => {
  it.each([0o640, 0o604, 0o660, 0o606, 0o610, 0o601])(
    "that others may read is refused (mode %i)",
    (mode) => {
      expect(refusal(() => fromFile(key, mode))).toContain(
        `has mode ${mode.toString(8)}, expected 600`,
      );
    },
  );

  it("is checked itself if it is a link", () => {
    const target = join(folder.path, "key-target");
    writeFileSync(target, key, { mode: 0o644 });
    const link = join(folder.path, "link");
    symlinkSync(target, link);
    expect(refusal(() => readKey({ ...env, api_key_file: link }, "/", {}))).toContain("mode 644");
  });

  it("that is not a file, missing or too long is refused", () => {
    const at = (path: string) => (): string => readKey({ ...env, api_key_file: path }, "/", {});
    mkdirSync(join(folder.path, "folder"), { mode: 0o700 });
    expect(refusal(at(join(folder.path, "folder")))).toContain("is not a file with a key");
    expect(refusal(at("/dev/zero"))).toContain("is not a file with a key");
    expect(refusal(at(join(folder.path, "nowhere")))).toContain("cannot read key file");
    expect(refusal(() => fromFile(key.repeat(500)))).toContain("at most 4096 bytes");
  });

  it.skipIf(process.getuid?.() !== 0)("of another user is refused", async () => {
    const { chownSync } = await import("node:fs");
    const path = join(folder.path, "key-foreign");
    writeFileSync(path, key, { mode: 0o600 });
    chownSync(path, 12_345, 12_345);
    expect(refusal(() => readKey({ ...env, api_key_file: path }, "/", {}))).toContain(
      "another user",
    );
  });
});
