import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { age, counting, newOutputs } from "./outputs.ts";

// What a process that was killed with SIGKILL while it wrote output leaves beside the files it was to become.

const outputs = newOutputs();
const { queries } = outputs;

describe("temporary output files", () => {
  let folder: string;
  beforeEach(() => {
    folder = join(outputs.home.folder, "others");
    mkdirSync(folder, { recursive: true });
    outputs.home.write("queries/count.sql", counting(3));
  });
  const dead = 2 ** 22 + 1;
  const writes = async (): Promise<void> => {
    const argv = [...outputs.common, "report", "run", "count", "--queries", queries()];
    const { code } = await outputs.home.run([...argv, "--out", join(folder, "count.csv")]);
    expect(code).toBe(0);
  };

  it("of other names and of living processes stay", async () => {
    const kept = [
      `.auditlake-${process.pid}-7.tmp`,
      ".auditlake-x-0.tmp",
      `auditlake-${dead}-0.tmp`,
      `.auditlake-${dead}-0.tmp.csv`,
      "notes.tmp",
    ];
    for (const name of kept) {
      writeFileSync(join(folder, name), "theirs");
      age(join(folder, name), 100);
    }
    await writes();
    expect(kept.filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  });

  it("of a dead process are removed after a day", async () => {
    const draft = join(folder, `.auditlake-${dead}-0.tmp`);
    writeFileSync(draft, "n\r\n0\r\n");
    await writes();
    expect(existsSync(draft)).toBe(true);
    age(draft, 25);
    await writes();
    expect(existsSync(draft)).toBe(false);
  });

  it("that were changed recently stay", async () => {
    const draft = join(folder, `.auditlake-${dead}-1.tmp`);
    mkdirSync(draft);
    writeFileSync(join(draft, "part.csv"), "a\r\n");
    age(draft, 100);
    writeFileSync(join(draft, "part.csv"), "a\r\nb\r\n");
    await writes();
    expect(existsSync(join(draft, "part.csv"))).toBe(true);
    age(draft, 100);
    await writes();
    expect(existsSync(draft)).toBe(false);
  });

  it("behind a link are not followed", async () => {
    const elsewhere = outputs.home.write("elsewhere/precious.txt", "kept");
    const link = join(folder, `.auditlake-${dead}-2.tmp`);
    symlinkSync(join(elsewhere, ".."), link);
    await writes();
    expect(readFileSync(elsewhere, "utf8")).toBe("kept");
  });
});
