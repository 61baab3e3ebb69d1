import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { readUserName } from "../../../../pipeline/base/home/version.ts";

it("the current user is named, by number if the machine has no name for it", () => {
  expect(readUserName()).toBe(userInfo().username);
  const nameless = (): never => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT");
  };
  expect(readUserName(nameless)).toBe(`uid ${process.getuid!()}`);
});
