import { type Attention, paths, useList } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { differencesOf, type ServiceResource } from "./seen.ts";
import { useChanging } from "./use-changing.ts";

/** The kind itself would bring all its rules into the first load. */
const kind = { name: "Service", plural: "services" };

/** Services that are not as wanted: failed deploys, what agents cannot repair, generations that nobody has deployed. */
export function useServiceAttention(scope: Scope): readonly Attention[] {
  const { rows } = useList<ServiceResource>(kind, scope);
  const changing = useChanging(scope);
  return rows.flatMap((service) => {
    const { uid, scope: at, name } = service.metadata;
    return differencesOf(service, changing.has(uid)).map(({ key, level, title, text, run }): Attention => {
      const to = paths.resource(kind, at, name);
      return {
        key: `${uid} ${key}`,
        level: level === "failed" ? "failed" : "soon",
        title,
        detail: text,
        to,
        ...(run !== undefined && { run }),
      };
    });
  });
}
