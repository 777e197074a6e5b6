import { KindActions, ResourceHead, StateBadge } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { named } from "./words.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** Actions that a tab offers in a way of its own, each with its tab. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/** What it is, and everything that can be done to it. */
export function DetailHeader({ kind, resource, elsewhere }: Props) {
  const { deletingAt, paused } = resource.metadata;
  return (
    <ResourceHead
      kind={kind}
      resource={resource}
      many={named(kind)}
      elsewhere={elsewhere}
      state={
        <>
          {deletingAt !== undefined && <StateBadge state="deleting" />}
          {paused && <StateBadge state="paused" />}
        </>
      }
    >
      <KindActions kind={kind} resource={resource} except={Object.keys(elsewhere)} />
    </ResourceHead>
  );
}
