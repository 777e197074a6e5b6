import { createHash } from "node:crypto";
import { type OpenSecrets, type RouteRequest, signingSecret, type Tools } from "@reeve/control";
import {
  evaluate,
  Fault,
  fillTemplates,
  type Json,
  type JsonObject,
  type Origin,
  type Uid,
} from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { type Address, readNow, readResource } from "@reeve/store";
import { bareExpression, canBegin, type WorkflowSpec } from "../../kinds/index.ts";
import { noteCall, runOfCall } from "../../store/index.ts";
import { draftRun } from "../draft.ts";
import { checkSignature } from "./signature.ts";

interface Hook extends Address {
  readonly hook: string;
}

/** Credentials and signatures have no business among a run's inputs. */
const withheld = /^(authorization|cookie|proxy-authorization|reeve-signature|x-hub-signature.*)$/;

/**
 * Begins the run that a signed request asks for; null when the hook's condition lets it pass. Without a valid signature the answer
 * is the same whether there is such a hook or not. The same request again is answered with the same run.
 */
export async function receive(
  tools: Tools,
  openSecrets: OpenSecrets,
  { hook: name, ...at }: Hook,
  { raw, body, origin }: Pick<RouteRequest<Json>, "raw" | "body" | "origin">,
): Promise<string | null> {
  const workflow = await readResource(tools.database, at);
  const hook = (workflow?.spec as WorkflowSpec | undefined)?.webhooks?.find((one) => one.name === name);
  const secret = workflow && hook ? await signingSecret(tools, openSecrets, workflow, hook.secret) : "";
  const verdict = checkSignature(hook?.signature ?? "reeve", secret, raw, await readNow(tools.database));
  if (workflow === undefined || hook === undefined || !verdict.valid)
    throw refusal(verdict.valid ? "wrong" : verdict.why);
  const { uid } = workflow.metadata;
  const call = createHash("sha256").update(`${name} ${verdict.signature}`).digest();
  const known = await runOfCall(tools.database, uid, call);
  if (known !== undefined) return known;
  const headers = Object.fromEntries(Object.entries(raw.headers).filter(([key]) => !withheld.test(key)));
  const scope = { inputs: {}, steps: {}, run: {}, hook: { body, headers } };
  const when = hook.when === undefined ? undefined : bareExpression(hook.when);
  if (when !== undefined && evaluate(when, scope) !== true) return null;
  const inputs = fillTemplates((hook.inputs ?? {}) as JsonObject, scope);
  const draft = draftRun(workflow, { inputs, cause: "webhook", by: `webhook:${name}` });
  try {
    await begin(tools, { at, uid, name, call, draft, origin });
    return draft.id;
  } catch (error) {
    // The same request, at the same moment, may have been first.
    const begun = await runOfCall(tools.database, uid, call);
    if (begun === undefined) throw error;
    return begun;
  }
}

interface Call {
  readonly at: Address;
  readonly uid: Uid;
  readonly name: string;
  readonly call: Buffer;
  readonly draft: RunDraft;
  readonly origin: Origin;
}

async function begin(tools: Tools, { at, uid, name, call, draft, origin }: Call): Promise<void> {
  await tools.lane.submit({
    author: { caller: undefined, origin, reason: "" },
    needs: [at],
    decide(view) {
      const now = view.get(at);
      if (now?.metadata.uid !== uid) throw refusal("wrong");
      const can = canBegin(now);
      if (!can.yes) throw new Fault("precondition", can.why);
      return {
        writes: [],
        audit: [
          { ...at, uid, operation: "trigger", outcome: "done", detail: { webhook: name, run: draft.id } },
        ],
        async also(sql) {
          await noteCall(sql, uid, call, draft.id);
          await tools.runs.admit(sql, [draft]);
        },
      };
    },
  });
}

function refusal(why: "wrong" | "old"): Fault {
  if (why === "old")
    return new Fault("unauthenticated", "the signature is too old, or of the future", {
      next: "sign with the present time; clocks may be off by 5 minutes",
    });
  return new Fault("unauthenticated", "there is no such webhook, or its signature is missing or wrong", {
    next: "check the address and the secret",
  });
}
