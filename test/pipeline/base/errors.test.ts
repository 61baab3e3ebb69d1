import type { World } from "../../../pipeline/base/world.ts";
import { newHome } from "../../support/home.ts";
import { describe, expect, it } from "vitest";
import {
  AuditlakeError,
  getFirstError,
  getMessage,
  findSystemAdvice,
  UsageError,
} from "../../../pipeline/base/errors.ts";

it("the first failure is reported, and not the cleanup that failed after it", () => {
  const first = new AuditlakeError("cannot write /data/x: no space left");
  const fail = (): void => {
    using _outer = { [Symbol.dispose]: () => expect.fail("closing failed as well") };
    using _inner = { [Symbol.dispose]: () => expect.fail("closing failed") };
    throw first;
  };
  const thrown = ((): unknown => {
    try {
      return fail();
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(SuppressedError);
  expect(getFirstError(thrown)).toBe(first);
  expect(getMessage(thrown)).toBe(first.message);
  expect(getFirstError(first)).toBe(first);
});

it("an error has its own name, and that name's exit code", () => {
  const [failed, wrong] = [new AuditlakeError("a"), new UsageError("b")];
  expect([`${failed}`, failed.exitCode]).toEqual(["AuditlakeError: a", 1]);
  expect([`${wrong}`, wrong.exitCode]).toEqual(["UsageError: b", 2]);
  expect(wrong).toBeInstanceOf(AuditlakeError);
});

describe("an error of the operating system", () => {
  const newCoded = (code: string, message: string): Error =>
    Object.assign(new Error(message), { code });

  it.each([
    [newCoded("EMFILE", "EMFILE: too many open files, open 'a'"), /ulimit -n/],
    [new Error("IO Error: Cannot open file: Too many open files"), /ulimit -n/],
    [new Error("outer", { cause: newCoded("ENFILE", "ENFILE") }), /ulimit -n/],
    [newCoded("ENOSPC", "ENOSPC: no space left on device, write"), /^free space$/],
    [new Error("Could not write file: No space left on device"), /^free space$/],
    [newCoded("EROFS", "EROFS: read-only file system"), /read-write/],
  ])("%s has advice", (error, advice) => {
    expect(findSystemAdvice(error)).toMatch(advice);
  });

  it("of an unknown kind has no advice", () => {
    expect(findSystemAdvice(newCoded("ENOENT", "ENOENT: no such file"))).toBeUndefined();
    expect(findSystemAdvice("text")).toBeUndefined();
  });

  it("that nothing else explains is printed with it, in one line", async () => {
    using home = newHome();
    const write = (): never => {
      throw newCoded("EMFILE", "EMFILE: too many open files, open '/x'");
    };
    const { code, err } = await home.run(["catalog", "list"], {
      stdout: { write } as unknown as World["stdout"],
    });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error: EMFILE: .*; raise the limit of open files .*run again\n$/),
    ]);
  });
});
