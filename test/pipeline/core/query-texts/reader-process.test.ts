import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { TextReader } from "../../../../pipeline/core/query-texts/reader-process.ts";

// What stays of texts in the process that has them read.

const question = { text: "select a from b.c", dialect: "trino" } as const;
const timeoutMs = 60_000;

async function readMany(reader: TextReader, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    expect(await reader.read(question, timeoutMs)).toMatchObject({ state: "parsed" });
}

function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

test("memory does not grow with the texts that one process reads", async () => {
  await using reader = new TextReader(process);
  await readMany(reader, 500);
  const before = heldBytes();
  await readMany(reader, 3000);
  // It grew by 1.6 MB while each answer raced with the end of the process.
  expect(heldBytes() - before).toBeLessThan(0.8e6);
});

test("a process that cannot be started is an error, and blocks no caller", async () => {
  const { execPath } = process;
  process.execPath = "/nowhere/node";
  try {
    await using reader = new TextReader(process);
    await expect(reader.read(question, timeoutMs)).rejects.toThrow(/could not be started/);
  } finally {
    process.execPath = execPath;
  }
});
