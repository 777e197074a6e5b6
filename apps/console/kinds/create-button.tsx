import { paths, ReasonedButton, useCan, useGo } from "@reeve/kit";
import { levelOf, type Scope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconPlus } from "@tabler/icons-react";
import { spoken } from "./words.ts";

/** Where this kind does not live at the chosen level, the page it leads to asks for a scope. */
export function CreateButton({ kind, scope }: { readonly kind: KindInfo; readonly scope: Scope }) {
  const go = useGo();
  const { allowed, reason } = useCan({ verb: "create", kind: kind.name, scope });
  const livesHere = kind.levels.includes(levelOf(scope));
  return (
    <ReasonedButton
      label={`Create a ${spoken(kind)}`}
      icon={<IconPlus size={14} />}
      variant="filled"
      why={livesHere && allowed === false ? reason : undefined}
      onClick={() => go(paths.create(kind, scope))}
    />
  );
}
