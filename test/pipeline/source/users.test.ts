import { afterEach, describe, expect, it } from "vitest";
import { readUsers } from "../../../pipeline/source/users.ts";
import {
  answer,
  content,
  failure,
  raw,
  rawService,
  readerOf,
  type RawService,
  type Reader,
  type Script,
} from "./raw-service.ts";

let service: RawService;
let reader: Reader;
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function read(...scripts: Script[]): Promise<unknown[]> {
  service = await rawService(...scripts);
  reader = readerOf(service.url);
  return readUsers(reader.client, "/v3/user/list/");
}

const body = `{"users":[{"id":9007199254740993,"email":"a@example.com","shade":1},{"id":"2"}]}`;

describe("the user list", () => {
  it("comes in an envelope or bare, with all digits of its ids", async () => {
    for (const text of [body, `\ufeff${body.slice(9, -1)}`]) {
      expect(await read(answer(text))).toMatchObject([
        { id: 9007199254740993n, email: "a@example.com", shade: 1 },
        { id: 2n },
      ]);
      expect(service.heads[0]).toMatch(/^GET \/v3\/user\/list\/ HTTP/);
      await reader[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    expect(await read(answer("[]"))).toEqual([]);
  });

  it("is asked for again where it is cut off", async () => {
    const cut = raw(200, { Connection: "close" }, body.slice(0, 40), true);
    const latin1 = answer(Buffer.from('[{"id":1,"name":"caf\u00e9"}]', "latin1"));
    expect(await read(cut, latin1, answer(body))).toHaveLength(2);
    expect(service.heads).toHaveLength(3);
  });

  it.each(['{"message":"CANARY-content"}', '{"users":{}}', '[{"email":"a@example.com"}]', "17"])(
    "that is none is refused: %s",
    async (text) => {
      const error = await failure(read(answer(text)));
      expect(error.message).toMatch(/GET \/v3\/user\/list\/ is no user list; expected \{"users"/);
      expect(error.message).not.toContain(content);
      expect(service.heads).toHaveLength(1);
    },
  );
});
