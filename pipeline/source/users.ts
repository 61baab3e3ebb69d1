import { userList, type User } from "../../schemas/api.ts";
import { PageError } from "../page/error.ts";
import { parseExactly } from "../page/text.ts";
import type { Answer, Client } from "./client.ts";

/**
 * The user directory (`GET /v3/user/list/`, seed 001, What the service does, rule 2). A list that is not whole
 * is asked for again.
 */
export function readUsers(client: Client, path: string): Promise<User[]> {
  return client.get(path, {}, openUsers);
}

function openUsers({ body }: Answer): User[] {
  const result = userList.safeParse(parseExactly(body));
  if (!result.success)
    throw new PageError('no user list; expected {"users":[{"id":…,"email":…}]} or a bare array');
  return result.data;
}
