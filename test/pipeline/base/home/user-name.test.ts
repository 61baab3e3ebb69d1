import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { readUserName } from "../../../../pipeline/base/home/version.ts";

it("names who runs this, by number where the machine has no name for them", () => {
  expect(readUserName()).toBe(userInfo().username);
  const nameless = (): never => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT");
  };
  expect(readUserName(nameless)).toBe(`uid ${process.getuid!()}`);
});
