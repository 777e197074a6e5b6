import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useGo } from "../link.tsx";
import { useOffer } from "../offers.ts";
import { paths } from "../paths.ts";
import { actionLabel } from "./kind-actions.tsx";
import { useWhyNot } from "./use-why-not.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  readonly action: string;
  readonly tab: string;
}

/** An action that a tab has a way of its own for: it is offered as the others, and leads there. */
export function ActElsewhere({ kind, resource, action, tab }: Props) {
  const { scope, name } = resource.metadata;
  const go = useGo();
  useOffer({
    label: actionLabel(action),
    summary: kind.actions[action]?.summary ?? "",
    why: useWhyNot(action, resource),
    act: () => go(paths.resource(kind, scope, name, { tab })),
  });
  return null;
}
