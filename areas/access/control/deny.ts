import { notFound, type Tools } from "@reeve/control";
import type { Caller, Fault, Origin } from "@reeve/model";

interface Author {
  readonly caller?: Caller | undefined;
  readonly origin: Origin;
}

/** Refuses somebody who could not prove to be this user, and records it. */
export function denyUser(
  tools: Tools,
  author: Author,
  { user, operation }: { user: string; operation: string },
  fault: Fault,
): Promise<never> {
  return deny(tools, author, { kind: "User", name: user, operation }, fault);
}

/** What is not one's own is not there, and asking for it is recorded. */
export function denyForeign(
  tools: Tools,
  author: Author,
  deed: { kind: string; name: string; operation: string },
): Promise<never> {
  const named = { ...deed, name: deed.name.slice(0, 100) };
  return deny(tools, author, named, notFound({ scope: "", ...named }));
}

async function deny(
  { lane }: Tools,
  { caller, origin }: Author,
  deed: { kind: string; name: string; operation: string },
  fault: Fault,
): Promise<never> {
  await lane.submit({
    author: { caller, origin, reason: "" },
    needs: [],
    decide: () => ({
      writes: [],
      audit: [{ ...deed, scope: "", outcome: "denied" }],
      refusal: fault,
    }),
  });
  throw fault;
}
