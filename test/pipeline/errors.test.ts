import { expect, it } from "vitest";
import { AuditlakeError, firstOf, messageOf, UsageError } from "../../pipeline/errors.ts";

it("tells of what failed first, not of the tidying up that failed after it", () => {
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
  expect(firstOf(thrown)).toBe(first);
  expect(messageOf(thrown)).toBe(first.message);
  expect(firstOf(first)).toBe(first);
});

it("is called by what it is, with the exit code of that", () => {
  const [failed, wrong] = [new AuditlakeError("a"), new UsageError("b")];
  expect([`${failed}`, failed.exitCode]).toEqual(["AuditlakeError: a", 1]);
  expect([`${wrong}`, wrong.exitCode]).toEqual(["UsageError: b", 2]);
  expect(wrong).toBeInstanceOf(AuditlakeError);
});
