import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { landUsers, listUsers } from "../../../../pipeline/core/landing/documents.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.remove());

const listAt = (readAt: string, id: bigint): Parameters<typeof landUsers>[1] => ({
  source: "default",
  readAt,
  users: [{ id, email: "a@example.com", shade: "red" }],
});

describe("landed user lists", () => {
  it("are listed oldest first, with all digits of their ids", async () => {
    const later = listAt("2026-01-02 10:00:00.000", 9007199254740993n);
    const first = listAt("2026-01-02 09:00:00.000", 1n);
    for (const list of [later, first]) await landUsers(folder.path, list);
    expect(listUsers(folder.path)).toEqual({ lists: [first, later], unfit: [] });
    expect(listUsers(join(folder.path, "nowhere"))).toEqual({ lists: [], unfit: [] });
    const files = readdirSync(join(folder.path, "users")).map((name) =>
      join(folder.path, "users", name),
    );
    expect(files.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it("are stored compressed, and uncompressed ones of an earlier version are read as well", async () => {
    const first = listAt("2026-01-02 09:00:00.000", 1n);
    const later = listAt("2026-01-02 10:00:00.000", 2n);
    const users = join(folder.path, "users");
    const many = Array.from({ length: 500 }, () => later.users[0]!);
    await landUsers(folder.path, { ...later, users: many });
    const text = JSON.stringify({ ...first, users: [{ ...first.users[0], id: "1" }] });
    writeFileSync(join(users, "20260102090000000-default.json"), text);
    expect(listUsers(folder.path).lists).toEqual([first, { ...later, users: many }]);
    const after = new Map([["default", first.readAt]]);
    expect(listUsers(folder.path, after).lists).toEqual([{ ...later, users: many }]);
    const packed = join(users, "20260102100000000-default.json.zst");
    expect(statSync(packed).size).toBeLessThan(1000);
    writeFileSync(packed, readFileSync(packed).subarray(0, 100));
    expect(() => listUsers(folder.path)).toThrow(/landed user list .*\.json\.zst cannot be read/);
  });

  it.each(["", "{", '{"source":"a","readAt":"b","users":[{"email":"CANARY"}]}', '{"users":[]}'])(
    "are reported if they contain %j",
    async (content) => {
      await landUsers(folder.path, listAt("2026-01-02 09:00:00.000", 1n));
      writeFileSync(join(folder.path, "users", "bad.json"), content);
      expect(() => listUsers(folder.path)).toThrow(/landed user list .*bad\.json cannot be read/);
      expect(() => listUsers(folder.path)).not.toThrow("CANARY");
    },
  );
});
