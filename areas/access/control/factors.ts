import { notFound, type RouteAnswer, type RouteRequest, record, type Tools } from "@reeve/control";
import { type Caller, Fault, invalidField, newUid } from "@reeve/model";
import { readNow } from "@reeve/store";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import {
  countRecoveryCodes,
  deleteFactor,
  insertPasskey,
  insertTotp,
  listFactors,
  replaceRecoveryCodes,
} from "../store/index.ts";
import { denyForeign } from "./deny.ts";
import { checkNewPasskey, offerPasskey } from "./passkeys.ts";
import { newRecoveryCodes } from "./recovery-codes.ts";
import { seedAbout } from "./second-factor.ts";
import { confirmSession } from "./sessions.ts";
import { newSeed, seedLink, stepOf } from "./totp.ts";
import { who } from "./who.ts";

type Request<Body = unknown> = RouteRequest<Body>;

/** More than anybody holds in their hands. */
const mostFactors = 20;

export async function showFactors(tools: Tools, { caller }: Request): Promise<RouteAnswer> {
  const { subject } = who(caller);
  const items = await listFactors(tools.database, subject.uid);
  return {
    body: {
      items: items.map((item) => ({ ...item })),
      recoveryCodes: await countRecoveryCodes(tools.database, subject.uid),
    },
  };
}

/** A new seed for an app. Nothing is kept: it comes back with its first code, and is sealed then. */
export async function offerTotp(tools: Tools, { caller }: Request): Promise<RouteAnswer> {
  const seed = newSeed();
  const link = seedLink(seed, who(caller).subject.name, new URL(tools.publicUrl()).host);
  const { renderSVG } = await import("uqr");
  return { body: { seed, link, qr: renderSVG(link, { border: 4 }) } };
}

export async function addTotp(
  tools: Tools,
  request: Request<{ seed: string; code: string; name: string }>,
): Promise<RouteAnswer> {
  const { seed, code, name } = request.body;
  const { caller, userUid } = await mayAdd(tools, request);
  const step = stepOf(seed, code, 0, await readNow(tools.database));
  if (step === undefined)
    throw invalidField(
      "/code",
      "it is not the code that this seed gives now",
      "look at the clocks of both machines",
    );
  const id = newUid();
  const sealed = await tools.keys.seal("", seedAbout(id), Buffer.from(seed, "ascii"));
  return confirmSession(
    tools,
    { ...request, caller, carry: request.carried ?? "bearer" },
    {
      operation: "add-factor",
      factors: ["totp"],
      detail: { kind: "totp", name },
      also: (sql) => insertTotp(sql, { id, userUid, name, seed: sealed, lastStep: step }),
    },
  );
}

export async function offerNewPasskey(tools: Tools, request: Request): Promise<RouteAnswer> {
  const { caller } = await mayAdd(tools, request);
  return { body: await offerPasskey(tools, caller.subject) };
}

export async function addPasskey(
  tools: Tools,
  request: Request<{ name: string; passkey: RegistrationResponseJSON }>,
): Promise<RouteAnswer> {
  const { caller, userUid } = await mayAdd(tools, request);
  const { name, passkey } = request.body;
  const made = await checkNewPasskey(tools, passkey, userUid);
  if (made === undefined)
    throw invalidField(
      "/passkey",
      "it does not answer what was asked",
      "begin again on the page of this server",
    );
  return confirmSession(
    tools,
    { ...request, caller, carry: request.carried ?? "bearer" },
    {
      operation: "add-factor",
      factors: ["passkey"],
      detail: { kind: "passkey", name },
      async also(sql) {
        const { use, ...row } = made;
        if ((await use(sql)) && (await insertPasskey(sql, { ...row, id: newUid(), userUid, name }))) return;
        throw new Fault("exists", "this passkey is known already");
      },
    },
  );
}

export async function removeFactor(
  tools: Tools,
  { caller: maybe, origin, params }: Request,
): Promise<RouteAnswer> {
  const caller = who(maybe);
  const { subject } = caller;
  const items = await listFactors(tools.database, subject.uid);
  const factor = items.find(({ id }) => id === params.id);
  const at = { kind: "Factor", scope: "", name: params.id as string };
  if (factor === undefined)
    return denyForeign(tools, { caller, origin }, { ...at, operation: "remove-factor" });
  const detail = { kind: factor.kind, name: factor.name };
  await record(tools, { caller, origin }, { ...ofUser(caller, "remove-factor"), detail }, async (sql) => {
    if (!(await deleteFactor(sql, subject.uid, factor.id))) throw notFound(at);
  });
  tools.forget([subject.uid]);
  return { body: {} };
}

/** New recovery codes in the place of the old ones; shown this once. */
export async function newCodes(tools: Tools, { caller: maybe, origin }: Request): Promise<RouteAnswer> {
  const caller = who(maybe);
  const { subject } = caller;
  if ((await listFactors(tools.database, subject.uid)).length === 0)
    throw new Fault("precondition", "recovery codes stand in for a second factor, and you have none", {
      next: "add an app or a passkey first",
    });
  const { codes, hashes } = newRecoveryCodes();
  await record(tools, { caller, origin }, ofUser(caller, "new-recovery-codes"), (sql) =>
    replaceRecoveryCodes(sql, subject.uid, hashes),
  );
  return { body: { codes: [...codes] } };
}

async function mayAdd(
  tools: Tools,
  { caller: maybe }: Request,
): Promise<{ caller: Caller; userUid: string }> {
  const caller = who(maybe);
  const userUid = caller.subject.uid;
  if ((await listFactors(tools.database, userUid)).length >= mostFactors)
    throw new Fault("precondition", `you have ${mostFactors} factors already`, { next: "remove one first" });
  return { caller, userUid };
}

function ofUser({ subject }: Caller, operation: string) {
  return { kind: "User", scope: "", name: subject.name, operation };
}
