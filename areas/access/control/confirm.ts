import type { RouteAnswer, RouteRequest, Tools } from "@reeve/control";
import { invalidField } from "@reeve/model";
import { readSignIn } from "../store/index.ts";
import { isPassword } from "./password-hash.ts";
import { confirmSession } from "./sessions.ts";
import { who } from "./who.ts";

/** The person at a session proves anew to be that person: what is sensitive asks for it. */
export async function confirm(
  tools: Tools,
  { caller: maybe, carried, origin, body }: RouteRequest<{ password: string }>,
): Promise<RouteAnswer> {
  const caller = who(maybe);
  const { subject } = caller;
  const row = await readSignIn(tools.database, subject.name);
  if (row?.hash != null && (await isPassword(body.password, row.hash)))
    return confirmSession(tools, { caller, origin, carry: carried ?? "bearer" }, ["password"]);
  const refusal = invalidField("/password", "the password is wrong");
  await tools.lane.submit({
    author: { caller, origin, reason: "" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ kind: "User", scope: "", name: subject.name, operation: "confirm", outcome: "denied" }],
      refusal,
    }),
  });
  throw refusal;
}
