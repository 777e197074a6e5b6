import { Fault, type Kind } from "@reeve/model";
import {
  type Address,
  type Decision,
  type Mutation,
  openLedger,
  ownersAmong,
  readQuotas,
  readResource,
  type Stored,
  shown,
  type View,
  type Written,
} from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import { repeatOf } from "./repeat.ts";

/** A change that an operation wants: which rows it must see, and what it decides when it sees them. */
export interface Wanted {
  readonly needs: readonly Address[];
  readonly asksOwned?: boolean;
  readonly decide: (view: View) => Decision;
}

/** Carries a change out through the lane; a dry run decides on rows that are only read. */
export async function mutate(context: Context, asking: Asking, wanted: Wanted): Promise<Written> {
  const mutation: Mutation = {
    author: asking,
    needs: wanted.needs,
    asksOwned: wanted.asksOwned ?? false,
    decide: wanted.decide,
    ...(asking.dryRun ? {} : repeatOf(asking)),
  };
  return asking.dryRun
    ? rehearse(context, mutation, asking.rehearsal ?? newRehearsal())
    : context.lane.submit(mutation);
}

/** What dry runs would have written so far, by address; undefined where they would have deleted. */
export type Rehearsal = Map<string, Stored | undefined>;

export function newRehearsal(): Rehearsal {
  return new Map();
}

async function rehearse(context: Context, mutation: Mutation, rehearsal: Rehearsal): Promise<Written> {
  const found = await Promise.all(mutation.needs.map((need) => readResource(context.database, need)));
  const seen = found.filter((one) => one !== undefined);
  const owners = mutation.asksOwned ? await ownersAmong(context.database, seen) : new Set<string>();
  const rows = new Map([...seen.map((one) => [addressOf(one), one] as const), ...rehearsal]);
  const get = (at: Address) => rows.get(addressOf({ kind: at.kind, metadata: at }));
  const scopes = new Set(mutation.needs.map((need) => need.scope));
  const ledger = openLedger(context.registry, await readQuotas(context.database, context.registry, scopes));
  const decided = mutation.decide({
    now: new Date().toISOString(),
    ownsAny: (uid) =>
      owners.has(uid) || [...rehearsal.values()].some((one) => one?.metadata.owner?.uid === uid),
    get,
  });
  const decision = ledger.book(mutation, decided, get);
  if (decision.refusal !== undefined) throw await denied(context, mutation, decision);
  await decision.check?.(context.database);
  for (const { operation, resource } of decision.writes)
    rehearsal.set(addressOf(resource), operation === "delete" ? undefined : resource);
  const write = decision.writes[0];
  if (write === undefined)
    return { outcome: "unchanged", resource: decision.seen && shown(decision.seen), repeated: false };
  const outcome =
    write.operation === "create" ? "created" : write.operation === "delete" ? "deleted" : "updated";
  return { outcome, resource: shown(write.resource), repeated: false };
}

function addressOf({ kind, metadata }: { kind: string; metadata: { scope: string; name: string } }): string {
  return `${kind} ${metadata.scope} ${metadata.name}`;
}

/** A denial is recorded also when nothing else would be written. */
async function denied(context: Context, mutation: Mutation, decision: Decision): Promise<unknown> {
  return context.lane
    .submit({ author: mutation.author, needs: [], decide: () => decision })
    .catch((fault: unknown) => fault);
}

/** Refuses with an audit row; for reads, which do not pass the lane otherwise. */
export async function refuse(
  context: Context,
  asking: Pick<Asking, "caller" | "origin">,
  operation: string,
  at: Address,
  fault: Fault,
): Promise<never> {
  await context.lane.submit({
    author: { ...asking, reason: "" },
    needs: [],
    decide: () => ({ writes: [], audit: [denial(operation, at, fault)], refusal: fault }),
  });
  throw fault;
}

/** A controller knows reasons of its own to turn a caller away; they are recorded like any other. */
export function isDenial(error: unknown): error is Fault {
  return error instanceof Fault && error.kind === "forbidden";
}

function denial(operation: string, at: Address, fault: Fault): Decision["audit"][number] {
  return { ...at, operation, outcome: "denied", detail: { why: fault.message } };
}

export function refused(operation: string, at: Address, fault: Fault): Decision {
  return { writes: [], audit: [denial(operation, at, fault)], refusal: fault };
}

export function checkMatch(asking: Asking, kind: Kind, before: Stored | undefined): void {
  if (asking.ifNoneMatch && before !== undefined)
    throw new Fault("exists", `${kind.name} ${before.metadata.name} exists already`, {
      next: "choose another name, or apply to change it",
    });
  if (asking.ifMatch === undefined || asking.ifMatch === before?.metadata.revision) return;
  const found =
    before === undefined ? "it does not exist" : `it is now at revision ${before.metadata.revision}`;
  throw new Fault(
    "conflict",
    `${kind.name} was changed meanwhile: expected revision ${asking.ifMatch}, ${found}`,
    {
      next: "read it again, make your change to what is there now, and send it with the new revision",
    },
  );
}
