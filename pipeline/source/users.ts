import { userList, type User } from "../../schemas/api.ts";
import { AuditlakeError } from "../errors.ts";
import { parseExactly } from "../page/text.ts";
import type { Client } from "./client.ts";

/**
 * The user directory (`GET /v3/user/list/`, seed 001, What the service does, rule 2). A list that is not whole
 * is asked for again; `check` takes the service's clock first.
 */
export async function readUsers(
  client: Client,
  path: string,
  check: (serverTimeMs: number | undefined) => void = () => undefined,
): Promise<User[]> {
  const body = await client.get(path, {}, (answer) => {
    check(answer.serverTimeMs);
    return parseExactly(answer.body);
  });
  const result = userList.safeParse(body);
  if (!result.success)
    throw new AuditlakeError(
      `GET ${path} is no user list; expected {"users":[{"id":…,"email":…}]} or a bare array, and ids of at most 64 bits`,
    );
  return result.data;
}
