import type { JsonObject } from "@reeve/model";
import type { AttemptOrder, Executor } from "../executor.ts";
import type { Keeper } from "./keeper.ts";
import type { Keeping, Trying } from "./keeping.ts";

/**
 * The steps by which runs tell a keeper what to keep: `service-prepare` gets a generation ready, `service-keep` keeps it,
 * `service-act` does what a person asked for with what is kept, and `service-remove` lets it go. They run inside the agent and may be repeated: one that was lost with it is begun again. The
 * keepers given here are there.
 */
export function keeperExecutors(keepers: readonly Keeper[], keeping: Keeping): Executor[] {
  return keepers.flatMap(({ kind }) => {
    const executor = (verb: string, run: Parameters<typeof inner>[0]): Executor => ({
      name: `${kind.toLowerCase()}-${verb}`,
      available: async () => true,
      prepare: inner(run),
    });
    return [
      executor("prepare", async (order, inside) => {
        await keeping.prepare(kind, order, inside);
        return { outcome: "succeeded", why: "" };
      }),
      executor("keep", (order, inside) => keeping.keep(kind, order, inside)),
      executor("act", (order, inside) => keeping.act(kind, order, inside)),
      executor("remove", (order, inside) => keeping.letGo(kind, order, inside)),
    ];
  });
}

type Run = (
  order: Trying & { readonly act: JsonObject },
  inside: Parameters<Keeping["keep"]>[2],
) => ReturnType<Keeping["keep"]>;

function inner(run: Run): Executor["prepare"] {
  return async (attempt: AttemptOrder) => ({
    does: "inside",
    run: (inside) => run(orderOf(attempt.with), inside),
  });
}

function orderOf({ uid, name, generation, spec, act, gateMs }: JsonObject): Parameters<Run>[0] {
  if (typeof uid !== "string" || !/^[0-9a-f-]{36}$/.test(uid) || typeof spec !== "object")
    throw new Error("the step does not say what to keep");
  return {
    uid,
    name: String(name),
    generation: Number(generation),
    spec: spec as JsonObject,
    act: (act ?? {}) as JsonObject,
    gateMs: Number(gateMs ?? 60_000),
  };
}
