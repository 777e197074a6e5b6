import { notFound, type RouteAnswer, type RouteRequest, record, type Tools } from "@reeve/control";
import { endSessions, listSessions } from "../store/index.ts";
import { denyForeign } from "./deny.ts";
import { who } from "./who.ts";

type Request = Pick<RouteRequest<unknown>, "caller" | "params" | "origin">;

/** Ends one of the caller's sessions. */
export async function endSession(tools: Tools, { caller, params, origin }: Request): Promise<RouteAnswer> {
  const { subject, via } = who(caller);
  const id = params.id === "current" ? via.id : (params.id as string);
  const at = { kind: "Session", scope: "", name: id };
  const own = await listSessions(tools.database, subject.uid);
  if (!own.some((session) => session.id === id))
    await denyForeign(tools, { caller, origin }, { kind: "Session", name: id, operation: "sign-out" });
  await record(tools, { caller, origin }, { ...at, operation: "sign-out" }, async (sql) => {
    if ((await endSessions(sql, subject.uid, { id })) === 0) throw notFound(at);
  });
  tools.forget([subject.uid]);
  return { body: { ended: 1 }, ...(id === via.id ? { cookie: { value: "", maxAgeSeconds: 0 } } : {}) };
}

/** Ends all of the caller's sessions but the one that asks; a token that asks ends all. */
export async function endOtherSessions(tools: Tools, { caller, origin }: Request): Promise<RouteAnswer> {
  const { subject, via } = who(caller);
  let ended = 0;
  const deed = { kind: "User", scope: "", name: subject.name, operation: "end-sessions" };
  await record(tools, { caller, origin }, deed, async (sql) => {
    ended = await endSessions(sql, subject.uid, { except: via.kind === "session" ? via.id : null });
  });
  tools.forget([subject.uid]);
  return { body: { ended } };
}
