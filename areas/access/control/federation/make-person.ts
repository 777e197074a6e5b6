import type { Tools } from "@reeve/control";
import { Fault, nameLimit, type Origin, type Subject } from "@reeve/model";
import { newResource, type Stored } from "@reeve/store";
import { linkIdentity, replaceClaims } from "../../store/index.ts";
import { digest } from "../secrets.ts";
import type { Proof } from "./proof.ts";

/** A user for somebody who signs in for the first time. Whoever has that name or address already stays somebody else. */
export async function makePerson(
  tools: Tools,
  proof: Proof,
  origin: Origin,
): Promise<{ uid: string; name: string }> {
  for (const name of namesFor(proof)) {
    const user = personResource(name, proof);
    const made = await create(tools, user, proof, origin);
    if (made) return user.metadata;
  }
  throw new Fault("conflict", "there is a user of your name already", { next: "ask an owner" });
}

function personResource(name: string, { displayName, email, provider, groups }: Proof): Stored {
  const spec = { ...(displayName ? { displayName } : {}), ...(email ? { email } : {}), disabled: false };
  const user = newResource({ kind: "User", scope: "", name }, spec);
  return groups.length === 0 ? user : { ...user, status: { groups: { [provider]: groups } } };
}

/** False when the name is taken. */
async function create(tools: Tools, user: Stored, proof: Proof, origin: Origin): Promise<boolean> {
  const { uid, name } = user.metadata;
  const at = { kind: "User", scope: "", name };
  const subject: Subject = { ...at, kind: "User", uid };
  let taken = false;
  await tools.lane.submit({
    author: {
      caller: { subject, via: { kind: "system", id: `identity-provider:${proof.provider}` }, grants: [] },
      origin,
      reason: "first sign-in",
    },
    needs: [at],
    decide(view) {
      taken = view.get(at) !== undefined;
      if (taken) return { writes: [], audit: [] };
      return {
        writes: [{ operation: "create", resource: user }],
        audit: [{ ...at, operation: "create", outcome: "done", detail: { provider: proof.provider } }],
        async also(sql) {
          if (!(await linkIdentity(sql, proof, uid)))
            throw new Fault("conflict", "you are signing in twice at once", { next: "sign in again" });
          await replaceClaims(sql, uid, proof.provider, proof.groups);
        },
      };
    },
  });
  return !taken;
}

/** What the provider calls the person, made into a name; with a mark of the identity where that is taken. */
function namesFor({ name, email, providerUid, subject }: Proof): string[] {
  const wanted = (name ?? email ?? "").split("@")[0] ?? "";
  const plain =
    wanted
      .normalize("NFKD")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .slice(0, nameLimit - 7)
      .replaceAll(/^-+|-+$/g, "") || "user";
  const mark = digest(`${providerUid} ${subject}`).toString("hex").slice(0, 6);
  return [plain, `${plain}-${mark}`];
}
