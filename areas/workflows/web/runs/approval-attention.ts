import { type Attention, paths, useRuns } from "@reeve/kit";
import { personReasons, type Scope } from "@reeve/model";

const shownMost = 100;

/** Steps that wait for a person: approvals, and attempts of which only one can say what became of them. */
export function useApprovalAttention(scope: Scope): readonly Attention[] {
  const { rows } = useRuns({ ...(scope && { scope }), waiting: personReasons }, shownMost);
  return rows.flatMap(({ id, scope: of, about, waits, createdAt }): Attention[] => {
    if (waits === undefined) return [];
    const isLost = waits.reason === "lost";
    return [
      {
        key: `${id} ${waits.seq}`,
        level: "waiting",
        title: isLost
          ? `${waits.step} of ${about.name} may have happened: decide it`
          : `${waits.step} of ${about.name} waits for an approval`,
        detail: waits.why,
        at: createdAt,
        to: paths.run(id, { step: waits.seq }),
        needs: { verb: isLost ? "decide" : "approve", kind: "runs", scope: of },
      },
    ];
  });
}
