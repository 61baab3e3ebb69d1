import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { readAgreedReason } from "../../../../pipeline/answers/access/send.ts";
import { testWorld } from "../../../support/world.ts";

type Asked = { readonly reason?: string; readonly yes?: true };

async function agree(flags: Asked, typed: string | undefined, demands: boolean) {
  const stdin = Object.assign(new PassThrough().end(typed ?? ""), { isTTY: typed !== undefined });
  const world = testWorld({ stdin });
  const settings = { config: { policies: { require_reason: demands } } } as Settings;
  const message = await readAgreedReason(flags, settings, world).catch(
    (error: Error) => error.message,
  );
  return [message, world.err()];
}

const question = "Set these permissions? [y/N] ";
const demanded = "nothing was sent: policies.require_reason requires a reason; add --reason TEXT";
const noTerminal = "nothing was sent: confirmation needs a terminal; add --yes to set it";
const no = "not confirmed; nothing was sent";

it.each<
  [flags: Asked, typed: string | undefined, demands: boolean, message: string | null, asked: string]
>([
  [{ yes: true }, undefined, false, null, ""],
  [{ yes: true, reason: " ok " }, undefined, true, "ok", ""],
  [{ yes: true }, undefined, true, demanded, ""],
  [{ yes: true, reason: "  " }, "y\nwhy\n", true, demanded, ""],
  [{}, undefined, false, noTerminal, ""],
  [{ reason: "ok" }, undefined, true, noTerminal, ""],
  [{}, undefined, true, demanded, ""],
  [{}, "y\nwhy\n", false, "why", `${question}Why (may be empty): `],
  [{}, "y\n\n", false, null, `${question}Why (may be empty): `],
  [{}, "y\nwhy\n", true, "why", `${question}Why: `],
  [{}, "y\n\n", true, demanded, `${question}Why: `],
  [{}, "n\n", true, no, question],
  [{ reason: "ok" }, "y\n", true, "ok", question],
  [{ reason: "ok" }, "n\n", false, no, question],
])(
  "confirmation with %j, %j typed and a required reason: %s",
  async (flags, typed, demands, message, asked) => {
    expect(await agree(flags, typed, demands)).toEqual([message, asked]);
  },
);
